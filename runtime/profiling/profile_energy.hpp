// Energy and power of engines by a meter that sees the whole device: what the device draws at rest is
// measured first and taken off.
// Where the meter's figure steps (EnergyMeter::step()), as that of a card does, every stretch lasts from one
// step to another one, at least kSteppedLeast of work; the device rests for kSettle before it is measured at
// rest, with the engine loaded, before and after the work. What is above rest by less than kDriftTimes times
// the drift between those two is no measurement.
// Threads: the calling one. Errors: an inference that fails; a meter that fails gives nothing.
#pragma once

#include <functional>
#include <optional>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "runtime/machine/energy_meter.hpp"

namespace saccade::runtime {

inline constexpr Seconds kSteppedLeast{2.0};
inline constexpr Seconds kSettle{3.0};
inline constexpr double kDriftTimes = 3.0;

struct EnergyTrial {
  EnergyMeter* meter = nullptr;
  const Clock* clock = nullptr;        // wall time: a device consumes power while a thread waits, too
  std::function<void(Duration)> rest;  // waits for that time without work
  Seconds idle{3.0};
  Seconds per_variant{1.0};
};

[[nodiscard]] std::optional<Watts> idle_power(const EnergyTrial& trial);

struct Draw {
  Joules energy;  // per call of `infer`, above idle
  Watts power;    // while inferring, above idle
};
// Absent when the meter fails or sees no more than at rest. `idle` is not looked at where the meter steps.
[[nodiscard]] Result<std::optional<Draw>> measure_draw(const EnergyTrial& trial, Watts idle,
                                                       const std::function<Status()>& infer);

}  // namespace saccade::runtime
