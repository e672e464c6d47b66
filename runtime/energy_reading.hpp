// The energy that a run has drawn, with where the figure comes from. Measured: of the whole device, by its
// meter (sensors/energy_book.hpp). Modelled: what the profiles say of the frames that were processed, and
// the device's idle power where a profile declares it. Where there is neither it is absent.
// Threads: plain values.
#pragma once

#include <optional>
#include <string>

#include "base/quantity.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/frame_ledger.hpp"

namespace saccade::runtime {

enum class EnergySource { measured, modelled };
[[nodiscard]] const char* to_string(EnergySource source);

struct EnergyReading {
  Joules total;                // since time 0 of the run
  std::optional<Watts> power;  // now (measured: the mean of the last second); absent in a summary
  EnergySource source = EnergySource::modelled;
  std::string meter;  // its name, where one measured
};

// Adds up what the profiles say of tasks, without the idle power; absent as soon as one of them cannot be
// told.
class EnergyModel {
 public:
  void add_frames(const profiles::ProfileSet& profiles, int regions, const TaskFrames& frames);
  // What a task draws now: `rate` is the one in force.
  void add_power(const profiles::ProfileSet& profiles, int regions, std::size_t serving, Fps rate);

  [[nodiscard]] std::optional<Joules> total() const { return known_ ? std::optional(total_) : std::nullopt; }
  [[nodiscard]] std::optional<Watts> power() const { return known_ ? std::optional(power_) : std::nullopt; }

 private:
  bool known_ = true;
  Joules total_;
  Watts power_;
};

}  // namespace saccade::runtime
