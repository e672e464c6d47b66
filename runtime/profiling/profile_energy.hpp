// Energy and power of engines by a meter of the whole device: the device's idle power is measured first and
// subtracted.
// Threads: the calling one. Errors: an inference that fails; if the meter fails, the result is absent.
#pragma once

#include <functional>
#include <optional>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "runtime/machine/energy_meter.hpp"

namespace saccade::runtime {

struct EnergyTrial {
  EnergyMeter* meter = nullptr;
  const Clock* clock = nullptr;        // wall time: a device consumes power while a thread waits, too
  std::function<void(Duration)> rest;  // waits for that time without work
  Seconds idle{3.0};
  Seconds per_variant{1.0};
};

[[nodiscard]] std::optional<Watts> idle_power(const EnergyTrial& trial);

struct Draw {
  Joules energy;  // per inference, above idle
  Watts power;    // while inferring, above idle
};
// Absent if the meter fails or measures no more than the idle power.
[[nodiscard]] Result<std::optional<Draw>> measure_draw(const EnergyTrial& trial, Watts idle,
                                                       const std::function<Status()>& infer);

}  // namespace saccade::runtime
