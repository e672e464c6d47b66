// Times in milliseconds, as tests write them.
#pragma once

#include <cmath>

#include "base/clock.hpp"

namespace saccade::test {

inline Duration ms(double value) { return Duration(std::llround(value * 1e6)); }
inline TimePoint at_ms(double value) { return TimePoint(ms(value)); }

}  // namespace saccade::test
