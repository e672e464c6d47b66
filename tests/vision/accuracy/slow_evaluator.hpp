// COCO's evaluator for boxes once more, as directly as its definition reads and sharing no code with the
// product: every label, range, limit and threshold is matched and counted for itself, and precision at a
// recall is the maximum over all later objects. Its rules can be broken one by one: a test that cannot tell a
// broken evaluator from the product would not see the product broken either.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "vision/accuracy/matching.hpp"

namespace saccade::vision::testing {

struct LabelledImage {
  Truths truths;
  Objects objects;
};
using LabelledImages = std::vector<LabelledImage>;

struct Rules {
  bool strict = false;              // IoU > t instead of >=
  std::size_t recalls = 101;        // 11: as PASCAL VOC 2007
  bool crowd_as_truth = false;      // a crowd is a truth like any other
  bool crowd_taken_once = false;    // a crowd is taken by one object only
  bool crowd_iou_as_usual = false;  // over the union
  bool ties_reversed = false;       // equal scores: the last first (an unstable sort may do that)
  bool first_of_equal_iou = false;
  bool ranges_passed_over = false;     // every range is "all"
  bool far_objects_are_wrong = false;  // objects outside of the range that take nothing count as wrong
  bool ignored_truths_alike = false;   // the best IoU wins, whether the truth counts or not
  bool box_area = false;               // a truth's area is its box's
  bool monotone = true;                // precision is made monotone
  bool absent_labels_count = false;    // a label without truth counts as 0
  bool limit_over_labels = false;      // 100 objects per picture instead of per picture and label
};

// The twelve figures in COCO's order, -1 = absent.
std::array<double, 12> slow_figures(const LabelledImages& images, std::size_t labels,
                                    const Rules& rules = {});

}  // namespace saccade::vision::testing
