// Matches the objects of a picture with its truths as COCO's evaluator does for boxes (COCOeval; the code is
// the definition). Per label, area range and threshold t of the intersection over union (IoU):
// - objects are processed by score, equal scores in the given order, the first 100 of a label;
// - each takes the unmatched truth of greatest IoU >= t, among equal ones the last;
// - truths that are crowds or outside the area range are ignored: an object takes one only if it finds no
//   other truth, and then counts neither as right nor as wrong. A crowd may be taken many times, and its IoU
//   is intersection / area of the object;
// - an object that takes nothing and is outside the area range is ignored as well.
// Boxes in pixels, areas in pixels^2. Objects with a score or box that is not finite are skipped.
// Threads: pure functions and plain values. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vision/decode/objects.hpp"

namespace saccade::vision {

// A known object in a picture (ground truth).
struct Truth {
  Box box;
  int label = 0;               // index into the profile set's labels
  bool crowd = false;          // a group of objects that were not annotated individually
  std::optional<double> area;  // of the object's outline; absent: the box's
  bool operator==(const Truth&) const = default;
};
using Truths = std::vector<Truth>;

// IoU thresholds 0.50, 0.55, .. 0.95; index 0 is 0.50, index 5 is 0.75.
inline constexpr std::size_t kIouThresholds = 10;
inline constexpr std::size_t kIou50 = 0;
inline constexpr std::size_t kIou75 = 5;
[[nodiscard]] double iou_threshold(std::size_t index);

// Areas from .. to, both included: all, small (to 32^2), medium (32^2 to 96^2), large (from 96^2).
enum class AreaRange : std::uint8_t { all, small, medium, large };
inline constexpr std::size_t kAreaRanges = 4;

inline constexpr std::size_t kMostObjects = 100;  // of one label in one picture

// For an object and a truth, in [0, 1]; 0 if they do not overlap.
[[nodiscard]] double iou(const Box& object, const Box& truth, bool crowd);

// The outcome of one object; bit t of a mask is for threshold t.
struct Verdict {
  float score = 0.0F;
  std::uint8_t rank = 0;                             // among the objects of its label in the picture
  std::array<std::uint16_t, kAreaRanges> right{};    // took a truth that counts
  std::array<std::uint16_t, kAreaRanges> ignored{};  // counts neither as right nor as wrong
};

struct LabelMatches {
  int label = 0;
  std::array<std::uint32_t, kAreaRanges> truths{};  // that count
  std::vector<Verdict> objects;                     // best score first
};

// One entry for each label that occurs, by label.
[[nodiscard]] std::vector<LabelMatches> match_picture(std::span<const Truth> truths,
                                                      std::span<const Object> objects);

// For the accounting of served frames: at IoU 0.50, all areas.
struct FrameMatches {
  std::uint32_t truths = 0;  // that count: no crowds
  std::uint32_t found = 0;   // of these
  std::uint32_t wrong = 0;   // objects that match no truth
  bool operator==(const FrameMatches&) const = default;
};
[[nodiscard]] FrameMatches count_matches(std::span<const Truth> truths, std::span<const Object> objects);
[[nodiscard]] FrameMatches count_matches(std::span<const LabelMatches> matches);

}  // namespace saccade::vision
