#include "ilp/screening.hpp"

#include <algorithm>
#include <utility>

namespace saccade::ilp {
namespace {

// Sums in another order than evaluate() may differ by rounding; this much is far above it and far
// below kTolerance.
constexpr double kRounding = 1e-12;

double peak_alone(const Option& option) {
  double sum = 0.0;
  for (const double amount : option.peak) sum += amount;
  return sum;
}

bool fits_alone(const ChoiceProblem& problem, const Option& option) {
  if (problem.peak_capacity && !holds(peak_alone(option), *problem.peak_capacity)) return false;
  for (std::size_t row = 0; row < problem.capacities.size(); ++row) {
    if (!holds(option.use[row], problem.capacities[row])) return false;
  }
  return true;
}

double least_use(const Group& group, std::size_t row) {
  return std::min_element(group.options.begin(), group.options.end(),
                          [row](const Option& a, const Option& b) { return a.use[row] < b.use[row]; })
      ->use[row];
}

void find_culprits(const ChoiceProblem& problem, const std::vector<double>& least, Screening& screening) {
  for (std::size_t row = 0; row < least.size(); ++row) {
    if (!holds(least[row], problem.capacities[row])) screening.culprits.push_back(row);
  }
  if (!problem.peak_capacity) return;
  const double capacity = *problem.peak_capacity;
  const auto never_fits = [capacity](const Group& group) {
    return std::none_of(group.options.begin(), group.options.end(),
                        [capacity](const Option& option) { return holds(peak_alone(option), capacity); });
  };
  screening.peak_is_culprit =
      !holds(0.0, capacity) || std::any_of(problem.groups.begin(), problem.groups.end(), never_fits);
}

}  // namespace

Screening screen(const ChoiceProblem& problem) {
  Screening screening;
  screening.open.resize(problem.groups.size());
  for (const Group& group : problem.groups) {
    if (group.options.empty()) {
      screening.infeasible = true;
      return screening;
    }
  }
  std::vector<double> least(problem.capacities.size(), 0.0);
  for (std::size_t row = 0; row < least.size(); ++row) {
    for (const Group& group : problem.groups) least[row] += least_use(group, row);
  }
  find_culprits(problem, least, screening);
  screening.infeasible = !screening.culprits.empty() || screening.peak_is_culprit;
  if (screening.infeasible) return screening;

  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    const std::vector<Option>& options = problem.groups[group].options;
    std::vector<double> most(least.size());  // of each row, what this group may use at most
    for (std::size_t row = 0; row < most.size(); ++row) {
      const double allowed = std::max(problem.capacities[row], 0.0) * (1.0 + kTolerance);
      most[row] =
          allowed - least[row] + least_use(problem.groups[group], row) + kRounding * (allowed + least[row]);
    }
    for (std::size_t option = 0; option < options.size(); ++option) {
      bool fits = fits_alone(problem, options[option]);
      for (std::size_t row = 0; row < most.size(); ++row)
        fits = fits && options[option].use[row] <= most[row];
      if (fits) screening.open[group].push_back(option);
    }
    if (screening.open[group].empty()) screening.infeasible = true;
  }
  return screening;
}

ChoiceResult infeasible_result(const Screening& screening) {
  ChoiceResult result;
  result.verdict = Verdict::infeasible;
  result.culprits = screening.culprits;
  result.peak_is_culprit = screening.peak_is_culprit;
  return result;
}

ChoiceResult empty_selection(const ChoiceProblem& problem) {
  ChoiceResult result;
  result.verdict = Verdict::optimal;
  result.evaluation = evaluate(problem, {});
  result.bound = 0.0;
  result.prices.assign(problem.capacities.size(), 0.0);
  return result;
}

ChoiceResult refused(std::string complaint) {
  ChoiceResult result;
  result.message = std::move(complaint);
  return result;
}

}  // namespace saccade::ilp
