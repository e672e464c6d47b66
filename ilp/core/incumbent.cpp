#include "ilp/core/incumbent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ilp/tolerances.hpp"

namespace saccade::ilp {

Incumbent::Incumbent(const ChoiceProblem& problem, double gap, const std::optional<Picks>& start)
    : problem_(problem), gap_(gap) {
  if (start && feasible(problem, *start)) offer(*start);
}

void Incumbent::offer(Picks picks) {
  Evaluation evaluation = evaluate(problem_, picks);
  if (!evaluation.feasible) return;
  if (exists() && evaluation.levels.front() <= value()) return;
  picks_ = std::move(picks);
  evaluation_ = std::move(evaluation);
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
