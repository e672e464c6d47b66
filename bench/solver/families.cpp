#include "bench/solver/families.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bench/solver/random.hpp"

namespace saccade::bench {
namespace {

constexpr double kQuantum = 0.2;    // ms, of the coarse families
constexpr double kOverload = 1.5;   // elastic
constexpr double kConflict = 0.97;  // infeasible-relaxation: of what the rows need together

bool dominates(const VariantRow& a, const VariantRow& b) {
  return a.processor == b.processor && a.time_ms <= b.time_ms && a.accuracy >= b.accuracy &&
         a.energy_joules() <= b.energy_joules() && a.memory_mb <= b.memory_mb;
}

struct TableDraw {
  double t_min, t_max, a_min, a_max;
};

VariantRow draw_variant(Family family, const TableDraw& table, Random& random) {
  const double s = random.uniform();
  VariantRow v;
  v.time_ms = table.t_min * std::pow(table.t_max / table.t_min, s) * std::exp(0.06 * random.normal());
  v.accuracy = table.a_min + (table.a_max - table.a_min) * (1.0 - (1.0 - s) * (1.0 - s));
  v.accuracy = std::clamp(v.accuracy - std::abs(random.normal()), 1.0, 100.0);
  v.power_watts = rounded(1.0 + 9.0 * std::pow(s, 0.7) * random.uniform(0.8, 1.0), 0.01);
  v.memory_mb = rounded(5.0 * std::pow(40.0, s) * random.uniform(0.8, 1.2), 0.1);
  if (family == Family::correlated || family == Family::infeasible_integer) {
    v.time_ms = std::max(rounded(v.time_ms, kQuantum), kQuantum);
  } else {
    v.time_ms = rounded(v.time_ms, 0.001);
  }
  if (family == Family::correlated) v.accuracy = 60.0 + 0.9 * v.time_ms;
  v.accuracy = std::min(rounded(v.accuracy, 0.01), 100.0);
  // What saves time costs memory.
  if (family == Family::infeasible_relaxation) v.memory_mb = rounded(260.0 - v.memory_mb, 0.1);
  if (family == Family::processors) v.processor = random.below(3);
  return v;
}

std::vector<VariantRow> draw_table(Family family, const InstanceShape& shape, Random& random) {
  TableDraw table{};
  table.t_min = random.uniform(0.5, 2.0);
  table.t_max = random.uniform(10.0, 40.0);
  table.a_min = random.uniform(60.0, 72.0);
  table.a_max = random.uniform(88.0, 98.0);
  std::vector<VariantRow> variants;
  for (std::size_t draws = 0; variants.size() < shape.options && draws < 200 * shape.options; ++draws) {
    const VariantRow v = draw_variant(family, table, random);
    if (shape.filtered && family != Family::infeasible_integer) {
      const auto dominates_v = [&v](const VariantRow& other) { return dominates(other, v); };
      if (std::any_of(variants.begin(), variants.end(), dominates_v)) continue;
      std::erase_if(variants, [&v](const VariantRow& other) { return dominates(v, other); });
    }
    variants.push_back(v);
  }
  return variants;
}

// Whole variants add up to times that are multiples of one quantum. Memory falls by kSlope MB for every
// quantum of time, plus an excess that is 0 for one variant per task; the two limits leave a window
// of 0.6 quanta that lies between two multiples. The variants with no excess and a fraction of any
// other reach it.
void plant_integer_conflict(Instance& instance, Random& random) {
  constexpr double kSlope = 2.0, kRate = 10.0, kWindow = 0.6;
  double planted_quanta = 0.0, most_memory = 0.0;
  for (TaskTable& task : instance.tasks) {
    task.rate = kRate;
    const std::size_t planted = random.below(task.variants.size());
    for (std::size_t i = 0; i < task.variants.size(); ++i) {
      VariantRow& variant = task.variants[i];
      const double excess = i == planted ? 0.0 : kSlope * kWindow * random.uniform(0.3, 0.9);
      variant.memory_mb = 1000.0 - kSlope * std::round(variant.time_ms / kQuantum) + excess;
    }
    planted_quanta += std::round(task.variants[planted].time_ms / kQuantum);
    most_memory += 1000.0;
  }
  const double seconds_per_quantum = kQuantum * kRate / 1000.0;
  instance.time_budgets = {(planted_quanta + 0.2 + kWindow) * seconds_per_quantum};
  instance.memory_limit_mb = most_memory - kSlope * (planted_quanta + 0.2);
}

// Every variant once on each processor, one after the other.
void divide_among_equal(Instance& instance) {
  constexpr std::size_t kProcessors = 4;
  instance.time_budgets.assign(kProcessors, instance.time_budgets.front() / kProcessors);
  for (TaskTable& task : instance.tasks) {
    std::vector<VariantRow> everywhere;
    for (VariantRow variant : task.variants) {
      for (variant.processor = 0; variant.processor < kProcessors; ++variant.processor) {
        everywhere.push_back(variant);
      }
    }
    task.variants = std::move(everywhere);
  }
}

template <class Use>
double capacity_of(const Instance& instance, double tightness, Use use) {
  double least = 0.0, most = 0.0;
  for (const TaskTable& task : instance.tasks) {
    double least_of_task = std::numeric_limits<double>::infinity();
    const VariantRow* best = &task.variants.front();
    for (const VariantRow& variant : task.variants) {
      if (task.min_accuracy && variant.accuracy < *task.min_accuracy) continue;
      least_of_task = std::min(least_of_task, use(task, variant));
      if (variant.accuracy > best->accuracy) best = &variant;
    }
    least += least_of_task;
    most += use(task, *best);
  }
  return least + tightness * (std::max(most, least) - least);
}

double time_share(const TaskTable& task, const VariantRow& variant) {
  return variant.time_ms / 1000.0 * task.rate;
}
double memory(const TaskTable&, const VariantRow& variant) { return variant.memory_mb; }

// Time and memory weighted by their spans: no mixture of variants uses less of the sum than `needed`.
void make_rows_conflict(Instance& instance) {
  const double least_time = capacity_of(instance, 0.0, time_share);
  const double least_memory = capacity_of(instance, 0.0, memory);
  double time_span = -least_time, memory_span = -least_memory;
  for (const TaskTable& task : instance.tasks) {
    double most_time = 0.0, most_memory = 0.0;
    for (const VariantRow& variant : task.variants) {
      most_time = std::max(most_time, time_share(task, variant));
      most_memory = std::max(most_memory, variant.memory_mb);
    }
    time_span += most_time;
    memory_span += most_memory;
  }
  double needed = 0.0;  // beyond the least of both, in parts of the spans
  for (const TaskTable& task : instance.tasks) {
    double least = std::numeric_limits<double>::infinity();
    for (const VariantRow& variant : task.variants) {
      least = std::min(least, time_share(task, variant) / time_span + variant.memory_mb / memory_span);
    }
    needed += least;
  }
  needed -= least_time / time_span + least_memory / memory_span;
  instance.time_budgets = {least_time + kConflict * needed / 2.0 * time_span};
  instance.memory_limit_mb = least_memory + kConflict * needed / 2.0 * memory_span;
}

void set_limits(Instance& instance, const InstanceShape& shape) {
  const bool several = instance.family == Family::processors;
  for (std::size_t processor = 0; processor < (several ? 3U : 1U); ++processor) {
    instance.time_budgets.push_back(
        capacity_of(instance, shape.tightness, [processor](const TaskTable& task, const VariantRow& variant) {
          return variant.processor == processor ? time_share(task, variant) : 0.0;
        }));
  }
  if (shape.rows >= (several ? 4U : 2U)) {
    instance.energy_limit = capacity_of(
        instance, shape.tightness,
        [](const TaskTable& task, const VariantRow& variant) { return variant.energy_joules() * task.rate; });
  }
  if (shape.rows >= (several ? 5U : 3U)) {
    instance.memory_limit_mb = capacity_of(instance, shape.tightness, memory);
  }
  const double quickest = capacity_of(instance, 0.0, time_share);
  if (instance.family == Family::infeasible_row) instance.time_budgets = {0.98 * quickest};
  if (instance.family == Family::elastic) instance.time_budgets = {quickest / kOverload};
  if (instance.family == Family::infeasible_relaxation) make_rows_conflict(instance);
}

}  // namespace

const char* to_string(Family family) {
  for (const auto& [known, name] : kFamilies) {
    if (known == family) return name;
  }
  return "";
}

std::optional<Family> family_from(const std::string& name) {
  for (const auto& [family, known] : kFamilies) {
    if (name == known) return family;
  }
  return std::nullopt;
}

Instance make_tables(Family family, const InstanceShape& shape, std::uint64_t seed) {
  Random random(seed);
  Instance instance;
  instance.family = family;
  instance.least_memory = family == Family::min_memory;
  for (std::size_t i = 0; i < shape.groups; ++i) {
    if (i > 0 && family == Family::identical) {
      instance.tasks.push_back(instance.tasks.front());
      continue;
    }
    TaskTable& task = instance.tasks.emplace_back();
    task.variants = draw_table(family, shape, random);
    task.rate = rounded(random.uniform(1.0, 30.0), 0.1);
    task.priority = static_cast<int>(1 + random.below(4));
    if (family == Family::correlated) task.rate = 10.0 * static_cast<double>(1 + random.below(3));
    if (family == Family::elastic) task.rate = std::max(2.0, std::round(task.rate));
    task.weight = task.priority;
    if (family == Family::min_memory) {
      task.min_accuracy = task.variants[random.below(task.variants.size())].accuracy;
    }
  }
  if (family == Family::infeasible_integer) {
    plant_integer_conflict(instance, random);
  } else {
    set_limits(instance, shape);
  }
  if (family == Family::equal_processors) divide_among_equal(instance);
  return instance;
}

ilp::Option option_of(const Instance& instance, const TaskTable& task, const VariantRow& variant,
                      double rate) {
  ilp::Option option;
  option.use.assign(instance.time_budgets.size(), 0.0);
  option.use[variant.processor] = variant.time_ms / 1000.0 * rate;
  if (instance.energy_limit) option.use.push_back(variant.energy_joules() * rate);
  if (instance.memory_limit_mb) option.use.push_back(variant.memory_mb);
  option.levels = {instance.least_memory ? -variant.memory_mb : task.weight * variant.accuracy};
  if (instance.family == Family::elastic) {
    option.levels = {-task.weight * (task.rate - rate), task.weight * variant.accuracy * rate / task.rate};
  }
  return option;
}

ilp::ChoiceProblem make_problem(const Instance& instance) {
  ilp::ChoiceProblem problem;
  const bool elastic = instance.family == Family::elastic;
  problem.level_count = elastic ? 2 : 1;
  problem.capacities = instance.time_budgets;
  if (instance.energy_limit) problem.capacities.push_back(*instance.energy_limit);
  if (instance.memory_limit_mb) problem.capacities.push_back(*instance.memory_limit_mb);
  if (instance.family == Family::equal_processors) {
    std::vector<ilp::EqualRow>& equal = problem.equal_rows.emplace_back();
    for (std::size_t row = 0; row < instance.time_budgets.size(); ++row) equal.push_back({row, 1.0});
  }
  for (const TaskTable& task : instance.tasks) {
    ilp::Group& group = problem.groups.emplace_back();
    for (const VariantRow& variant : task.variants) {
      if (task.min_accuracy && variant.accuracy < *task.min_accuracy) continue;
      for (double rate = task.rate; rate > 0.5; rate -= 1.0) {
        group.options.push_back(option_of(instance, task, variant, rate));
        if (!elastic) break;
      }
    }
  }
  return problem;
}

ilp::ChoiceProblem make_instance(Family family, std::size_t groups, std::size_t options, std::size_t rows,
                                 double tightness, std::uint64_t seed) {
  return make_problem(make_tables(
      family, {.groups = groups, .options = options, .rows = rows, .tightness = tightness}, seed));
}

}  // namespace saccade::bench
