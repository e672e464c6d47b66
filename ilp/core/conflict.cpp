#include "ilp/core/conflict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

using Rows = std::vector<char>;  // per row: whether the set has it

class Conflict {
 public:
  Conflict(const FlatProblem& flat, const Screening& screening, std::vector<double> prices)
      : flat_(flat), most_(screening.most), rows_(flat.rows), priced_(rows_, 0), price_(std::move(prices)) {
    price_.resize(rows_, 0.0);
    bool finite = true;
    for (std::size_t row = 0; row < rows_; ++row) {
      priced_[row] = price_[row] > 0.0 ? 1 : 0;
      finite = finite && std::isfinite(price_[row]);
    }
    if (!finite) price_.assign(rows_, 0.0);
  }

  std::vector<std::size_t> find() const {
    Rows rows = priced_;
    if (!infeasible(rows)) {
      rows.assign(rows_, 1);
      if (flat_.problem->peak_capacity && !infeasible(rows)) return {};
    }
    std::vector<std::size_t> order(rows_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return priced_capacity(a) < priced_capacity(b);
    });
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
  [[nodiscard]] double priced_capacity(std::size_t row) const {
    return price_[row] * usable_capacity(*flat_.problem, row);
  }

  [[nodiscard]] bool exceeds(std::size_t group, std::size_t option, const Rows& rows) const {
    for (std::size_t row = 0; row < rows_; ++row) {
      if (rows[row] != 0 && flat_.use[option * rows_ + row] > most_[group * rows_ + row]) return true;
    }
    return false;
  }

  [[nodiscard]] bool conflict(const Rows& rows) const {
    return infeasible(rows) || (!flat_.problem->peak_capacity && keeps_the_proof(rows));
  }

  // With these rows alone a group has no option left, or the prices are a Farkas certificate.
  [[nodiscard]] bool infeasible(const Rows& rows) const {
    std::vector<std::size_t> chosen;
    double available = 0.0, needed = 0.0;
    for (std::size_t row = 0; row < rows_; ++row) {
      if (rows[row] == 0) continue;
      chosen.push_back(row);
      available += priced_capacity(row);
    }
    if (chosen.size() < 2) return false;  // no row is infeasible alone
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
    return needed > available + kCertificateMargin * (needed + available);
  }

  // The set has all that proved the whole problem infeasible: the priced rows, and rows that exclude the same
  // options. Needed if the proof rounded a capacity down to the grid of the row's uses.
  [[nodiscard]] bool keeps_the_proof(const Rows& rows) const {
    bool any_priced = false;
    for (std::size_t row = 0; row < rows_; ++row) {
      if (priced_[row] != 0 && rows[row] == 0) return false;
      any_priced = any_priced || priced_[row] != 0;
    }
    if (!any_priced) return false;
    const Rows all(rows_, 1);
    for (std::size_t group = 0; group < flat_.groups(); ++group) {
      for (std::size_t i = flat_.first[group]; i < flat_.first[group + 1]; ++i) {
        if (!exceeds(group, i, rows) && exceeds(group, i, all)) return false;
      }
    }
    return true;
  }

  const FlatProblem& flat_;
  const std::vector<double>& most_;  // as in Screening
  const std::size_t rows_;
  Rows priced_;
  std::vector<double> price_;  // per row, per unit of the problem; 0 if absent or not finite
};

}  // namespace

std::vector<std::size_t> find_conflict(const FlatProblem& flat, const Screening& screening,
                                       std::vector<double> prices) {
  return Conflict(flat, screening, std::move(prices)).find();
}

}  // namespace saccade::ilp
