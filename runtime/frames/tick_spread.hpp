// When the ticks of a task begin that starts or has a new demand, so that they fall between those of the
// others: cameras that are started together would otherwise want the same moment for ever, and the last of n
// frames would wait for n-1 inferences. Source: offset assignment for periodic tasks without given offsets
// (Goossens 2003, "Scheduling of offset free systems"; there by pairs, here one task after the other).
// Units: nanoseconds. Pure functions.
#pragma once

#include <vector>

#include "base/clock.hpp"

namespace saccade::runtime {

struct Ticks {
  TimePoint next;      // any of them, also a past one
  Duration period{0};  // > 0
};

inline constexpr Duration kMostSpread{250'000'000};

// From `earliest`, when a tick is first possible, until the first one: less than the period and than
// kMostSpread; 0 when no other task has a period in common.
[[nodiscard]] Duration spread_delay(Duration period, TimePoint earliest, const std::vector<Ticks>& others);

// The greatest time of which both periods are multiples, each at most the eightfold; 0 if there is none: then
// the time between ticks of the two takes all values.
[[nodiscard]] Duration common_period(Duration one, Duration other);

}  // namespace saccade::runtime
