// The decoder as the specification's words have it, in double precision and without a thought for time: every
// number is read, every pair of boxes is compared. What the product finds is held against it.
#pragma once

#include <cstddef>

#include "tests/vision/decode/made_outputs.hpp"

namespace saccade::vision::test {

struct NaiveResult {
  Objects objects;
  std::size_t rows = 0;
  std::size_t bad_rows = 0;
  std::size_t beyond = 0;
  std::size_t candidates = 0;
};

[[nodiscard]] NaiveResult naive_decode(const Made& made, const Box& region, PixelSize frame, int number);

}  // namespace saccade::vision::test
