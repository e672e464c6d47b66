// The inverse of a small matrix, by elimination with row pivots.
// Threads: pure.
#pragma once

#include <cstddef>
#include <vector>

namespace saccade::ilp {

// `m` has n rows of 2 n numbers: the matrix, and the unit matrix in whose place its inverse comes. False when
// a pivot is below `least`.
[[nodiscard]] bool invert(std::vector<double>& m, std::size_t n, double least);

}  // namespace saccade::ilp
