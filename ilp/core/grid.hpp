// The quantum of which numbers are whole multiples, found by Euclid's algorithm with tolerances. Sums of
// multiples are multiples: a capacity between two of them may be rounded down (Chvatal-Gomory), and a better
// selection is better by at least one quantum. Rounded data (0.01 %, 0.2 ms) is of this kind, and both
// tighten the bounds.
// Threads: pure.
#pragma once

#include <span>

namespace saccade::ilp {

struct Grid {
  double quantum = 0.0;  // 0 = none found
  double error = 0.0;    // largest distance of a number from a multiple
};

// `numbers` >= 0. `error`: rounding error of each. Quanta below `least` are not reported.
[[nodiscard]] Grid find_grid(std::span<const double> numbers, double error, double least);

}  // namespace saccade::ilp
