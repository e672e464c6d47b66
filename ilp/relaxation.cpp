#include "ilp/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ilp/edge_search.hpp"
#include "ilp/inverse.hpp"
#include "ilp/pricing.hpp"

namespace saccade::ilp {
namespace {

constexpr double kTiny = 1e-11;  // a slope or weight that counts as 0
constexpr double kLeastPivot = 1e-13;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kStepsPerRow = 60;

// What keeps the walk at a corner of L: one of these per row.
struct Pillar {
  enum class Kind { start, zero, tie } kind = Kind::start;
  std::size_t row = 0;      // start, zero: the price of this row is fixed
  std::uint32_t group = 0;  // tie: option `other` of this class is worth as much as its base
  std::uint32_t other = 0;
};

class Walk {
 public:
  Walk(const Table& table, std::vector<double> start, const std::function<bool()>& stop)
      : table_(table), stop_(stop), rows_(table.rows), prices_(std::move(start)), edge_search_(table) {
    prices_.resize(rows_, 0.0);
    for (std::size_t k = 0; k < rows_; ++k) {
      prices_[k] = std::max(prices_[k], 0.0);
      pillars_.push_back({prices_[k] > 0.0 ? Pillar::Kind::start : Pillar::Kind::zero, k, 0, 0});
    }
    tied_.assign(table.classes(), 0);
    inverse_.resize(rows_ * rows_);
    weight_.resize(rows_);
  }

  Relaxation run() {
    look();
    base_ = pricing_.best;
    const std::int64_t most = kStepsPerRow * static_cast<std::int64_t>(rows_ + 1) + 40;
    while (rows_ > 0 && result_.steps < most) {
      if (stop_ && stop_()) {
        result_.stopped = true;
        break;
      }
      if (!invert()) break;
      if (rebase()) continue;
      std::size_t leaving = 0;
      double sign = 0.0;
      if (!choose_leaving(leaving, sign)) break;
      ++result_.steps;
      if (!move(leaving, sign)) break;
    }
    return finish();
  }

 private:
  [[nodiscard]] double count(std::size_t c) const { return table_.count[c]; }

  // Prices everything, and keeps the prices when there were none better.
  void look() {
    price(table_, prices_, pricing_);
    if (pricing_.bound >= best_bound_) return;
    best_bound_ = pricing_.bound;
    result_.prices = prices_;
  }

  // Columns are the pillars' normals; weights say how much of each makes up what is spare.
  bool invert() {
    const std::size_t n = rows_;
    std::vector<double>& m = matrix_;
    m.assign(n * 2 * n, 0.0);
    for (std::size_t p = 0; p < n; ++p) {
      const Pillar& pillar = pillars_[p];
      for (std::size_t k = 0; k < n; ++k) {
        m[k * 2 * n + p] = pillar.kind == Pillar::Kind::tie
                               ? table_.use_of(pillar.other)[k] - table_.use_of(base_[pillar.group])[k]
                               : (k == pillar.row ? 1.0 : 0.0);
      }
      m[p * 2 * n + n + p] = 1.0;
    }
    if (!ilp::invert(m, n, kLeastPivot)) return false;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t k = 0; k < n; ++k) inverse_[p * n + k] = m[p * 2 * n + n + k];
    }
    spare_.assign(table_.capacity.begin(), table_.capacity.end());
    for (std::size_t c = 0; c < table_.classes(); ++c) {
      const double* use = table_.use_of(base_[c]);
      for (std::size_t k = 0; k < n; ++k) spare_[k] -= count(c) * use[k];
    }
    for (std::size_t p = 0; p < n; ++p) {
      weight_[p] = 0.0;
      for (std::size_t k = 0; k < n; ++k) weight_[p] += inverse_[p * n + k] * spare_[k];
    }
    return true;
  }

  // A class whose ties want more than all of it: another of its tied options becomes the base.
  bool rebase() {
    for (std::size_t p = 0; p < rows_; ++p) {
      if (pillars_[p].kind != Pillar::Kind::tie) continue;
      const std::uint32_t group = pillars_[p].group;
      double sum = 0.0;
      std::size_t largest = p;
      for (std::size_t q = 0; q < rows_; ++q) {
        if (pillars_[q].kind != Pillar::Kind::tie || pillars_[q].group != group) continue;
        sum += weight_[q];
        if (weight_[q] > weight_[largest]) largest = q;
      }
      if (sum <= count(group) * (1.0 + kTiny)) continue;
      std::swap(base_[group], pillars_[largest].other);
      if (++rebased_ > 3 * rows_) return false;
      return true;
    }
    rebased_ = 0;
    return false;
  }

  bool choose_leaving(std::size_t& leaving, double& sign) const {
    double most = 0.0;
    for (std::size_t p = 0; p < rows_; ++p) {
      const Pillar::Kind kind = pillars_[p].kind;
      double norm = 0.0;
      for (std::size_t k = 0; k < rows_; ++k) norm += inverse_[p * rows_ + k] * inverse_[p * rows_ + k];
      const double violation = kind == Pillar::Kind::start ? std::abs(weight_[p]) : -weight_[p];
      if (violation <= kTiny) continue;
      const double steepness = violation / std::sqrt(norm);
      if (steepness <= most) continue;
      most = steepness;
      leaving = p;
      sign = weight_[p] < 0.0 ? 1.0 : -1.0;
    }
    return most > 0.0;
  }

  // One step along the edge on which all pillars but one stay.
  bool move(std::size_t leaving, double sign) {
    direction_.resize(rows_);
    double limit = kInfinite, first_slope = 0.0;
    std::size_t limiting_row = rows_;
    for (std::size_t k = 0; k < rows_; ++k) {
      direction_[k] = sign * inverse_[leaving * rows_ + k];
      bool fixed = false;
      for (std::size_t p = 0; p < rows_; ++p) {
        fixed = fixed || (p != leaving && pillars_[p].kind != Pillar::Kind::tie && pillars_[p].row == k);
      }
      if (fixed || std::abs(direction_[k]) < kTiny * 1e-3) direction_[k] = 0.0;
      if (direction_[k] < 0.0 && prices_[k] / -direction_[k] < limit) {
        limit = prices_[k] / -direction_[k];
        limiting_row = k;
      }
      first_slope += direction_[k] * table_.capacity[k];
    }
    costs_of(table_, direction_, slope_);
    std::uint32_t blocking_class = kNone, blocking = kNone;
    limit = up_to_tied_classes(limit, blocking_class, blocking);
    Pillar entering;
    double length = 0.0;
    if (const auto kink = edge_search_.search({pricing_.worth, slope_, tied_, first_slope, limit}, base_)) {
      length = kink->length;
      entering = {Pillar::Kind::tie, 0, kink->group_class, kink->option};
    } else {
      if (limit == kInfinite) {
        result_.ray = direction_;
        result_.infeasible = refutes(table_, result_.ray);
        return false;
      }
      length = limit;
      if (blocking != kNone) {
        entering = {Pillar::Kind::tie, 0, blocking_class, blocking};
      } else {
        entering = {Pillar::Kind::zero, limiting_row, 0, 0};
      }
    }
    for (std::size_t k = 0; k < rows_; ++k) {
      prices_[k] = std::max(prices_[k] + length * direction_[k], 0.0);
    }
    if (entering.kind == Pillar::Kind::zero) prices_[entering.row] = 0.0;
    for (const Pillar& pillar : pillars_) tied_[pillar.group] = 0;
    pillars_[leaving] = entering;
    const double before = best_bound_;
    look();
    if (best_bound_ < before - 1e-12 * std::abs(before)) {
      idle_ = 0;
    } else if (++idle_ > 6 + 2 * rows_) {
      return false;  // nothing to be gained any more but corners on top of each other
    }
    return true;
  }

  // Classes of which options are tied move together; the step may not pass where another of their
  // options becomes better.
  double up_to_tied_classes(double limit, std::uint32_t& blocking_class, std::uint32_t& blocking) {
    for (const Pillar& pillar : pillars_) {
      if (pillar.kind == Pillar::Kind::tie) tied_[pillar.group] = 1;
    }
    for (std::size_t p = 0; p < rows_; ++p) {
      if (pillars_[p].kind != Pillar::Kind::tie) continue;
      const std::uint32_t c = pillars_[p].group;
      const std::uint32_t base = base_[c];
      for (std::uint32_t i = table_.first[c]; i < table_.first[c + 1]; ++i) {
        const double gain = slope_[base] - slope_[i];
        if (gain <= kTiny || is_tied(c, i)) continue;
        const double length = std::max(pricing_.worth[base] - pricing_.worth[i], 0.0) / gain;
        if (length < limit) {
          limit = length;
          blocking_class = c;
          blocking = i;
        }
      }
    }
    return limit;
  }

  [[nodiscard]] bool is_tied(std::uint32_t c, std::uint32_t option) const {
    return std::any_of(pillars_.begin(), pillars_.end(), [&](const Pillar& pillar) {
      return pillar.kind == Pillar::Kind::tie && pillar.group == c && pillar.other == option;
    });
  }

  Relaxation finish() {
    // Counts belong to the last corner; the prices are the best ones seen.
    result_.counts.resize(table_.classes());
    const bool has_weights = rows_ > 0 && invert();
    for (std::size_t c = 0; c < table_.classes(); ++c) {
      auto left = static_cast<std::uint32_t>(table_.count[c]);
      for (std::size_t p = 0; has_weights && p < rows_; ++p) {
        if (pillars_[p].kind != Pillar::Kind::tie || pillars_[p].group != c) continue;
        result_.ties.push_back({static_cast<std::uint32_t>(c), base_[c], pillars_[p].other, weight_[p]});
        const double wanted = std::clamp(weight_[p], 0.0, static_cast<double>(left));
        const auto whole = static_cast<std::uint32_t>(wanted + 1e-6);
        if (whole > 0) result_.counts[c].push_back({pillars_[p].other, whole});
        left -= whole;
      }
      if (left > 0) result_.counts[c].push_back({base_[c], left});
    }
    result_.prices.resize(rows_, 0.0);
    if (result_.prices != prices_) price(table_, result_.prices, pricing_);
    result_.loss = losses_of(table_, pricing_);
    result_.bound = best_bound_;
    return std::move(result_);
  }

  const Table& table_;
  const std::function<bool()>& stop_;
  const std::size_t rows_;
  std::vector<double> prices_;
  std::vector<Pillar> pillars_;
  Pricing pricing_;                  // at prices_
  std::vector<double> slope_;        // per option: how its price changes along the edge
  std::vector<std::uint32_t> base_;  // per class
  std::vector<char> tied_;           // per class
  std::vector<double> matrix_, inverse_, spare_, weight_, direction_;
  EdgeSearch edge_search_;
  double best_bound_ = kInfinite;
  std::size_t idle_ = 0, rebased_ = 0;
  Relaxation result_;
};

}  // namespace

bool refutes(const Table& table, std::vector<double> ray) {
  double available = 0.0, needed = 0.0;
  for (std::size_t k = 0; k < table.rows; ++k) {
    ray[k] = std::max(ray[k], 0.0);
    available += ray[k] * table.capacity[k];
  }
  const double* use = table.use.data();
  for (std::size_t c = 0; c < table.classes(); ++c) {
    double least = kInfinite;
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      double cost = 0.0;
      for (std::size_t k = 0; k < table.rows; ++k) cost += ray[k] * *use++;
      least = std::min(least, cost);
    }
    needed += table.count[c] * least;
  }
  const double rounding = rounding_of(static_cast<double>(table.classes() + table.rows));
  return needed > available + rounding * (needed + available);
}

Relaxation relax(const Table& table, std::vector<double> start, const std::function<bool()>& stop) {
  return Walk(table, std::move(start), stop).run();
}

}  // namespace saccade::ilp
