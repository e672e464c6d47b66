// Numbers that are whole multiples of one quantum. Sums of them are multiples too: a capacity between two
// multiples is as good as the lower one, and a better selection is better by a quantum at least. Rounded
// data (0.01 %, 0.2 ms) is like that, and bounds are far sharper for knowing it.
// Threads: pure.
#pragma once

#include <span>

namespace saccade::ilp {

struct Grid {
  double quantum = 0.0;  // 0 = none was found
  double error = 0.0;    // no number is further from a multiple
};

// `numbers` >= 0. `error`: what rounding may have done to each. No quantum below `least` is reported.
[[nodiscard]] Grid find_grid(std::span<const double> numbers, double error, double least);

}  // namespace saccade::ilp
