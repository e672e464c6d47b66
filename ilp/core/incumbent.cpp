#include "ilp/core/incumbent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "ilp/tolerances.hpp"

namespace saccade::ilp {

namespace {

bool selects_one_of_each(const FlatProblem& flat, const Picks& picks) {
  if (picks.size() != flat.groups()) return false;
  for (std::size_t group = 0; group < picks.size(); ++group) {
    if (picks[group] >= flat.options_of(group)) return false;
  }
  return true;
}

}  // namespace

Incumbent::Incumbent(const FlatProblem& flat, double gap, const std::optional<Picks>& start)
    : flat_(flat), gap_(gap) {
  if (start && selects_one_of_each(flat, *start)) offer(*start);
}

void Incumbent::offer(Picks picks) {
  const Sums sums = sums_of(picks);
  if (!sums.feasible) return;
  if (exists() && sums.value <= value()) return;
  picks_ = std::move(picks);
  value_ = sums.value;
}

Incumbent::Sums Incumbent::sums_of(const Picks& picks) {
  const ChoiceProblem& problem = *flat_.problem;
  if (problem.peak_capacity) {
    const Evaluation evaluation = evaluate(flat_, picks);
    return {evaluation.levels.front(), evaluation.feasible};
  }
  SACCADE_CHECK(picks.size() == flat_.groups());
  Sums sums;
  used_.assign(flat_.rows, 0.0);
  for (std::size_t group = 0; group < picks.size(); ++group) {
    SACCADE_CHECK(picks[group] < flat_.options_of(group));
    const std::size_t option = flat_.first[group] + picks[group];
    sums.value += flat_.value[option];
    for (std::size_t row = 0; row < flat_.rows; ++row) used_[row] += flat_.use[option * flat_.rows + row];
  }
  sums.feasible = true;
  for (std::size_t row = 0; row < flat_.rows; ++row) {
    sums.feasible = sums.feasible && holds(used_[row], problem.capacities[row]);
  }
  return sums;
}

double Incumbent::cutoff(double step) const { return value() + std::max(allowed_gap(), least_gain(step)); }

bool Incumbent::optimal_at_cutoff(double step) const { return allowed_gap() <= least_gain(step); }

double Incumbent::value_in(const Table& table) const {
  return exists() ? table.value_below(value()) : -std::numeric_limits<double>::infinity();
}

double Incumbent::cutoff_in(const Table& table) const {
  return exists() ? table.value_below(cutoff(table.value_step)) : -std::numeric_limits<double>::infinity();
}

double Incumbent::magnitude() const { return std::max(std::abs(value()), kTolerance); }

double Incumbent::allowed_gap() const { return gap_ > kTolerance ? 0.999 * gap_ * magnitude() : 0.0; }

// Any improvement is at least this large, up to rounding.
double Incumbent::least_gain(double step) const {
  return step > kTolerance * magnitude() ? 0.999 * step : negligible(value());
}

}  // namespace saccade::ilp
