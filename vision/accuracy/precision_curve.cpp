#include "vision/accuracy/precision_curve.hpp"

#include <algorithm>
#include <bit>

namespace saccade::vision {
namespace {

constexpr std::size_t kRecalls = 101;

// As NumPy's linspace(0, 1, 101) rounds them, since a recall may be equal to one.
double recall_level(std::size_t index) {
  return index + 1 == kRecalls ? 1.0 : static_cast<double>(index) * 0.01;
}

}  // namespace

void PrecisionCurves::trace(std::span<const RankedObject> objects, std::span<const std::uint32_t> weights) {
  std::array<std::uint64_t, kIouThresholds> right{};
  std::array<std::uint64_t, kIouThresholds> ignored{};
  std::uint64_t all = 0;
  for (auto& points : points_) points.clear();
  for (const RankedObject& object : objects) {
    const std::uint64_t weight = weights.empty() ? 1 : weights[object.picture];
    if (weight == 0) continue;
    all += weight;
    for (unsigned bits = object.ignored; bits != 0; bits &= bits - 1) {
      ignored[static_cast<std::size_t>(std::countr_zero(bits))] += weight;
    }
    for (unsigned bits = object.right; bits != 0; bits &= bits - 1) {
      const auto t = static_cast<std::size_t>(std::countr_zero(bits));
      right[t] += weight;
      points_[t].push_back({right[t], all - ignored[t]});
    }
  }
}

double PrecisionCurves::average_precision(std::size_t threshold, std::uint64_t truths) const {
  const std::vector<Point>& points = points_[threshold];
  const auto all = static_cast<double>(truths);
  double sum = 0.0;
  double best = 0.0;             // precision from here to the right
  std::size_t level = kRecalls;  // levels from here on are done
  for (std::size_t i = points.size(); i-- > 0;) {
    const auto right = static_cast<double>(points[i].right);
    // All levels up to here get it, and keep what they have until a better one comes.
    while (level > 0 && recall_level(level - 1) > right / all) {
      sum += best;
      --level;
    }
    best = std::max(best, right / static_cast<double>(points[i].counted));
  }
  return (sum + static_cast<double>(level) * best) / static_cast<double>(kRecalls);
}

double PrecisionCurves::recall(std::size_t threshold, std::uint64_t truths) const {
  const std::vector<Point>& points = points_[threshold];
  return points.empty() ? 0.0 : static_cast<double>(points.back().right) / static_cast<double>(truths);
}

}  // namespace saccade::vision
