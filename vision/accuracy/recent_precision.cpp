#include "vision/accuracy/recent_precision.hpp"

#include <algorithm>
#include <map>

#include "vision/accuracy/precision_curve.hpp"

namespace saccade::vision {

FrameMatches RecentPrecision::add(std::span<const Truth> truths, std::span<const Object> objects) {
  constexpr auto kAll = static_cast<std::size_t>(AreaRange::all);
  const std::vector<LabelMatches> matches = match_picture(truths, objects);
  Frame frame;
  for (const LabelMatches& label : matches) {
    if (label.truths[kAll] > 0) frame.truths.emplace_back(label.label, label.truths[kAll]);
    for (const Verdict& verdict : label.objects) {
      frame.found.push_back({label.label, verdict.score, verdict.right[kAll], verdict.ignored[kAll]});
    }
  }
  frame.found.shrink_to_fit();
  frames_.push_back(std::move(frame));
  while (frames_.size() > most_) frames_.pop_front();
  return count_matches(matches);
}

std::optional<MeanPrecision> RecentPrecision::value() const {
  std::map<int, std::uint64_t> truths;
  std::vector<Found> found;
  for (const Frame& frame : frames_) {
    for (const auto& [label, count] : frame.truths) truths[label] += count;
    found.insert(found.end(), frame.found.begin(), frame.found.end());
  }
  if (truths.empty()) return std::nullopt;
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.label != b.label ? a.label < b.label : a.score > b.score;
  });
  MeanPrecision sum;
  auto next = found.begin();
  PrecisionCurves curves;
  std::vector<RankedObject> ranked;
  for (const auto& [label, count] : truths) {
    ranked.clear();
    while (next != found.end() && next->label < label) ++next;  // a label without truth
    for (; next != found.end() && next->label == label; ++next) {
      ranked.push_back({0, next->right, next->ignored});
    }
    curves.trace(ranked, {});
    for (std::size_t t = 0; t < kIouThresholds; ++t) sum.map += curves.average_precision(t, count);
    sum.map50 += curves.average_precision(kIou50, count);
  }
  const auto labels = static_cast<double>(truths.size());
  return MeanPrecision{sum.map / (labels * static_cast<double>(kIouThresholds)), sum.map50 / labels};
}

}  // namespace saccade::vision
