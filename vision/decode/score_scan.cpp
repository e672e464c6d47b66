#include "vision/decode/score_scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace saccade::vision {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

// Sums and maxima of a row in lanes of their own, which the compiler may not introduce by itself: they change
// the order of a sum. An extension of GCC and Clang, for vectors that every x86-64 and ARMv8 has.
using Lanes = float __attribute__((vector_size(16)));
constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(float);

// The vector instructions' own maximum: `best` where `value` is a NaN.
template <class Number>
inline Number larger(Number value, Number best) {
  return value > best ? value : best;
}

}  // namespace

RowScore score_of_row(const float* row, std::size_t count) {
  constexpr std::size_t kStep = 4 * kLanes;
  Lanes largest[4] = {kLowest - Lanes{}, kLowest - Lanes{}, kLowest - Lanes{}, kLowest - Lanes{}};
  Lanes sum[4] = {};
  std::size_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    for (std::size_t part = 0; part < 4; ++part) {
      Lanes value;
      std::memcpy(&value, row + i + part * kLanes, sizeof value);
      largest[part] = larger(value, largest[part]);
      sum[part] += value;
    }
  }
  const Lanes best = larger(larger(largest[0], largest[1]), larger(largest[2], largest[3]));
  const Lanes total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  RowScore score{kLowest, 0.0F};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    score.largest = larger(best[lane], score.largest);
    score.sum += total[lane];
  }
  for (; i < count; ++i) {
    score.largest = larger(row[i], score.largest);
    score.sum += row[i];
  }
  return score;
}

void score_of_columns(const float* table, std::size_t rows, std::size_t stride, std::size_t count,
                      float* __restrict largest, float* __restrict sum) {
  std::fill_n(largest, count, kLowest);
  std::fill_n(sum, count, 0.0F);
  std::size_t row = 0;
  for (; row + 4 <= rows; row += 4) {  // four at a time: the results are loaded and stored a quarter as often
    const float* const a = table + row * stride;
    const float* const b = a + stride;
    const float* const c = b + stride;
    const float* const d = c + stride;
    for (std::size_t i = 0; i < count; ++i) {
      largest[i] = larger(d[i], larger(c[i], larger(b[i], larger(a[i], largest[i]))));
      sum[i] += (a[i] + b[i]) + (c[i] + d[i]);
    }
  }
  for (; row < rows; ++row) {
    const float* const a = table + row * stride;
    for (std::size_t i = 0; i < count; ++i) {
      largest[i] = larger(a[i], largest[i]);
      sum[i] += a[i];
    }
  }
}

void sum_of_columns(const float* table, std::size_t rows, std::size_t stride, std::size_t count,
                    float* __restrict sum) {
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const a = table + row * stride;
    for (std::size_t i = 0; i < count; ++i) sum[i] += a[i];
  }
}

bool all_finite(const float* first, std::size_t count, std::size_t step) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(first[i * step])) return false;
  }
  return true;
}

std::size_t index_of_largest(const float* first, std::size_t count, std::size_t step) {
  std::size_t best = 0;
  float largest = kLowest;
  for (std::size_t i = 0; i < count; ++i) {
    if (first[i * step] > largest) {
      largest = first[i * step];
      best = i;
    }
  }
  return best;
}

}  // namespace saccade::vision
