// Inverse of a small dense matrix: Gauss-Jordan elimination with partial pivoting.
// Threads: pure.
#pragma once

#include <cstddef>
#include <vector>

namespace saccade::ilp {

// `m` has n rows of 2 n numbers: the matrix, and beside it the identity, which the inverse replaces. False if
// a pivot is below `least`.
[[nodiscard]] bool invert(std::vector<double>& m, std::size_t n, double least);

}  // namespace saccade::ilp
