// The energy that a run has consumed, and the source of the figure. Measured: that of the whole device, by
// its meter (real/energy_book.hpp). Modelled: the profiles' energy of the processed frames, plus the device's
// idle power if a profile declares it. Absent if there is neither. Threads: plain values.
#pragma once

#include <optional>
#include <string>

#include "base/quantity.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/frames/frame_ledger.hpp"

namespace saccade::runtime {

enum class EnergySource { measured, modelled };
[[nodiscard]] const char* to_string(EnergySource source);

struct EnergyReading {
  Joules total;                // since time 0 of the run
  std::optional<Watts> power;  // now (measured: the mean of the last second); absent in a summary
  EnergySource source = EnergySource::modelled;
  std::string meter;  // its name, if measured
};

// Sums the profiles' energy and power of all tasks, without idle power. Both become absent as soon as that of
// one task is unknown.
class EnergyModel {
 public:
  // Of tasks whose counters were discarded; absent: unknown.
  void add_forgotten(std::optional<Joules> energy) {
    known_ = known_ && energy.has_value();
    if (energy) total_ += *energy;
  }
  void add_frames(const profiles::ProfileSet& profiles, int regions, const TaskFrames& frames);
  // The power of a task now; `rate` is the one in force.
  void add_power(const profiles::ProfileSet& profiles, int regions, std::size_t serving, Fps rate);

  [[nodiscard]] std::optional<Joules> total() const { return known_ ? std::optional(total_) : std::nullopt; }
  [[nodiscard]] std::optional<Watts> power() const { return known_ ? std::optional(power_) : std::nullopt; }

 private:
  bool known_ = true;
  Joules total_;
  Watts power_;
};

}  // namespace saccade::runtime
