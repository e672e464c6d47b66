#include "tests/support/scenes.hpp"

#include <memory>
#include <utility>

#include "scheduler/plan_check.hpp"

namespace saccade::test {

profiles::ProfileSetPtr network(const std::vector<V>& variants) {
  auto set = std::make_shared<profiles::ProfileSet>();
  set->network = "net";
  set->device.name = "bench";
  set->device.processors = {ProcessorId("cpu"), ProcessorId("gpu")};
  set->input = {1, 1, 1};
  for (const V& v : variants) {
    profiles::Variant variant;
    variant.id = VariantId(v.id);
    variant.accuracy = v.accuracy;
    variant.frame_time[ProcessorId(v.processor)] = Seconds(v.time_ms * 1e-3);
    variant.memory = Bytes(v.memory_mb * 1e6);
    variant.load_time = Seconds(v.load_ms * 1e-3);
    if (v.watts > 0.0) variant.power = profiles::Power{Watts(v.watts), {}};
    if (v.load_peak_mb > 0.0) variant.load_peak = Bytes(v.load_peak_mb * 1e6);
    set->variants.push_back(variant);
  }
  return set;
}

profiles::ProfileSetPtr ladder(double large_ms) {
  return network({{"large", 0.95, large_ms, 40.0, 20.0}, {"small", 0.80, 4.0, 10.0, 10.0}});
}

scheduler::Task camera(const std::string& id, double fps, profiles::ProfileSetPtr profiles, int priority) {
  scheduler::Task task;
  task.id = TaskId(id);
  task.profiles = std::move(profiles);
  task.demand = Fps(fps);
  task.priority = priority;
  return task;
}

scheduler::Snapshot scene(std::vector<scheduler::Task> tasks, double capacity,
                          std::optional<double> memory_mb) {
  scheduler::Snapshot snapshot;
  scheduler::Processor cpu;
  cpu.id = ProcessorId("cpu");
  cpu.capacity = capacity;
  snapshot.processors = {cpu};
  snapshot.tasks = std::move(tasks);
  if (memory_mb) snapshot.limits.memory = Bytes(*memory_mb * 1e6);
  return snapshot;
}

scheduler::Snapshot with_demand(scheduler::Snapshot snapshot, std::size_t task, double fps) {
  snapshot.tasks[task].demand = Fps(fps);
  return snapshot;
}

scheduler::Snapshot with_memory(scheduler::Snapshot snapshot, double mb) {
  snapshot.limits.memory = Bytes(mb * 1e6);
  return snapshot;
}

scheduler::Plan scripted(const scheduler::Snapshot& snapshot,
                         const std::vector<std::optional<std::size_t>>& variants) {
  scheduler::Plan plan;
  plan.generation = snapshot.generation;
  plan.policy = "transprecision";
  plan.within_limits = true;
  plan.objective = snapshot.objective;
  plan.status = scheduler::PlanStatus::optimal;
  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    scheduler::Assignment assignment;
    assignment.task = snapshot.tasks[i].id;
    assignment.demand = snapshot.tasks[i].demand;
    if (snapshot.tasks[i].active()) assignment.variant = variants[i];
    if (assignment.variant) assignment.granted = snapshot.tasks[i].demand;
    plan.tasks.push_back(assignment);
  }
  scheduler::account(snapshot, plan);
  return plan;
}

}  // namespace saccade::test
