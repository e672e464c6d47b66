// What the device's energy meter has told of one run.
// Order: start() at time 0, then read() several times a second. Threads: start() and read() one, reading()
// any. Errors: a meter that fails is given up, and reading() is absent from then on.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/energy_reading.hpp"
#include "runtime/sensors/energy_meter.hpp"

namespace saccade::runtime {

class EnergyBook {
 public:
  explicit EnergyBook(std::unique_ptr<EnergyMeter> meter) : meter_(std::move(meter)) {}  // null: no meter

  // Both are false when the meter failed just now.
  [[nodiscard]] bool start(TimePoint now);
  [[nodiscard]] bool read(TimePoint now);
  [[nodiscard]] std::optional<EnergyReading> reading() const;

 private:
  struct Sample {
    TimePoint at{};
    Joules total;
  };
  std::unique_ptr<EnergyMeter> meter_;

  mutable std::mutex mutex_;    // guards what follows
  std::deque<Sample> samples_;  // the last second, and the one before; empty: there is no figure
  Joules at_start_;
  std::string name_;
};

}  // namespace saccade::runtime
