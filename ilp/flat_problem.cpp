#include "ilp/flat_problem.hpp"

#include <algorithm>
#include <cmath>

namespace saccade::ilp {
namespace {

constexpr double kRounding = 1e-12;
constexpr std::size_t kAhead = 8;  // options

// Options fill a cache many times over: one is brought there some steps before it is read.
void fetch(const Option& option) {
  __builtin_prefetch(&option.levels);
  __builtin_prefetch(&option.use);
}

template <class Amounts>
bool amounts_usable(const Amounts& amounts) {
  bool usable = true;
  for (const double amount : amounts) usable = usable && amount >= 0.0 && amount <= kLargest;
  return usable;
}

template <class Levels>
bool levels_usable(const Levels& levels) {
  bool usable = true;
  for (const double level : levels) usable = usable && std::abs(level) <= kLargest;
  return usable;
}

bool frame_well_formed(const ChoiceProblem& problem) {
  ChoiceProblem frame;
  frame.capacities = problem.capacities;
  frame.level_count = problem.level_count;
  frame.peak_count = problem.peak_count;
  frame.peak_capacity = problem.peak_capacity;
  return validate(frame).empty();
}

}  // namespace

FlatProblem flatten(const ChoiceProblem& problem) {
  FlatProblem flat;
  flat.problem = &problem;
  flat.rows = problem.capacities.size();
  if (!frame_well_formed(problem)) return flat;
  std::size_t count = 0;
  for (const Group& group : problem.groups) count += group.options.size();
  flat.first.reserve(problem.groups.size() + 1);
  flat.value.resize(count);
  flat.use.resize(count * flat.rows);
  double* value = flat.value.data();
  double* use = flat.use.data();
  for (const Group& group : problem.groups) {
    flat.first.push_back(static_cast<std::uint32_t>(value - flat.value.data()));
    for (std::size_t i = 0; i < group.options.size(); ++i) {
      const Option& option = group.options[i];
      fetch(group.options[std::min(i + kAhead, group.options.size() - 1)]);
      if (option.levels.size() != problem.level_count || option.use.size() != flat.rows ||
          option.peak.size() != problem.peak_count || !levels_usable(option.levels) ||
          !amounts_usable(option.use) || !amounts_usable(option.peak)) {
        return flat;
      }
      *value++ = option.levels.front();
      use = std::copy(option.use.begin(), option.use.end(), use);
    }
  }
  flat.first.push_back(static_cast<std::uint32_t>(count));
  flat.well_formed = true;
  return flat;
}

FlatScreening screen(const FlatProblem& flat) {
  FlatScreening screening;
  const std::vector<double>& capacities = flat.problem->capacities;
  const std::size_t rows = flat.rows;
  for (std::size_t group = 0; group < flat.groups(); ++group) {
    if (flat.first[group] == flat.first[group + 1]) {
      screening.infeasible = true;
      return screening;
    }
  }
  std::vector<double>& least = screening.least;
  least.resize(flat.groups() * rows);
  std::vector<double> sum(rows, 0.0);
  for (std::size_t group = 0; group < flat.groups(); ++group) {
    double* low = least.data() + group * rows;
    for (std::size_t row = 0; row < rows; ++row) {
      double lowest = kLargest;
      for (std::size_t i = flat.first[group]; i < flat.first[group + 1]; ++i) {
        lowest = std::min(lowest, flat.use[i * rows + row]);
      }
      low[row] = lowest;
      sum[row] += lowest;
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    if (!holds(sum[row], capacities[row])) screening.culprits.push_back(row);
  }
  screening.infeasible = !screening.culprits.empty();
  if (screening.infeasible) return screening;

  for (std::size_t row = 0; row < rows; ++row) {
    screening.spare.push_back(std::max(capacities[row], 0.0) * (1.0 + kTolerance) - sum[row]);
  }
  screening.open.resize(flat.groups());
  std::vector<double> most(rows);  // of each row, what the group may use at most
  for (std::size_t group = 0; group < flat.groups(); ++group) {
    for (std::size_t row = 0; row < rows; ++row) {
      const double allowed = std::max(capacities[row], 0.0) * (1.0 + kTolerance);
      most[row] = std::min(allowed,
                           allowed - sum[row] + least[group * rows + row] + kRounding * (allowed + sum[row]));
    }
    std::vector<std::uint32_t>& open = screening.open[group];
    open.reserve(flat.first[group + 1] - flat.first[group]);
    for (std::size_t i = flat.first[group]; i < flat.first[group + 1]; ++i) {
      bool fits = true;
      for (std::size_t row = 0; row < rows; ++row) fits = fits && flat.use[i * rows + row] <= most[row];
      if (fits) open.push_back(static_cast<std::uint32_t>(i - flat.first[group]));
    }
    if (open.empty()) screening.infeasible = true;
  }
  return screening;
}

}  // namespace saccade::ilp
