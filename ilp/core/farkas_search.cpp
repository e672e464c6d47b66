#include "ilp/core/farkas_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

constexpr std::size_t kSampledGroups = 64;
constexpr int kSampleSteps = 30;
constexpr int kWholeSteps = 8;
constexpr double kPromising = 0.75;   // of the slack, on a sample; below, the search is given up
constexpr double kLeastSlack = 1e-9;  // relative to the capacity; a row with less gets no price

// Maximises the minimum cost of all groups over the weights, one per row: a concave function whose
// supergradient is the use of the cheapest options. The price of a row is its weight divided by its slack.
class WeightUpdates {
 public:
  WeightUpdates(const FlatProblem& flat, const Screening& screening)
      : flat_(flat), screening_(screening), weights_(flat.rows, 0.0), prices_(flat.rows), used_(flat.rows) {
    for (std::size_t row = 0; row < flat.rows; ++row) {
      if (screening.slack[row] > kLeastSlack * flat.problem->capacities[row]) weights_[row] = 1.0;
    }
  }

  // The largest cost found, relative to the slack. Ends before `steps` once no cost can exceed `enough`, or
  // once one exceeds `most`.
  double run(std::size_t stride, int steps, double enough, double most, const std::function<bool()>& stop) {
    double highest = 0.0;
    std::vector<double> best = weights_;
    for (int step = 0; step < steps && !(stop && stop()); ++step) {
      if (!set_prices()) break;
      const double cost = cost_at_prices(stride);
      if (cost > highest) {
        highest = cost;
        best = weights_;
      }
      // The function lies below its tangent, whose maximum is where one row has the whole weight.
      const double largest = *std::max_element(used_.begin(), used_.end());
      if (cost > most || largest < enough || !std::isfinite(largest)) break;
      update(largest, 1.0 / std::sqrt(static_cast<double>(++steps_)));
    }
    weights_ = best;
    return set_prices() ? highest : 0.0;
  }

  // Checks the certificate in plain sums of the problem's own numbers, rounding allowed for.
  [[nodiscard]] bool certified() const {
    double available = 0.0, needed = 0.0;
    for (std::size_t row = 0; row < flat_.rows; ++row) {
      available += prices_[row] * std::max(flat_.problem->capacities[row], 0.0) * (1.0 + kTolerance);
    }
    for (std::size_t group = 0; group < flat_.groups(); ++group) needed += cost_of(cheapest(group));
    return needed > available + kCertificateMargin * (needed + available);
  }

  [[nodiscard]] const std::vector<double>& prices() const { return prices_; }

 private:
  bool set_prices() {
    const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    if (!(sum > 0.0)) return false;
    for (std::size_t row = 0; row < flat_.rows; ++row) {
      weights_[row] /= sum;
      prices_[row] = weights_[row] > 0.0 ? weights_[row] / screening_.slack[row] : 0.0;
    }
    return true;
  }

  [[nodiscard]] double cost_of(std::size_t option) const {
    const double* use = flat_.use.data() + option * flat_.rows;
    double cost = 0.0;
    for (std::size_t row = 0; row < flat_.rows; ++row) cost += prices_[row] * use[row];
    return cost;
  }

  [[nodiscard]] std::size_t cheapest(std::size_t group) const {
    double least = std::numeric_limits<double>::infinity();
    std::size_t best = flat_.first[group];
    for (const std::uint32_t index : screening_.open[group]) {
      const double cost = cost_of(flat_.first[group] + index);
      if (cost >= least) continue;
      least = cost;
      best = flat_.first[group] + index;
    }
    return best;
  }

  // Of the cheapest options of every stride-th group, extrapolated to all: their use above the minima
  // relative to the slack, per row, and its cost.
  double cost_at_prices(std::size_t stride) {
    std::fill(used_.begin(), used_.end(), 0.0);
    std::size_t seen = 0;
    for (std::size_t group = stride / 2; group < flat_.groups(); group += stride, ++seen) {
      const double* use = flat_.use.data() + cheapest(group) * flat_.rows;
      const double* least = screening_.least.data() + group * flat_.rows;
      for (std::size_t row = 0; row < flat_.rows; ++row) used_[row] += use[row] - least[row];
    }
    double cost = 0.0;
    for (std::size_t row = 0; row < flat_.rows; ++row) {
      const double unit = weights_[row] > 0.0 ? screening_.slack[row] * static_cast<double>(seen) : 0.0;
      used_[row] = unit > 0.0 ? used_[row] * static_cast<double>(flat_.groups()) / unit : 0.0;
      cost += weights_[row] * used_[row];
    }
    return cost;
  }

  // Weights move to the rows of which more is used.
  void update(double largest, double rate) {
    for (std::size_t row = 0; row < flat_.rows; ++row) {
      weights_[row] *= std::exp(rate * (used_[row] / largest - 1.0));
    }
  }

  const FlatProblem& flat_;
  const Screening& screening_;
  std::vector<double> weights_, prices_, used_;
  int steps_ = 0;
};

}  // namespace

std::vector<double> find_farkas_certificate(const FlatProblem& flat, const Screening& screening,
                                            const std::function<bool()>& stop) {
  if (flat.rows < 2) return {};  // screening is exact for one row
  WeightUpdates search(flat, screening);
  const std::size_t stride = flat.groups() / kSampledGroups;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (stride > 1 && search.run(stride, kSampleSteps, kPromising, kNever, stop) < kPromising) return {};
  if (search.run(1, kWholeSteps, 1.0, 1.0, stop) <= 1.0 || !search.certified()) return {};
  return search.prices();
}

}  // namespace saccade::ilp
