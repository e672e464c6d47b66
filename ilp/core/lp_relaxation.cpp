#include "ilp/core/lp_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ilp/core/line_search.hpp"
#include "ilp/core/matrix_inverse.hpp"
#include "ilp/core/pricing.hpp"
#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

constexpr double kTiny = 1e-11;  // a slope or basic value that counts as 0
constexpr double kLeastPivot = 1e-13;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kStepsPerRow = 60;
constexpr std::size_t kDegenerateSteps = 6;  // in a row, and 2 per row, before the simplex ends

// What determines a vertex of L: one element per row.
struct BasisElement {
  enum class Kind { start, zero, pair } kind = Kind::start;
  std::size_t row = 0;      // start, zero: its price is fixed at the start value (superbasic) or at 0
  std::uint32_t group = 0;  // pair: option `other` of this class is worth as much as its base
  std::uint32_t other = 0;
};

class DualSimplex {
 public:
  DualSimplex(const Table& table, std::vector<double> start, const std::function<bool()>& stop)
      : table_(table), stop_(stop), rows_(table.rows), prices_(std::move(start)), line_search_(table) {
    prices_.resize(rows_, 0.0);
    for (std::size_t k = 0; k < rows_; ++k) {
      prices_[k] = std::max(prices_[k], 0.0);
      basis_.push_back({prices_[k] > 0.0 ? BasisElement::Kind::start : BasisElement::Kind::zero, k, 0, 0});
    }
    tied_.assign(table.classes(), 0);
    inverse_.resize(rows_ * rows_);
    basic_value_.resize(rows_);
  }

  LpRelaxation run() {
    reprice();
    base_ = pricing_.best;
    const std::int64_t most = kStepsPerRow * static_cast<std::int64_t>(rows_ + 1) + 40;
    while (rows_ > 0 && result_.steps < most) {
      if (stop_ && stop_()) {
        result_.stopped = true;
        break;
      }
      if (!invert()) break;
      if (exchange_base()) continue;
      std::size_t leaving = 0;
      double sign = 0.0;
      if (!choose_leaving(leaving, sign)) break;
      ++result_.steps;
      if (!pivot(leaving, sign)) break;
    }
    return finish();
  }

 private:
  [[nodiscard]] double count(std::size_t c) const { return table_.count[c]; }

  // Prices all options, and keeps the best prices seen.
  void reprice() {
    price(table_, prices_, pricing_);
    if (pricing_.bound >= best_bound_) return;
    best_bound_ = pricing_.bound;
    result_.prices = prices_;
  }

  // The basis matrix has the normals of the basis elements as columns; the basic values solve it for the
  // slack.
  bool invert() {
    const std::size_t n = rows_;
    std::vector<double>& m = matrix_;
    m.assign(n * 2 * n, 0.0);
    for (std::size_t p = 0; p < n; ++p) {
      const BasisElement& element = basis_[p];
      for (std::size_t k = 0; k < n; ++k) {
        m[k * 2 * n + p] = element.kind == BasisElement::Kind::pair
                               ? table_.use_of(element.other)[k] - table_.use_of(base_[element.group])[k]
                               : (k == element.row ? 1.0 : 0.0);
      }
      m[p * 2 * n + n + p] = 1.0;
    }
    if (!ilp::invert(m, n, kLeastPivot)) return false;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t k = 0; k < n; ++k) inverse_[p * n + k] = m[p * 2 * n + n + k];
    }
    slack_.assign(table_.capacity.begin(), table_.capacity.end());
    for (std::size_t c = 0; c < table_.classes(); ++c) {
      const double* use = table_.use_of(base_[c]);
      for (std::size_t k = 0; k < n; ++k) slack_[k] -= count(c) * use[k];
    }
    for (std::size_t p = 0; p < n; ++p) {
      basic_value_[p] = 0.0;
      for (std::size_t k = 0; k < n; ++k) basic_value_[p] += inverse_[p * n + k] * slack_[k];
    }
    return true;
  }

  // If the pairs of a class take more than its count, another of its basic options becomes its base (the key
  // column of generalised upper bounding).
  bool exchange_base() {
    for (std::size_t p = 0; p < rows_; ++p) {
      if (basis_[p].kind != BasisElement::Kind::pair) continue;
      const std::uint32_t group = basis_[p].group;
      double sum = 0.0;
      std::size_t largest = p;
      for (std::size_t q = 0; q < rows_; ++q) {
        if (basis_[q].kind != BasisElement::Kind::pair || basis_[q].group != group) continue;
        sum += basic_value_[q];
        if (basic_value_[q] > basic_value_[largest]) largest = q;
      }
      if (sum <= count(group) * (1.0 + kTiny)) continue;
      std::swap(base_[group], basis_[largest].other);
      if (++exchanges_ > 3 * rows_) return false;
      return true;
    }
    exchanges_ = 0;
    return false;
  }

  // Steepest edge (Goldfarb & Reid 1977): the largest violation relative to the length of its direction.
  bool choose_leaving(std::size_t& leaving, double& sign) const {
    double most = 0.0;
    for (std::size_t p = 0; p < rows_; ++p) {
      const BasisElement::Kind kind = basis_[p].kind;
      double norm = 0.0;
      for (std::size_t k = 0; k < rows_; ++k) norm += inverse_[p * rows_ + k] * inverse_[p * rows_ + k];
      const double violation =
          kind == BasisElement::Kind::start ? std::abs(basic_value_[p]) : -basic_value_[p];
      if (violation <= kTiny) continue;
      const double steepness = violation / std::sqrt(norm);
      if (steepness <= most) continue;
      most = steepness;
      leaving = p;
      sign = basic_value_[p] < 0.0 ? 1.0 : -1.0;
    }
    return most > 0.0;
  }

  // One step along the edge on which all basis elements but the leaving one stay.
  bool pivot(std::size_t leaving, double sign) {
    std::size_t limiting_row = rows_;
    double first_slope = 0.0;
    double limit = set_direction(leaving, sign, limiting_row, first_slope);
    costs_of(table_, direction_, slope_);
    std::uint32_t blocking_class = kNone, blocking = kNone;
    limit = limit_by_tied_classes(limit, blocking_class, blocking);
    BasisElement entering;
    double length = 0.0;
    if (const auto breakpoint =
            line_search_.search({pricing_.worth, slope_, tied_, first_slope, limit}, base_)) {
      length = breakpoint->length;
      entering = {BasisElement::Kind::pair, 0, breakpoint->group_class, breakpoint->option};
    } else if (limit == kInfinite) {  // a ray: L is unbounded below
      result_.farkas = direction_;
      result_.infeasible = is_farkas_certificate(table_, result_.farkas);
      return false;
    } else {
      length = limit;
      entering = blocking != kNone ? BasisElement{BasisElement::Kind::pair, 0, blocking_class, blocking}
                                   : BasisElement{BasisElement::Kind::zero, limiting_row, 0, 0};
    }
    for (std::size_t k = 0; k < rows_; ++k) {
      prices_[k] = std::max(prices_[k] + length * direction_[k], 0.0);
    }
    if (entering.kind == BasisElement::Kind::zero) prices_[entering.row] = 0.0;
    for (const BasisElement& element : basis_) tied_[element.group] = 0;
    basis_[leaving] = entering;
    const double before = best_bound_;
    reprice();
    degenerate_ = best_bound_ < before - kRounding * std::abs(before) ? 0 : degenerate_ + 1;
    return degenerate_ <= kDegenerateSteps + 2 * rows_;  // beyond, only degenerate vertices are left
  }

  // Gives the length up to which no price becomes negative.
  double set_direction(std::size_t leaving, double sign, std::size_t& limiting_row, double& first_slope) {
    direction_.resize(rows_);
    double limit = kInfinite;
    for (std::size_t k = 0; k < rows_; ++k) {
      direction_[k] = sign * inverse_[leaving * rows_ + k];
      bool fixed = false;
      for (std::size_t p = 0; p < rows_; ++p) {
        fixed = fixed || (p != leaving && basis_[p].kind != BasisElement::Kind::pair && basis_[p].row == k);
      }
      if (fixed || std::abs(direction_[k]) < kTiny * 1e-3) direction_[k] = 0.0;
      if (direction_[k] < 0.0 && prices_[k] / -direction_[k] < limit) {
        limit = prices_[k] / -direction_[k];
        limiting_row = k;
      }
      first_slope += direction_[k] * table_.capacity[k];
    }
    return limit;
  }

  // The basic options of a class move together; the step ends where another of its options becomes better.
  double limit_by_tied_classes(double limit, std::uint32_t& blocking_class, std::uint32_t& blocking) {
    for (const BasisElement& element : basis_) {
      if (element.kind == BasisElement::Kind::pair) tied_[element.group] = 1;
    }
    for (std::size_t p = 0; p < rows_; ++p) {
      if (basis_[p].kind != BasisElement::Kind::pair) continue;
      const std::uint32_t c = basis_[p].group;
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
    return std::any_of(basis_.begin(), basis_.end(), [&](const BasisElement& element) {
      return element.kind == BasisElement::Kind::pair && element.group == c && element.other == option;
    });
  }

  LpRelaxation finish() {
    // Counts belong to the last vertex; the prices are the best ones seen.
    result_.counts.resize(table_.classes());
    const bool has_basis = rows_ > 0 && invert();
    for (std::size_t c = 0; c < table_.classes(); ++c) {
      auto left = static_cast<std::uint32_t>(table_.count[c]);
      for (std::size_t p = 0; has_basis && p < rows_; ++p) {
        if (basis_[p].kind != BasisElement::Kind::pair || basis_[p].group != c) continue;
        result_.basic_pairs.push_back(
            {static_cast<std::uint32_t>(c), base_[c], basis_[p].other, basic_value_[p]});
        const double other_count = std::clamp(basic_value_[p], 0.0, static_cast<double>(left));
        const auto whole = static_cast<std::uint32_t>(other_count + kIntegral);
        if (whole > 0) result_.counts[c].push_back({basis_[p].other, whole});
        left -= whole;
      }
      if (left > 0) result_.counts[c].push_back({base_[c], left});
    }
    result_.prices.resize(rows_, 0.0);
    if (result_.prices != prices_) price(table_, result_.prices, pricing_);
    result_.reduced_cost = reduced_costs_of(table_, pricing_);
    result_.bound = best_bound_;
    return std::move(result_);
  }

  const Table& table_;
  const std::function<bool()>& stop_;
  const std::size_t rows_;
  std::vector<double> prices_;
  std::vector<BasisElement> basis_;
  Pricing pricing_;                  // at prices_
  std::vector<double> slope_;        // per option: how its cost changes along the edge
  std::vector<std::uint32_t> base_;  // per class
  std::vector<char> tied_;           // per class
  std::vector<double> matrix_, inverse_, slack_, basic_value_, direction_;
  LineSearch line_search_;
  double best_bound_ = kInfinite;
  std::size_t degenerate_ = 0, exchanges_ = 0;  // steps in a row
  LpRelaxation result_;
};

}  // namespace

bool is_farkas_certificate(const Table& table, std::vector<double> prices) {
  double available = 0.0, needed = 0.0;
  for (std::size_t k = 0; k < table.rows; ++k) {
    prices[k] = std::max(prices[k], 0.0);
    available += prices[k] * table.capacity[k];
  }
  const double* use = table.use.data();
  for (std::size_t c = 0; c < table.classes(); ++c) {
    double least = kInfinite;
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      double cost = 0.0;
      for (std::size_t k = 0; k < table.rows; ++k) cost += prices[k] * *use++;
      least = std::min(least, cost);
    }
    needed += table.count[c] * least;
  }
  const double rounding = rounding_of(static_cast<double>(table.classes() + table.rows));
  return needed > available + rounding * (needed + available);
}

LpRelaxation relax(const Table& table, std::vector<double> start, const std::function<bool()>& stop) {
  return DualSimplex(table, std::move(start), stop).run();
}

}  // namespace saccade::ilp
