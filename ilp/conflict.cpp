#include "ilp/conflict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace saccade::ilp {
namespace {

constexpr double kRounding = 1e-12;      // as in screen()
constexpr double kCostRounding = 1e-11;  // relative to what is summed; far above what sums can lose

using Rows = std::vector<char>;  // per row: it is one of them

class Conflict {
 public:
  Conflict(const FlatProblem& flat, std::vector<double> prices)
      : flat_(flat),
        rows_(flat.rows),
        priced_(rows_, 0),
        price_(std::move(prices)),
        most_(flat.groups() * rows_) {
    price_.resize(rows_, 0.0);
    bool finite = true;
    for (std::size_t row = 0; row < rows_; ++row) {
      priced_[row] = price_[row] > 0.0 ? 1 : 0;
      finite = finite && std::isfinite(price_[row]);
    }
    if (!finite) price_.assign(rows_, 0.0);
    bound_groups();
  }

  std::vector<std::size_t> find() const {
    Rows rows = priced_;
    if (!refuted(rows)) {
      rows.assign(rows_, 1);
      if (flat_.problem->peak_capacity && !refuted(rows)) return {};
    }
    std::vector<std::size_t> order(rows_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return worth(a) < worth(b); });
    for (const std::size_t row : order) {
      if (rows[row] == 0) continue;
      rows[row] = 0;
      if (!conflict(rows)) rows[row] = 1;
    }
    std::vector<std::size_t> found;
    for (std::size_t row = 0; row < rows_; ++row) {
      if (rows[row] != 0) found.push_back(row);
    }
    return found;
  }

 private:
  [[nodiscard]] double allowed(std::size_t row) const {
    return std::max(flat_.problem->capacities[row], 0.0) * (1.0 + kTolerance);
  }
  [[nodiscard]] double worth(std::size_t row) const { return price_[row] * allowed(row); }

  // Of each row, what a group may use at most when all others take their least.
  void bound_groups() {
    std::vector<double> sum(rows_, 0.0);
    for (std::size_t group = 0; group < flat_.groups(); ++group) {
      double* low = &most_[group * rows_];
      std::fill(low, low + rows_, std::numeric_limits<double>::infinity());
      for (std::size_t i = flat_.first[group]; i < flat_.first[group + 1]; ++i) {
        for (std::size_t row = 0; row < rows_; ++row) {
          low[row] = std::min(low[row], flat_.use[i * rows_ + row]);
        }
      }
      for (std::size_t row = 0; row < rows_; ++row) sum[row] += low[row];
    }
    for (std::size_t at = 0; at < most_.size(); ++at) {
      const std::size_t row = at % rows_;
      const double most = allowed(row);
      most_[at] = std::min(most, most - sum[row] + most_[at] + kRounding * (most + sum[row]));
    }
  }

  [[nodiscard]] bool passes(std::size_t group, std::size_t option, const Rows& rows) const {
    for (std::size_t row = 0; row < rows_; ++row) {
      if (rows[row] != 0 && flat_.use[option * rows_ + row] > most_[group * rows_ + row]) return true;
    }
    return false;
  }

  [[nodiscard]] bool conflict(const Rows& rows) const {
    return refuted(rows) || (!flat_.problem->peak_capacity && says_the_same(rows));
  }

  // With these rows alone a group has no option left, or the least use costs more than there is.
  [[nodiscard]] bool refuted(const Rows& rows) const {
    std::vector<std::size_t> chosen;
    double available = 0.0, needed = 0.0;
    for (std::size_t row = 0; row < rows_; ++row) {
      if (rows[row] == 0) continue;
      chosen.push_back(row);
      available += worth(row);
    }
    if (chosen.size() < 2) return false;  // no row fails alone
    const double* use = flat_.use.data();
    for (std::size_t group = 0; group < flat_.groups(); ++group) {
      const double* most = most_.data() + group * rows_;
      double least = std::numeric_limits<double>::infinity();
      bool any = false;
      for (std::size_t i = flat_.first[group]; i < flat_.first[group + 1]; ++i, use += rows_) {
        double cost = 0.0;
        bool fits = true;
        for (const std::size_t row : chosen) {
          fits = fits && use[row] <= most[row];
          cost += price_[row] * use[row];
        }
        if (!fits) continue;
        any = true;
        least = std::min(least, cost);
      }
      if (!any) return true;
      needed += least;
    }
    return needed > available + kCostRounding * (needed + available);
  }

  // All that proved the whole problem infeasible is there: the priced rows, and rows that put the same
  // options out. Needed where the proof took a capacity down to the grid of its row's uses.
  [[nodiscard]] bool says_the_same(const Rows& rows) const {
    bool any_priced = false;
    for (std::size_t row = 0; row < rows_; ++row) {
      if (priced_[row] != 0 && rows[row] == 0) return false;
      any_priced = any_priced || priced_[row] != 0;
    }
    if (!any_priced) return false;
    const Rows all(rows_, 1);
    for (std::size_t group = 0; group < flat_.groups(); ++group) {
      for (std::size_t i = flat_.first[group]; i < flat_.first[group + 1]; ++i) {
        if (!passes(group, i, rows) && passes(group, i, all)) return false;
      }
    }
    return true;
  }

  const FlatProblem& flat_;
  const std::size_t rows_;
  Rows priced_;
  std::vector<double> price_;  // per row, per unit of the problem; 0 where it is none or not finite
  std::vector<double> most_;   // per group and row
};

}  // namespace

std::vector<std::size_t> find_conflict(const FlatProblem& flat, std::vector<double> prices) {
  return Conflict(flat, std::move(prices)).find();
}

}  // namespace saccade::ilp
