// Energy and power of engines by a meter that sees the whole device: what the device draws at rest is
// measured first and taken off.
// Threads: the calling one. Errors: an inference that fails; a meter that fails gives nothing.
#pragma once

#include <functional>
#include <optional>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "runtime/machine/energy_meter.hpp"

namespace saccade::runtime {

struct EnergyTrial {
  EnergyMeter* meter = nullptr;
  const Clock* clock = nullptr;        // wall time: a device draws power while a thread waits, too
  std::function<void(Duration)> rest;  // lets so much time pass without work
  Seconds idle{3.0};
  Seconds per_variant{1.0};
};

[[nodiscard]] std::optional<Watts> idle_power(const EnergyTrial& trial);

struct Draw {
  Joules energy;  // per inference, above idle
  Watts power;    // while inferring, above idle
};
// Absent when the meter fails or sees no more than at rest.
[[nodiscard]] Result<std::optional<Draw>> measure_draw(const EnergyTrial& trial, Watts idle,
                                                       const std::function<Status()>& infer);

}  // namespace saccade::runtime
