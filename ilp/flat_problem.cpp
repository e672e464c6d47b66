#include "ilp/flat_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.hpp"

namespace saccade::ilp {
namespace {

constexpr std::size_t kAhead = 8;  // options

// The options of a large problem exceed the cache many times: prefetch some steps ahead.
void prefetch(const Option& option) {
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

// A row count known at compile time keeps the extremes in registers.
template <std::size_t kRows>
void extremes_in_registers(const double* use, std::size_t options, double* least, double* largest) {
  std::array<double, kRows> low, high;
  for (std::size_t k = 0; k < kRows; ++k) low[k] = high[k] = use[k];
  for (std::size_t i = 1; i < options; ++i) {
    use += kRows;
    for (std::size_t k = 0; k < kRows; ++k) {
      low[k] = std::min(low[k], use[k]);
      high[k] = std::max(high[k], use[k]);
    }
  }
  std::copy(low.begin(), low.end(), least);
  std::copy(high.begin(), high.end(), largest);
}

bool frame_well_formed(const ChoiceProblem& problem) {
  ChoiceProblem frame;
  frame.capacities = problem.capacities;
  frame.level_count = problem.level_count;
  frame.peak_count = problem.peak_count;
  frame.peak_capacity = problem.peak_capacity;
  frame.equal_rows = problem.equal_rows;
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
      prefetch(group.options[std::min(i + kAhead, group.options.size() - 1)]);
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

bool flat_well_formed(const FlatProblem& flat) {
  const ChoiceProblem& frame = *flat.problem;
  if (flat.rows != frame.capacities.size() || flat.first.empty() || flat.first.front() != 0 ||
      !std::is_sorted(flat.first.begin(), flat.first.end()) || flat.first.back() != flat.value.size() ||
      flat.use.size() != flat.value.size() * flat.rows || !validate(frame).empty()) {
    return false;
  }
  bool usable = true;  // without branches: there are many numbers, and they are
  for (const double value : flat.value) usable &= std::abs(value) <= kLargest;
  for (const double amount : flat.use) usable &= amount >= 0.0 && amount <= kLargest;
  return usable;
}

ChoiceProblem whole(const FlatProblem& flat) {
  ChoiceProblem problem = *flat.problem;
  if (!flat.framed()) return problem;
  problem.groups.resize(flat.groups());
  for (std::size_t group = 0; group < flat.groups(); ++group) {
    std::vector<Option>& options = problem.groups[group].options;
    options.reserve(flat.options_of(group));
    for (std::size_t i = 0; i < flat.options_of(group); ++i) options.push_back(flat.option_of(group, i));
  }
  return problem;
}

Evaluation evaluate(const FlatProblem& flat, std::span<const std::size_t> picks) {
  if (!flat.framed()) return evaluate(*flat.problem, picks);
  SACCADE_CHECK(picks.size() == flat.groups());
  Evaluation evaluation;
  evaluation.levels.assign(1, 0.0);
  evaluation.used.assign(flat.rows, 0.0);
  for (std::size_t group = 0; group < picks.size(); ++group) {
    SACCADE_CHECK(picks[group] < flat.options_of(group));
    const std::size_t option = flat.first[group] + picks[group];
    evaluation.levels.front() += flat.value[option];
    for (std::size_t row = 0; row < flat.rows; ++row) {
      evaluation.used[row] += flat.use[option * flat.rows + row];
    }
  }
  evaluation.feasible = true;
  for (std::size_t row = 0; row < flat.rows; ++row) {
    evaluation.feasible = evaluation.feasible && holds(evaluation.used[row], flat.problem->capacities[row]);
  }
  return evaluation;
}

void extremes_of(const double* use, std::size_t options, std::size_t rows, double* least, double* largest) {
  switch (rows) {
    case 1:
      return extremes_in_registers<1>(use, options, least, largest);
    case 2:
      return extremes_in_registers<2>(use, options, least, largest);
    case 3:
      return extremes_in_registers<3>(use, options, least, largest);
    default:
      break;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    double low = use[row], high = use[row];
    for (std::size_t i = 1; i < options; ++i) {
      low = std::min(low, use[i * rows + row]);
      high = std::max(high, use[i * rows + row]);
    }
    least[row] = low;
    largest[row] = high;
  }
}

}  // namespace saccade::ilp
