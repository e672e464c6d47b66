#include "ilp/screening.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

double peak_alone(const Option& option) {
  double sum = 0.0;
  for (const double amount : option.peak) sum += amount;
  return sum;
}

bool any_group_empty(const FlatProblem& flat) {
  for (std::size_t group = 0; group < flat.groups(); ++group) {
    if (flat.first[group] == flat.first[group + 1]) return true;
  }
  return false;
}

// Fills `least` and `largest` per group and row, and gives the sum of the least per row.
std::vector<double> find_extremes(const FlatProblem& flat, std::vector<double>& least,
                                  std::vector<double>& largest) {
  const std::size_t rows = flat.rows;
  least.resize(flat.groups() * rows);
  largest.resize(flat.groups() * rows);
  std::vector<double> sum(rows, 0.0);
  for (std::size_t group = 0; group < flat.groups(); ++group) {
    const std::size_t begin = flat.first[group], count = flat.first[group + 1] - begin;
    double* const low = least.data() + group * rows;
    extremes_of(flat.use.data() + begin * rows, count, rows, low, largest.data() + group * rows);
    for (std::size_t row = 0; row < rows; ++row) sum[row] += low[row];
  }
  return sum;
}

bool find_culprits(const FlatProblem& flat, const std::vector<double>& least_sum, Screening& screening) {
  const ChoiceProblem& problem = *flat.problem;
  for (std::size_t row = 0; row < flat.rows; ++row) {
    if (!holds(least_sum[row], problem.capacities[row])) screening.culprits.push_back(row);
  }
  if (problem.peak_capacity) {
    const double capacity = *problem.peak_capacity;
    const auto never_fits = [capacity](const Group& group) {
      return std::none_of(group.options.begin(), group.options.end(),
                          [capacity](const Option& option) { return holds(peak_alone(option), capacity); });
    };
    screening.peak_is_culprit =
        !holds(0.0, capacity) || std::any_of(problem.groups.begin(), problem.groups.end(), never_fits);
  }
  return !screening.culprits.empty() || screening.peak_is_culprit;
}

// The options of a group that fit beside the minima of all other groups. `largest`, `most`: per row, what its
// options use at most, and what they may.
void find_open(const FlatProblem& flat, std::size_t group, const double* largest, const double* most,
               std::vector<std::uint32_t>& open) {
  const ChoiceProblem& problem = *flat.problem;
  const bool all_fit =
      std::equal(largest, largest + flat.rows, most, [](double a, double b) { return a <= b; });
  if (all_fit && !problem.peak_capacity) {
    open.resize(flat.first[group + 1] - flat.first[group]);
    std::iota(open.begin(), open.end(), 0U);
    return;
  }
  open.reserve(flat.first[group + 1] - flat.first[group]);
  for (std::size_t i = flat.first[group]; i < flat.first[group + 1]; ++i) {
    const auto index = static_cast<std::uint32_t>(i - flat.first[group]);
    bool fits = true;
    for (std::size_t row = 0; row < flat.rows; ++row)
      fits = fits && flat.use[i * flat.rows + row] <= most[row];
    if (fits && problem.peak_capacity) {
      fits = holds(peak_alone(problem.groups[group].options[index]), *problem.peak_capacity);
    }
    if (fits) open.push_back(index);
  }
}

}  // namespace

Screening screen(const FlatProblem& flat) {
  Screening screening;
  if (any_group_empty(flat)) {
    screening.infeasible = true;
    screening.most.assign(flat.groups() * flat.rows, 0.0);  // whatever the others select
    return screening;
  }
  std::vector<double> largest;
  const std::vector<double> sum = find_extremes(flat, screening.least, largest);
  screening.infeasible = find_culprits(flat, sum, screening);
  if (screening.infeasible) return screening;

  std::vector<double> capacities;
  for (std::size_t row = 0; row < flat.rows; ++row) {
    capacities.push_back(usable_capacity(*flat.problem, row));
    screening.slack.push_back(capacities[row] - sum[row]);
  }
  screening.open.resize(flat.groups());
  screening.most.resize(flat.groups() * flat.rows);
  for (std::size_t group = 0; group < flat.groups(); ++group) {
    double* most = screening.most.data() + group * flat.rows;
    for (std::size_t row = 0; row < flat.rows; ++row) {
      const double capacity = capacities[row];
      most[row] = std::min(capacity, capacity - sum[row] + screening.least[group * flat.rows + row] +
                                         kRounding * (capacity + sum[row]));
    }
    find_open(flat, group, largest.data() + group * flat.rows, most, screening.open[group]);
    screening.infeasible = screening.infeasible || screening.open[group].empty();
  }
  return screening;
}

Screening screen(const ChoiceProblem& problem) { return screen(flatten(problem)); }

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
