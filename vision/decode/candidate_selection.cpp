#include "vision/decode/candidate_selection.hpp"

#include <algorithm>

#include "base/check.hpp"

// Compiled for AVX2 as well and chosen when the program starts: eight boxes at once instead of four, with the
// same results (no fused multiplication). Not under the thread sanitizer, which is not ready that early.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__)
#define SACCADE_ALSO_AVX2 __attribute__((target_clones("default", "avx2")))
#else
#define SACCADE_ALSO_AVX2
#endif

namespace saccade::vision {
namespace {

// Far outside every frame: what huge numbers of a network are cut to, so that areas stay finite.
constexpr float kFarAway = 1e7F;

Corners within_reach(const Corners& box) {
  const auto near = [](float value) { return std::clamp(value, -kFarAway, kFarAway); };
  return {near(box.left), near(box.top), near(box.right), near(box.bottom)};
}

Corners clipped(const Corners& box, PixelSize frame) {
  const auto width = static_cast<float>(frame.width);
  const auto height = static_cast<float>(frame.height);
  return {std::clamp(box.left, 0.0F, width), std::clamp(box.top, 0.0F, height),
          std::clamp(box.right, 0.0F, width), std::clamp(box.bottom, 0.0F, height)};
}

std::size_t keep_best(std::vector<ScoredRow>& candidates) {
  std::size_t beyond = 0;
  if (candidates.size() > kMaxCandidates) {
    beyond = candidates.size() - kMaxCandidates;
    std::nth_element(candidates.begin(), candidates.begin() + kMaxCandidates, candidates.end(), is_better);
    candidates.resize(kMaxCandidates);
  }
  std::sort(candidates.begin(), candidates.end(), is_better);
  return beyond;
}

}  // namespace

KeptBoxes::KeptBoxes(float iou_threshold)
    : iou_threshold_(iou_threshold), columns_(std::make_unique<Columns>()) {
  clear();
}

void KeptBoxes::clear() {
  size_ = 0;
  columns_->label.fill(-1);  // matches no class: the rest of a block compares with nothing
}

SACCADE_ALSO_AVX2 bool KeptBoxes::suppresses(const Corners& box, int label) const {
  const Columns& kept = *columns_;
  const float area = (box.right - box.left) * (box.bottom - box.top);
  for (std::size_t block = 0; block < size_; block += kBlock) {
    int overlapping = 0;
    for (std::size_t i = block; i < block + kBlock; ++i) {
      const float left = kept.left[i] > box.left ? kept.left[i] : box.left;
      const float top = kept.top[i] > box.top ? kept.top[i] : box.top;
      const float right = kept.right[i] < box.right ? kept.right[i] : box.right;
      const float bottom = kept.bottom[i] < box.bottom ? kept.bottom[i] : box.bottom;
      const float width = right - left > 0.0F ? right - left : 0.0F;
      const float height = bottom - top > 0.0F ? bottom - top : 0.0F;
      const float shared = width * height;
      // IoU > threshold, without the division.
      const bool over = shared > iou_threshold_ * (kept.area[i] + area - shared);
      overlapping |= static_cast<int>(over) & static_cast<int>(kept.label[i] == label);
    }
    if (overlapping != 0) return true;
  }
  return false;
}

void KeptBoxes::add(const Corners& box, int label) {
  SACCADE_CHECK(size_ < kMaxCandidates);
  Columns& kept = *columns_;
  kept.left[size_] = box.left;
  kept.top[size_] = box.top;
  kept.right[size_] = box.right;
  kept.bottom[size_] = box.bottom;
  kept.area[size_] = (box.right - box.left) * (box.bottom - box.top);
  kept.label[size_] = label;
  ++size_;
}

CandidateSelection::CandidateSelection(const profiles::Selection& selection)
    : selection_(selection), kept_(static_cast<float>(selection.iou_threshold.value_or(1.0))) {}

SelectionCount CandidateSelection::select(const Detector& detector, std::vector<ScoredRow>& candidates,
                                          const Placement& placement, Objects& objects) {
  SelectionCount count;
  count.beyond = keep_best(candidates);
  kept_.clear();
  int found = 0;
  for (ScoredRow& candidate : candidates) {
    if (found >= selection_.max_objects) break;
    const Corners in_frame = to_frame(placement, detector.complete(candidate));
    if (!is_finite(in_frame)) {
      ++count.bad;
      continue;
    }
    const Corners box = within_reach(in_frame);
    if (!has_area(box)) continue;
    if (selection_.iou_threshold) {
      const int label = selection_.agnostic ? 0 : candidate.label;
      if (kept_.suppresses(box, label)) continue;
      kept_.add(box, label);
    }
    const Corners visible = clipped(box, placement.frame);
    if (!has_area(visible)) continue;
    objects.push_back(
        {{visible.left, visible.top, visible.right - visible.left, visible.bottom - visible.top},
         candidate.label,
         candidate.score,
         placement.number});
    ++found;
  }
  return count;
}

}  // namespace saccade::vision
