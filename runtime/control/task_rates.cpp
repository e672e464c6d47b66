#include "runtime/control/task_rates.hpp"

#include <algorithm>

namespace saccade::runtime {
namespace {

// Time per frame of the engine that serves, under the corrections of the wanted snapshot.
std::vector<Seconds> serving_time(const scheduler::Snapshot& wanted, const EngineSlot& slot) {
  scheduler::Task served = wanted.tasks[slot.task];
  served.profiles = slot.profiles;
  served.regions = slot.regions;
  const scheduler::VariantCost cost = scheduler::variant_cost(wanted, served, slot.variant);
  return {cost.time.begin(), cost.time.end()};
}

}  // namespace

std::vector<Fps> rates_now(const scheduler::Snapshot& wanted, const std::vector<TaskRun>& runs,
                           const EngineRack& rack, scheduler::Shares shares) {
  std::vector<Fps> rates;
  for (const TaskRun& run : runs) rates.push_back(run.granted);
  if (std::none_of(runs.begin(), runs.end(), [](const TaskRun& run) { return run.switching; })) return rates;

  std::vector<double> budgets;
  for (const scheduler::Processor& processor : wanted.processors) budgets.push_back(processor.budget());
  std::vector<scheduler::TransitionTask> tasks;
  for (const TaskRun& run : runs) {
    scheduler::TransitionTask& task = tasks.emplace_back();
    task.serving_time.assign(budgets.size(), Seconds(0.0));
    if (run.active) task.serving_time = serving_time(wanted, rack.at(*run.active));
    task.has_engine = run.active.has_value();
    task.ready = !run.switching;
    task.target = run.granted;
    task.old_need = run.granted;
  }
  const std::vector<Fps> shared = scheduler::transition_rates(budgets, tasks, shares);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    // What the shares' arithmetic rounds off is not a lowered rate.
    const bool lowered = shared[i].value() < runs[i].granted.value() * (1.0 - 1e-9);
    // Frames that wait for an engine take no time yet.
    if (runs[i].switching && lowered && !runs[i].awaited) rates[i] = shared[i];
  }
  return rates;
}

bool frees_time(const scheduler::Snapshot& wanted, const TaskRun& run, TaskIndex task,
                const EngineRack& rack) {
  if (!run.active || !run.target) return false;
  Seconds serving{0.0};
  for (const Seconds time : serving_time(wanted, rack.at(*run.active))) serving += time;
  return scheduler::variant_cost(wanted, wanted.tasks[task], *run.target).total_time() < serving;
}

}  // namespace saccade::runtime
