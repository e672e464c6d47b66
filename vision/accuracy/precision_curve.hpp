// Precision over recall for the objects of one label in all pictures, and its mean at 101 recalls, as COCO's
// evaluator defines it: precision made monotone from the right, taken at the first object with recall >= r
// for r = 0, 0.01, .. 1, and 0 if the recall is not reached. A picture has a weight, the number of times it
// was drawn; its objects and truths count that often, copies of an object consecutively. Only points at right
// objects are kept: between them precision falls and recall stays. Internal to vision/accuracy. Threads:
// plain values. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vision/accuracy/matching.hpp"

namespace saccade::vision {

// An object among all of its label, best score first; bit t of a mask is for threshold t.
struct RankedObject {
  std::uint32_t picture = 0;
  std::uint16_t right = 0;
  std::uint16_t ignored = 0;
};

class PrecisionCurves {
 public:
  // `weights`: of each picture; empty: 1 each.
  void trace(std::span<const RankedObject> objects, std::span<const std::uint32_t> weights);

  // Of the label's `truths` > 0, weights included.
  [[nodiscard]] double average_precision(std::size_t threshold, std::uint64_t truths) const;
  [[nodiscard]] double recall(std::size_t threshold, std::uint64_t truths) const;

 private:
  struct Point {
    std::uint64_t right;
    std::uint64_t counted;  // right or wrong, up to here
  };
  std::array<std::vector<Point>, kIouThresholds> points_;
};

}  // namespace saccade::vision
