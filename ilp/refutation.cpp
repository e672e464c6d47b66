#include "ilp/refutation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace saccade::ilp {
namespace {

constexpr std::size_t kSampledGroups = 64;
constexpr int kSampleSteps = 30;
constexpr int kWholeSteps = 8;
constexpr double kPromising = 0.75;   // of what is spare, on a sample; below, the whole is not looked at
constexpr double kLeastSpare = 1e-9;  // of a capacity; a row with less gets no price
constexpr double kRounding = 1e-11;   // relative to what is summed; far above what sums can lose

// Climbs on the least cost of all groups as a function of the shares, one per row: a concave function, whose
// slopes are what the cheapest options use. A row's price is its share over what the row has to spare.
class Climb {
 public:
  Climb(const FlatProblem& flat, const FlatScreening& screening)
      : flat_(flat), screening_(screening), shares_(flat.rows, 0.0), prices_(flat.rows), used_(flat.rows) {
    for (std::size_t row = 0; row < flat.rows; ++row) {
      if (screening.spare[row] > kLeastSpare * flat.problem->capacities[row]) shares_[row] = 1.0;
    }
  }

  // The largest cost seen, in parts of what is spare. Ends before `steps` when nothing can be above
  // `enough`, or when something is above `most`.
  double run(std::size_t stride, int steps, double enough, double most, const std::function<bool()>& stop) {
    double highest = 0.0;
    std::vector<double> best = shares_;
    for (int step = 0; step < steps && !(stop && stop()); ++step) {
      if (!set_prices()) break;
      const double cost = look(stride);
      if (cost > highest) {
        highest = cost;
        best = shares_;
      }
      // The function lies below its tangent, and that is largest where one row has the whole share.
      const double largest = *std::max_element(used_.begin(), used_.end());
      if (cost > most || largest < enough || !std::isfinite(largest)) break;
      lean(largest, 1.0 / std::sqrt(static_cast<double>(++steps_)));
    }
    shares_ = best;
    return set_prices() ? highest : 0.0;
  }

  // The same in plain sums of the problem's own numbers, rounding allowed for.
  [[nodiscard]] bool proven() const {
    double available = 0.0, needed = 0.0;
    for (std::size_t row = 0; row < flat_.rows; ++row) {
      available += prices_[row] * std::max(flat_.problem->capacities[row], 0.0) * (1.0 + kTolerance);
    }
    for (std::size_t group = 0; group < flat_.groups(); ++group) needed += cost_of(cheapest(group));
    return needed > available + kRounding * (needed + available);
  }

  [[nodiscard]] const std::vector<double>& prices() const { return prices_; }

 private:
  bool set_prices() {
    const double sum = std::accumulate(shares_.begin(), shares_.end(), 0.0);
    if (!(sum > 0.0)) return false;
    for (std::size_t row = 0; row < flat_.rows; ++row) {
      shares_[row] /= sum;
      prices_[row] = shares_[row] > 0.0 ? shares_[row] / screening_.spare[row] : 0.0;
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

  // Of the cheapest options of every stride-th group: what they use beyond the least in parts of what is
  // spare, per row, and what that costs; as if all groups were such.
  double look(std::size_t stride) {
    std::fill(used_.begin(), used_.end(), 0.0);
    std::size_t seen = 0;
    for (std::size_t group = stride / 2; group < flat_.groups(); group += stride, ++seen) {
      const double* use = flat_.use.data() + cheapest(group) * flat_.rows;
      const double* least = screening_.least.data() + group * flat_.rows;
      for (std::size_t row = 0; row < flat_.rows; ++row) used_[row] += use[row] - least[row];
    }
    double cost = 0.0;
    for (std::size_t row = 0; row < flat_.rows; ++row) {
      const double unit = shares_[row] > 0.0 ? screening_.spare[row] * static_cast<double>(seen) : 0.0;
      used_[row] = unit > 0.0 ? used_[row] * static_cast<double>(flat_.groups()) / unit : 0.0;
      cost += shares_[row] * used_[row];
    }
    return cost;
  }

  // Shares move to the rows of which more is used.
  void lean(double largest, double length) {
    for (std::size_t row = 0; row < flat_.rows; ++row) {
      shares_[row] *= std::exp(length * (used_[row] / largest - 1.0));
    }
  }

  const FlatProblem& flat_;
  const FlatScreening& screening_;
  std::vector<double> shares_, prices_, used_;
  int steps_ = 0;
};

}  // namespace

std::vector<double> find_refutation(const FlatProblem& flat, const FlatScreening& screening,
                                    const std::function<bool()>& stop) {
  if (flat.rows < 2) return {};  // screening has told
  Climb climb(flat, screening);
  const std::size_t stride = flat.groups() / kSampledGroups;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (stride > 1 && climb.run(stride, kSampleSteps, kPromising, kNever, stop) < kPromising) return {};
  if (climb.run(1, kWholeSteps, 1.0, 1.0, stop) <= 1.0 || !climb.proven()) return {};
  return climb.prices();
}

}  // namespace saccade::ilp
