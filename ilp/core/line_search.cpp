#include "ilp/core/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

constexpr double kLeastGain = 1e-14;  // of an option over the best at the ends
constexpr int kLineSteps = 200;
constexpr int kBisectEvery = 8;  // bounds the number of steps where tangents converge slowly

}  // namespace

std::optional<LineSearch::Breakpoint> LineSearch::search(const Edge& edge, std::vector<std::uint32_t>& base) {
  find_ends(edge, base);
  if (right_.slope < 0.0) {
    for (const std::uint32_t c : moving_) base[c] = right_best_[c];
    return std::nullopt;
  }
  double length = 0.0;
  low_ = 0.0;
  high_ = edge.limit;
  for (int step = 0; step < kLineSteps && !moving_.empty(); ++step) {
    const double difference = right_.slope - left_.slope;
    if (difference <= 0.0) break;
    double t = (left_.at - right_.at) / difference;  // where the tangents meet
    const bool bisect = step % kBisectEvery == kBisectEvery - 1 && high_ < kInfinite;
    if (bisect) t = 0.5 * (low_ + high_);
    t = std::clamp(t, low_, high_);
    const Middle middle = look_at(edge, t);
    length = t;
    // If no option beats the tangents at t, they meet in L: t is the breakpoint.
    const double tangent = left_.at + t * left_.slope;
    const bool on_tangent =
        middle.tangent.at + t * middle.tangent.slope <= tangent + kRounding * (1.0 + std::abs(tangent));
    if (!bisect && !middle.new_option && on_tangent) break;
    narrow(edge, t, middle.tangent.slope);
  }
  return enter(edge, length, base);
}

// Tangents and best options at both ends of the edge.
void LineSearch::find_ends(const Edge& edge, const std::vector<std::uint32_t>& base) {
  left_best_.assign(base.begin(), base.end());
  right_best_.assign(base.begin(), base.end());
  moving_.clear();
  left_ = right_ = {edge.first_slope, 0.0};
  for (std::size_t c = 0; c < table_.classes(); ++c) {
    const double n = count(c);
    left_.slope -= n * edge.slope[base[c]];
    if (edge.tied[c] != 0) {
      right_.slope -= n * edge.slope[base[c]];
      continue;
    }
    right_best_[c] = best_at_end(edge, base[c], c);
    right_.slope -= n * edge.slope[right_best_[c]];
    if (right_best_[c] == left_best_[c]) continue;
    moving_.push_back(static_cast<std::uint32_t>(c));
    left_.at += n * edge.worth[left_best_[c]];
    right_.at += n * edge.worth[right_best_[c]];
  }
}

// The best option of every moving class at t, and the tangent of L there.
LineSearch::Middle LineSearch::look_at(const Edge& edge, double t) {
  Middle middle{left_, false};
  middle_best_.clear();
  for (const std::uint32_t c : moving_) {
    const std::uint32_t left = left_best_[c], right = right_best_[c];
    std::uint32_t best =
        edge.worth[left] - t * edge.slope[left] >= edge.worth[right] - t * edge.slope[right] ? left : right;
    double most = edge.worth[best] - t * edge.slope[best] + kLeastGain;
    for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
      if (edge.worth[i] - t * edge.slope[i] > most) {
        most = edge.worth[i] - t * edge.slope[i];
        best = i;
        middle.new_option = true;
      }
    }
    middle_best_.push_back(best);
    middle.tangent.slope += count(c) * (edge.slope[left] - edge.slope[best]);
    middle.tangent.at += count(c) * (edge.worth[best] - edge.worth[left]);
  }
  return middle;
}

// One end of the bracket moves to t, where the tangent has this slope.
void LineSearch::narrow(const Edge& edge, double t, double slope) {
  const bool left_moves = slope < 0.0;
  std::size_t kept = 0;
  for (std::size_t m = 0; m < moving_.size(); ++m) {
    const std::uint32_t c = moving_[m];
    (left_moves ? left_best_ : right_best_)[c] = middle_best_[m];
    if (left_best_[c] != right_best_[c]) moving_[kept++] = c;
  }
  moving_.resize(kept);
  (left_moves ? left_ : right_).slope = slope;
  (left_moves ? low_ : high_) = t;
  left_.at = right_.at = 0.0;
  for (const std::uint32_t c : moving_) {
    left_.at += count(c) * edge.worth[left_best_[c]];
    right_.at += count(c) * edge.worth[right_best_[c]];
  }
}

// The classes that change at the breakpoint, up to the one with which the slope becomes >= 0. If rounding
// leaves it just below, the last class is taken.
std::optional<LineSearch::Breakpoint> LineSearch::enter(const Edge& edge, double length,
                                                        std::vector<std::uint32_t>& base) const {
  if (moving_.empty()) return std::nullopt;
  for (std::size_t c = 0; c < table_.classes(); ++c) {
    if (edge.tied[c] == 0) base[c] = left_best_[c];
  }
  double slope = left_.slope;
  for (const std::uint32_t c : moving_) {
    slope += count(c) * (edge.slope[left_best_[c]] - edge.slope[right_best_[c]]);
    if (slope >= 0.0 || c == moving_.back()) return Breakpoint{length, c, right_best_[c]};
    base[c] = right_best_[c];
  }
  return std::nullopt;  // unreachable: the last class returned
}

// The best option of a class at the end of the edge.
std::uint32_t LineSearch::best_at_end(const Edge& edge, std::uint32_t base, std::size_t c) const {
  std::uint32_t best = base;
  const double t = edge.limit;
  if (t == kInfinite) {
    for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
      const double gain = edge.slope[best] - edge.slope[i];
      if (gain > 0.0 || (gain == 0.0 && edge.worth[i] > edge.worth[best])) best = i;
    }
    return best;
  }
  double most = edge.worth[best] - t * edge.slope[best];
  for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
    const double at = edge.worth[i] - t * edge.slope[i];
    if (at > most) {
      most = at;
      best = i;
    }
  }
  return best;
}

}  // namespace saccade::ilp
