// Choice problems with all that a solver has to handle, from the tables of families.hpp: later levels for
// ties, joint peaks, and few enough rates for the oracle. For the tests of the solvers and their micro
// benchmark.
// Threads: pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "bench/solver/families.hpp"
#include "bench/solver/random.hpp"
#include "ilp/choice_problem.hpp"

namespace saccade::bench {

enum class ChoiceFamily {
  standard,
  identical,
  correlated,
  min_memory,
  processors,
  peaks,
  infeasible,
  elastic
};
inline constexpr std::array<std::pair<ChoiceFamily, const char*>, 8> kChoiceFamilies = {{
    {ChoiceFamily::standard, "standard"},
    {ChoiceFamily::identical, "identical"},
    {ChoiceFamily::correlated, "correlated"},
    {ChoiceFamily::min_memory, "min-memory"},
    {ChoiceFamily::processors, "processors"},
    {ChoiceFamily::peaks, "peaks"},            // standard, two processors under a joint peak of power
    {ChoiceFamily::infeasible, "infeasible"},  // time against memory, both scarce: some fit, some do not
    {ChoiceFamily::elastic, "elastic"},        // every variant at three rates
}};

struct ChoiceShape {
  std::size_t tasks = 5;
  std::size_t variants = 12;
  std::size_t rows = 3;  // 1 = time; 2 = and energy; 3 = and memory
  double tightness = 0.5;
};

inline Family tables_of(ChoiceFamily family) {
  switch (family) {
    case ChoiceFamily::standard:
    case ChoiceFamily::peaks:
      return Family::standard;
    case ChoiceFamily::identical:
      return Family::identical;
    case ChoiceFamily::correlated:
      return Family::correlated;
    case ChoiceFamily::min_memory:
      return Family::min_memory;
    case ChoiceFamily::processors:
      return Family::processors;
    case ChoiceFamily::infeasible:
      return Family::infeasible_relaxation;
    case ChoiceFamily::elastic:
      return Family::elastic;
  }
  return Family::standard;
}

// Every variant draws power from one of two processors.
inline void add_peaks(ilp::ChoiceProblem& problem, const Instance& instance, double tightness,
                      Random& random) {
  double least = 0.0, most = 0.0;
  for (std::size_t task = 0; task < problem.groups.size(); ++task) {
    double least_of_task = 1e9;
    for (std::size_t v = 0; v < problem.groups[task].options.size(); ++v) {
      const double watts = instance.tasks[task].variants[v].power_watts;
      problem.groups[task].options[v].peak = {watts, 0.0};
      if (random.below(2) == 1) problem.groups[task].options[v].peak = {0.0, watts};
      least_of_task = std::min(least_of_task, watts);
      most = std::max(most, watts);
    }
    least = std::max(least, least_of_task);
  }
  problem.peak_count = 2;
  problem.peak_capacity = least + tightness * (1.5 * most - least);
}

// Levels: the objective, minus the switches, minus the memory (MB).
inline ilp::ChoiceProblem random_choice_problem(ChoiceFamily family, const ChoiceShape& shape,
                                                std::uint64_t seed) {
  const std::size_t rows = family == ChoiceFamily::processors ? shape.rows + 2 : shape.rows;
  const Instance instance = make_tables(
      tables_of(family),
      {.groups = shape.tasks, .options = shape.variants, .rows = rows, .tightness = shape.tightness}, seed);
  Random random(seed + 1'000'003);  // for what is not in the tables
  ilp::ChoiceProblem problem;
  problem.level_count = 3;
  problem.capacities = instance.time_budgets;
  if (instance.energy_limit) problem.capacities.push_back(*instance.energy_limit);
  if (instance.memory_limit_mb) problem.capacities.push_back(*instance.memory_limit_mb);
  if (family == ChoiceFamily::infeasible) {
    for (double& capacity : problem.capacities) capacity *= random.uniform(0.98, 1.2);
  }
  for (const TaskTable& task : instance.tasks) {
    ilp::Group& group = problem.groups.emplace_back();
    const std::size_t running = random.below(task.variants.size());
    for (std::size_t v = 0; v < task.variants.size(); ++v) {
      const VariantRow& variant = task.variants[v];
      if (task.min_accuracy && variant.accuracy < *task.min_accuracy) continue;
      for (const double share : {1.0, 2.0 / 3.0, 1.0 / 3.0}) {
        ilp::Option option = option_of(instance, task, variant, share * task.rate);
        const double accuracy = task.weight * share * variant.accuracy;
        option.levels = {instance.least_memory ? -variant.memory_mb : accuracy, v == running ? 0.0 : -1.0,
                         -variant.memory_mb};
        group.options.push_back(std::move(option));
        if (family != ChoiceFamily::elastic) break;
      }
    }
  }
  if (family == ChoiceFamily::peaks) add_peaks(problem, instance, shape.tightness, random);
  return problem;
}

}  // namespace saccade::bench
