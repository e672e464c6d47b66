#include "bench/solver/snapshots.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "scheduler/prepared_set.hpp"

namespace saccade::bench {
namespace {

ProcessorId processor_id(std::size_t index) { return ProcessorId("p" + std::to_string(index)); }

profiles::ProfileSetPtr profile_set(const TaskTable& task) {
  profiles::ProfileSet set;
  for (std::size_t i = 0; i < task.variants.size(); ++i) {
    const VariantRow& row = task.variants[i];
    profiles::Variant variant;
    variant.id = VariantId("v" + std::to_string(i));
    variant.accuracy = row.accuracy / 100.0;
    variant.frame_time[processor_id(row.processor)] = Seconds(row.time_ms / 1e3);
    variant.power = profiles::Power{Watts(row.power_watts), {}};
    variant.memory = Bytes(row.memory_mb * 1e6);
    set.variants.push_back(std::move(variant));
  }
  // As configurations are read; but what is to be timed with its filtering is filtered there.
  constexpr std::size_t kMostFiltered = 200;  // variants
  if (set.variants.size() > kMostFiltered)
    return std::make_shared<const profiles::ProfileSet>(std::move(set));
  return scheduler::prepare(std::move(set));
}

}  // namespace

scheduler::Snapshot make_snapshot(const Instance& instance, scheduler::Degrade degrade,
                                  bool several_classes) {
  scheduler::Snapshot snapshot;
  snapshot.degrade = degrade;
  if (instance.least_memory) snapshot.objective = scheduler::Objective::min_memory;
  for (std::size_t i = 0; i < instance.time_budgets.size(); ++i) {
    snapshot.processors.push_back(
        {.id = processor_id(i), .capacity = instance.time_budgets[i], .guard = Seconds(0.0)});
    if (instance.family == Family::equal_processors) snapshot.processors.back().kind = ProcessorId("p");
  }
  if (instance.energy_limit) snapshot.limits.energy_per_second = Watts(*instance.energy_limit);
  if (instance.memory_limit_mb) snapshot.limits.memory = Bytes(*instance.memory_limit_mb * 1e6);
  for (const TaskTable& table : instance.tasks) {
    scheduler::Task task;
    task.id = TaskId("t" + std::to_string(snapshot.tasks.size()));
    task.profiles = profile_set(table);
    task.demand = Fps(table.rate);
    task.weight = several_classes ? 1.0 : table.weight * task.profiles->best_accuracy();
    task.priority = several_classes ? table.priority : 0;
    if (table.min_accuracy) task.min_accuracy = *table.min_accuracy / 100.0;
    snapshot.tasks.push_back(std::move(task));
  }
  return snapshot;
}

}  // namespace saccade::bench
