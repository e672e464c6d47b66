#include "ilp/choice_problem.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace saccade::ilp {
namespace {

bool usable(double value) { return std::isfinite(value) && std::abs(value) <= kLargest; }
bool usable_amount(double value) { return usable(value) && value >= 0.0; }

bool usable_equal_rows(const ChoiceProblem& problem) {
  std::vector<bool> named(problem.capacities.size(), false);
  for (const std::vector<EqualRow>& rows : problem.equal_rows) {
    for (const EqualRow& each : rows) {
      if (each.row >= named.size() || named[each.row]) return false;
      if (!usable(each.scale) || each.scale <= 0.0) return false;
      named[each.row] = true;
    }
  }
  return true;
}

std::string validate(const Option& option, const ChoiceProblem& problem) {
  if (option.levels.size() != problem.level_count) return "the number of levels is not the problem's";
  if (option.use.size() != problem.capacities.size()) return "the number of amounts is not that of the rows";
  if (option.peak.size() != problem.peak_count) return "the number of peak amounts is not the problem's";
  if (!std::all_of(option.levels.begin(), option.levels.end(), usable)) {
    return "a level is not finite or too large";
  }
  if (!std::all_of(option.use.begin(), option.use.end(), usable_amount)) {
    return "an amount is negative, not finite or too large";
  }
  if (!std::all_of(option.peak.begin(), option.peak.end(), usable_amount)) {
    return "a peak amount is negative, not finite or too large";
  }
  return {};
}

}  // namespace

bool holds(double used, double capacity) { return used <= capacity * (1.0 + kTolerance); }

bool equal_value(double a, double b) {
  return std::abs(a - b) <= kTolerance * std::max({std::abs(a), std::abs(b), kTolerance});
}

std::string validate(const ChoiceProblem& problem) {
  if (problem.level_count == 0) return "a problem has at least one level";
  if (problem.peak_count > 0 && !problem.peak_capacity) return "peaks need a peak capacity";
  if (problem.peak_capacity && !usable(*problem.peak_capacity)) {
    return "the peak capacity is not finite or too large";
  }
  for (std::size_t row = 0; row < problem.capacities.size(); ++row) {
    if (!usable(problem.capacities[row])) {
      return "the capacity of row " + std::to_string(row) + " is not finite or too large";
    }
  }
  if (!usable_equal_rows(problem)) return "equal rows name rows once each, with a scale above 0";
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    const std::vector<Option>& options = problem.groups[group].options;
    for (std::size_t option = 0; option < options.size(); ++option) {
      const std::string complaint = validate(options[option], problem);
      if (!complaint.empty()) {
        return "group " + std::to_string(group) + ", option " + std::to_string(option) + ": " + complaint;
      }
    }
  }
  return {};
}

Evaluation evaluate(const ChoiceProblem& problem, std::span<const std::size_t> picks) {
  SACCADE_CHECK(picks.size() == problem.groups.size());
  Evaluation evaluation;
  evaluation.levels.assign(problem.level_count, 0.0);
  evaluation.used.assign(problem.capacities.size(), 0.0);
  std::vector<double> largest(problem.peak_count, 0.0);
  for (std::size_t group = 0; group < picks.size(); ++group) {
    SACCADE_CHECK(picks[group] < problem.groups[group].options.size());
    const Option& option = problem.groups[group].options[picks[group]];
    for (std::size_t i = 0; i < evaluation.levels.size(); ++i) evaluation.levels[i] += option.levels[i];
    for (std::size_t i = 0; i < evaluation.used.size(); ++i) evaluation.used[i] += option.use[i];
    for (std::size_t i = 0; i < largest.size(); ++i) largest[i] = std::max(largest[i], option.peak[i]);
  }
  for (const double amount : largest) evaluation.peak += amount;
  evaluation.feasible = !problem.peak_capacity || holds(evaluation.peak, *problem.peak_capacity);
  for (std::size_t row = 0; row < evaluation.used.size(); ++row) {
    evaluation.feasible = evaluation.feasible && holds(evaluation.used[row], problem.capacities[row]);
  }
  return evaluation;
}

bool feasible(const ChoiceProblem& problem, std::span<const std::size_t> picks) {
  if (picks.size() != problem.groups.size()) return false;
  for (std::size_t group = 0; group < picks.size(); ++group) {
    if (picks[group] >= problem.groups[group].options.size()) return false;
  }
  return evaluate(problem, picks).feasible;
}

bool better(const Evaluation& a, std::span<const std::size_t> picks_a, const Evaluation& b,
            std::span<const std::size_t> picks_b) {
  if (a.feasible != b.feasible) return a.feasible;
  for (std::size_t level = 0; level < a.levels.size(); ++level) {
    if (!equal_value(a.levels[level], b.levels[level])) return a.levels[level] > b.levels[level];
  }
  return std::lexicographical_compare(picks_a.begin(), picks_a.end(), picks_b.begin(), picks_b.end());
}

}  // namespace saccade::ilp
