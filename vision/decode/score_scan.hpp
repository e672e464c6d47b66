// The loops over all scores of a network, which take most of a decoder's time: the largest of a row or of
// many columns at once, and a sum that reveals a NaN or an infinity among them. A sum may also be infinite
// because of large numbers only: all_finite() decides. `largest` ignores NaN. Internal to vision/decode;
// compiled with -O3 (vision/CMakeLists.txt).
// Threads: any.
#pragma once

#include <cstddef>

namespace saccade::vision {

struct RowScore {
  float largest = 0.0F;
  float sum = 0.0F;
};

// Of `count` numbers in a row, at least one.
[[nodiscard]] RowScore score_of_row(const float* row, std::size_t count);

// Of `count` columns of a table, `rows` high, at least one; `stride` numbers from row to row.
void score_of_columns(const float* table, std::size_t rows, std::size_t stride, std::size_t count,
                      float* largest, float* sum);
// Adds `rows` more to the sums, for numbers that are not scores.
void sum_of_columns(const float* table, std::size_t rows, std::size_t stride, std::size_t count, float* sum);

[[nodiscard]] bool all_finite(const float* first, std::size_t count, std::size_t step);
// Index of the first of the largest numbers, `step` apart; NaN is ignored.
[[nodiscard]] std::size_t index_of_largest(const float* first, std::size_t count, std::size_t step);

}  // namespace saccade::vision
