// From the candidates of one picture to objects of the frame, in this order: the 3000 best of them -> box in
// pixels of the frame -> suppression by class (IoU > threshold, best score first, ties by index) -> clipped
// to the frame, dropped if nothing is left -> at most max_objects. Boxes are never clipped before they are
// projected and suppressed, because that would change the shape of a box at the padded border.
// Internal to vision/decode. Allocation: in the constructor only. Threads: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "profiles/interface.hpp"
#include "vision/decode/detector.hpp"
#include "vision/decode/objects.hpp"
#include "vision/decode/placement.hpp"

namespace saccade::vision {

constexpr std::size_t kMaxCandidates = 3000;

struct SelectionCount {
  std::size_t beyond = 0;  // candidates that were not among the 3000 best
  std::size_t bad = 0;     // candidates whose box is invalid: NaN or infinite
};

// The kept boxes, by coordinate, so that one box is compared with many at once.
class KeptBoxes {
 public:
  explicit KeptBoxes(float iou_threshold);
  void clear();
  // Class 0 for all if suppression ignores classes.
  [[nodiscard]] bool suppresses(const Corners& box, int label) const;
  void add(const Corners& box, int label);

 private:
  static constexpr std::size_t kBlock = 16;
  static constexpr std::size_t kRoom = (kMaxCandidates + kBlock - 1) / kBlock * kBlock;
  struct Columns {
    std::array<float, kRoom> left, top, right, bottom, area;
    std::array<int, kRoom> label;
  };
  float iou_threshold_;
  std::size_t size_ = 0;
  std::unique_ptr<Columns> columns_;
};

class CandidateSelection {
 public:
  explicit CandidateSelection(const profiles::Selection& selection);

  // Appends to `objects`, best score first; the order of `candidates` is changed.
  SelectionCount select(const Detector& detector, std::vector<ScoredRow>& candidates,
                        const Placement& placement, Objects& objects);

 private:
  profiles::Selection selection_;
  KeptBoxes kept_;
};

}  // namespace saccade::vision
