#include "ilp/edge_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saccade::ilp {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kLineSteps = 200;

// No option beats the tangents at t: t is where they meet, up to rounding.
bool is_kink(double t, double slope_middle, double at_middle, double slope_left, double at_left) {
  const double tangent = at_left + t * slope_left;
  const double value = at_middle + t * slope_middle;
  return value <= tangent + 1e-12 * (1.0 + std::abs(tangent));
}

}  // namespace

std::optional<EdgeSearch::Kink> EdgeSearch::search(const Edge& edge, std::vector<std::uint32_t>& base) {
  left_.assign(base.begin(), base.end());
  right_.assign(base.begin(), base.end());
  moving_.clear();
  // The far end: the best options at `limit`.
  double slope_left = edge.first_slope, slope_right = edge.first_slope;
  double at_left = 0.0, at_right = 0.0;  // of the classes that move, without the rows' own part
  for (std::size_t c = 0; c < table_.classes(); ++c) {
    const double n = count(c);
    slope_left -= n * edge.slope[base[c]];
    if (edge.tied[c] != 0) {
      slope_right -= n * edge.slope[base[c]];
      continue;
    }
    right_[c] = best_at(edge, base[c], c);
    slope_right -= n * edge.slope[right_[c]];
    if (right_[c] == left_[c]) continue;
    moving_.push_back(static_cast<std::uint32_t>(c));
    at_left += n * edge.worth[left_[c]];
    at_right += n * edge.worth[right_[c]];
  }
  if (slope_right < 0.0) {
    for (const std::uint32_t c : moving_) base[c] = right_[c];
    return std::nullopt;
  }
  double length = 0.0;
  low_ = 0.0;
  high_ = edge.limit;
  for (int step = 0; step < kLineSteps && !moving_.empty(); ++step) {
    const double difference = slope_right - slope_left;
    if (difference <= 0.0) break;
    // Where the tangents at both ends meet.
    double t = (at_left - at_right) / difference;
    const bool halve = step % 8 == 7 && high_ < kInfinite;
    if (halve) t = 0.5 * (low_ + high_);
    t = std::clamp(t, low_, high_);
    bool new_line = false;
    double slope_middle = slope_left, at_middle = at_left;
    middle_.clear();
    for (const std::uint32_t c : moving_) {
      std::uint32_t best =
          edge.worth[left_[c]] - t * edge.slope[left_[c]] >= edge.worth[right_[c]] - t * edge.slope[right_[c]]
              ? left_[c]
              : right_[c];
      const double at_best = edge.worth[best] - t * edge.slope[best];
      double most = at_best + 1e-14;
      for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
        if (edge.worth[i] - t * edge.slope[i] > most) {
          most = edge.worth[i] - t * edge.slope[i];
          best = i;
          new_line = true;
        }
      }
      middle_.push_back(best);
      slope_middle += count(c) * (edge.slope[left_[c]] - edge.slope[best]);
      at_middle += count(c) * (edge.worth[best] - edge.worth[left_[c]]);
    }
    length = t;
    if (!halve && !new_line && is_kink(t, slope_middle, at_middle, slope_left, at_left)) break;
    const bool left_moves = slope_middle < 0.0;
    std::size_t kept = 0;
    for (std::size_t m = 0; m < moving_.size(); ++m) {
      const std::uint32_t c = moving_[m];
      (left_moves ? left_ : right_)[c] = middle_[m];
      if (left_[c] != right_[c]) moving_[kept++] = c;
    }
    moving_.resize(kept);
    (left_moves ? slope_left : slope_right) = slope_middle;
    (left_moves ? low_ : high_) = t;
    at_left = at_right = 0.0;
    for (const std::uint32_t c : moving_) {
      at_left += count(c) * edge.worth[left_[c]];
      at_right += count(c) * edge.worth[right_[c]];
    }
  }
  return enter(edge, slope_left, length, base);
}

// The classes that change at the kink, up to the one with which the slope passes 0. Rounding may leave
// it just below: then the last one stands for it.
std::optional<EdgeSearch::Kink> EdgeSearch::enter(const Edge& edge, double slope, double length,
                                                  std::vector<std::uint32_t>& base) const {
  if (moving_.empty()) return std::nullopt;
  for (std::size_t c = 0; c < table_.classes(); ++c) {
    if (edge.tied[c] == 0) base[c] = left_[c];
  }
  for (const std::uint32_t c : moving_) {
    slope += count(c) * (edge.slope[left_[c]] - edge.slope[right_[c]]);
    if (slope >= 0.0 || c == moving_.back()) return Kink{length, c, right_[c]};
    base[c] = right_[c];
  }
  return std::nullopt;  // there is a last one
}

// The best of a class at the end of the edge.
std::uint32_t EdgeSearch::best_at(const Edge& edge, std::uint32_t base, std::size_t c) const {
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
