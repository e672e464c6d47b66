// Engines that are kept ready for tasks that are not demanded: a fleet's standby cameras.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "runtime/control/bridge.hpp"
#include "runtime/control/controller.hpp"
#include "runtime/control/executable.hpp"
#include "scheduler/filter.hpp"

namespace saccade::runtime {
namespace {

// That the task has of its own; at its demand in the snapshot.
bool passes_filters(const scheduler::Snapshot& snapshot, const EngineSlot& slot) {
  const scheduler::Task& task = snapshot.tasks[slot.task];
  if (!slot.holds(task.profiles, slot.variant, task.regions)) return false;
  const std::vector<scheduler::VariantCost> costs = scheduler::variant_costs(snapshot, task);
  const std::vector<std::size_t> allowed = scheduler::filter_variants(snapshot, task, costs).kept;
  return std::binary_search(allowed.begin(), allowed.end(), slot.variant);
}

}  // namespace

void Controller::note_spares(const std::vector<TaskIndex>& spares) {
  for (TaskRun& run : runs_) run.spare = false;
  for (const TaskIndex task : spares) {
    TaskRun& run = runs_.at(task);
    run.spare = !run.removed && run.demand.value() == 0.0;
  }
}

// While the task is not demanded; and from then on until something serves.
bool Controller::keeps_spare(const EngineSlot& slot) const {
  const TaskRun& run = runs_[slot.task];
  const bool about_to_serve = run.demand.value() > 0.0 && !run.active;
  return slot.spare && !slot.broken && !run.removed && (run.spare || about_to_serve);
}

// What the task's filters have come to refuse would not serve: it makes room for one that they allow.
void Controller::unload_refused_spares() {
  for (const EngineKey key : rack_.parked()) {
    EngineSlot& slot = rack_.at(key);
    if (slot.spare && !passes_filters(snapshot(), slot)) unload(slot);
  }
}

// One at a time, and the last of all: nothing waits for it, and nothing makes room for it.
void Controller::load_spare() {
  if (gate_.pending() || in_transition_ || !limited_) return;
  std::vector<TaskIndex> lacking;
  for (TaskIndex i = 0; i < runs_.size(); ++i) {
    if (runs_[i].spare && !rack_.spare(i)) lacking.push_back(i);
  }
  if (lacking.empty()) return;
  std::stable_sort(lacking.begin(), lacking.end(), [&](TaskIndex a, TaskIndex b) {
    return wanted_.tasks[a].priority > wanted_.tasks[b].priority;
  });
  const scheduler::Snapshot now = snapshot();
  for (const TaskIndex task : lacking) {
    const std::optional<std::size_t> variant = leanest(now, task);
    if (!variant || !rack_.memory().fits(loading(task, *variant))) continue;
    if (pause_left(task, *variant) > Duration(0)) continue;
    return start_spare(task, *variant);
  }
}

// The least memory, then the least time. The rate that the task will be demanded at is not known, and
// latencies grow with it: a variant that is quick enough at every rate, if there is one.
std::optional<std::size_t> Controller::leanest(const scheduler::Snapshot& snapshot, TaskIndex task) const {
  scheduler::Task at_any_rate = snapshot.tasks[task];
  at_any_rate.demand = Fps(std::numeric_limits<double>::infinity());
  const std::vector<scheduler::VariantCost> costs = scheduler::variant_costs(snapshot, at_any_rate);
  std::vector<std::size_t> allowed = scheduler::filter_variants(snapshot, at_any_rate, costs).kept;
  if (allowed.empty()) allowed = scheduler::filter_variants(snapshot, snapshot.tasks[task], costs).kept;
  std::optional<std::size_t> best;
  const auto key = [&](std::size_t v) {
    return std::pair(serving_memory(task, v).total(), costs[v].total_time());
  };
  for (const std::size_t v : allowed) {
    if (!best || key(v) < key(*best)) best = v;
  }
  return best;
}

void Controller::start_spare(TaskIndex task, std::size_t variant) {
  const scheduler::Task& config = wanted_.tasks[task];
  const profiles::Variant& of = config.profiles->variants[variant];
  const std::optional<ProcessorIndex> processor = processor_of(of, wanted_, config.regions);
  SACCADE_CHECK(processor);
  EngineSlot& slot =
      rack_.start_load(task, config, variant, *processor, devices_of(of, wanted_, places_), now_);
  slot.spare = true;
  report(EventKind::load, task, variant_name(slot) + ", to be kept ready");
  out_.emplace_back(action::Load{slot.key, task, slot.variant, slot.regions, slot.profiles, slot.processor,
                                 rack_.broken(task)});
}

// The task may have been demanded meanwhile, or named no more, or refuse it.
void Controller::spare_is_ready(EngineSlot& slot) {
  const TaskRun& run = runs_[slot.task];
  if (up_to_date(slot) && run.switching && !run.active && bridge_with_spare(slot)) {
    set_rates();
    return;
  }
  slot.apply(EngineEvent::swapped_out);
  if (!keeps_spare(slot) || !passes_filters(snapshot(), slot) || rack_.memory().over_limit()) {
    unload(slot);
    return;
  }
  slot.apply(EngineEvent::held);
  report(EventKind::park, slot.task, variant_name(slot));
}

bool Controller::bridge_with_spare(EngineSlot& slot) {
  TaskRun& run = runs_[slot.task];
  const scheduler::Task& config = wanted_.tasks[slot.task];
  // It was chosen while the task was not demanded: its latency was less.
  if (run.active || !run.target || !passes_filters(wanted_, slot)) return false;
  const std::vector<scheduler::VariantCost> costs = scheduler::variant_costs(wanted_, config);
  const profiles::Variant& wanted = config.profiles->variants[*run.target];
  const bool same_place = processor_of(wanted, wanted_, config.regions) == slot.processor;
  if (!takes_no_more(costs[slot.variant], costs[*run.target])) return false;
  if (wanted_.limits.peak_power && !same_place) return false;
  slot.load_time = slot.warm_time = Duration(0);  // nothing waited for these
  run.bridging = true;
  swap_in(slot);
  return true;
}

std::optional<std::size_t> Controller::spare(TaskIndex task) const {
  const std::optional<EngineKey> key = rack_.spare(task);
  if (!key) return std::nullopt;
  const EngineSlot& slot = rack_.at(*key);
  return slot.state == EngineState::held && keeps_spare(slot) ? std::optional(slot.variant) : std::nullopt;
}

}  // namespace saccade::runtime
