// The readings of the device's energy meter during one run.
// Call order: start() at time 0, then read() several times a second. Threads: start() and read() one,
// reading() any. Errors: a meter that fails is not read again, and reading() is absent from then on.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "base/mutex.hpp"
#include "runtime/machine/energy_meter.hpp"
#include "runtime/run/energy_reading.hpp"

namespace saccade::runtime {

class EnergyBook {
 public:
  explicit EnergyBook(std::unique_ptr<EnergyMeter> meter) : meter_(std::move(meter)) {}  // null: no meter

  // False: the meter has just failed.
  [[nodiscard]] bool start(TimePoint now);
  [[nodiscard]] bool read(TimePoint now);
  [[nodiscard]] std::optional<EnergyReading> reading() const;

 private:
  struct Sample {
    TimePoint at{};
    Joules total;
  };
  std::unique_ptr<EnergyMeter> meter_;

  mutable Mutex mutex_;
  // The last second, and the one before; empty: there is no figure.
  std::deque<Sample> samples_ SACCADE_GUARDED_BY(mutex_);
  Joules at_start_ SACCADE_GUARDED_BY(mutex_);
  std::string name_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::runtime
