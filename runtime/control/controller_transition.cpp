#include "runtime/control/controller.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "profiles/processor_kinds.hpp"
#include "runtime/control/bridge.hpp"
#include "runtime/control/executable.hpp"
#include "runtime/control/switch_order.hpp"
#include "runtime/control/task_rates.hpp"

namespace saccade::runtime {

void Controller::adopt(std::shared_ptr<const scheduler::Plan> plan, bool limited) {
  plan_ = std::move(plan);
  rack_.memory().set_limits(limited ? memory_limits(wanted_) : MemoryLimits());
  if (limited_ && !limited && (wanted_.limits.memory || !wanted_.limits.memories.empty())) {
    report(EventKind::plan, std::nullopt,
           plan_->policy + " plans without the memory limit; it is not enforced");
  }
  limited_ = limited;
  if (!in_transition_) log_.begin_transition();
  // Tasks that go off make room first.
  for (TaskIndex i = 0; i < runs_.size(); ++i) {
    if (plan_->tasks.at(i).variant) continue;
    aim(i, std::nullopt, Fps(0.0));
    exclusions_.retry_by(i, now_ + to_duration(options_.max_backoff));  // it may be off for want of a variant
  }
  for (TaskIndex i = 0; i < runs_.size(); ++i) {
    if (plan_->tasks[i].variant) aim(i, plan_->tasks[i].variant, plan_->tasks[i].granted);
  }
  in_transition_ = in_transition_ ||
                   std::any_of(runs_.begin(), runs_.end(), [](const TaskRun& run) { return run.switching; });
  set_rates();
  keep_within_cache();
  evict_parked_above_limit();
  end_transition_if_done();
}

void Controller::aim(TaskIndex task, std::optional<std::size_t> variant, Fps granted) {
  TaskRun& run = runs_[task];
  const scheduler::Task& config = wanted_.tasks[task];
  const bool bridging = std::exchange(run.bridging, false) && run.target == variant;
  run.target = variant;
  run.granted = granted;
  if (!variant) {
    run.standby.reset();
    call_off(task);
    take_out(task);
    return;
  }
  // Whatever is on its way up for this task is used if it is what the plan wants, else thrown away
  // when it is ready.
  run.standby.reset();
  if (run.active && rack_.at(*run.active).holds(config.profiles, *variant, config.regions)) {
    run.steady = granted;
    call_off(task);
    return;
  }
  if (!std::exchange(run.switching, true)) log_.begin(task, serving(task));
  const EngineSlot* up = rack_.on_the_way_up();
  if (up && up->task == task && up->holds(config.profiles, *variant, config.regions)) {
    run.standby = up->key;
  } else if (up && up->task == task && bridging && up->holds(config.profiles, up->variant, config.regions)) {
    run.standby = up->key;  // the way to the same target
    run.bridging = true;
  } else if (EngineSlot* slot = rack_.parked(task, config, *variant)) {
    slot->load_time = slot->warm_time = Duration(0);  // this switch loads nothing
    swap_in(*slot);
  } else if (const auto spare = rack_.spare(task); spare && rack_.at(*spare).state == EngineState::held) {
    (void)bridge_with_spare(rack_.at(*spare));
  }
}

std::vector<TaskIndex> Controller::waiting_for_load() const {
  std::vector<TaskIndex> waiting;
  for (TaskIndex i = 0; i < runs_.size(); ++i) {
    if (runs_[i].switching && !exclusions_.excluded(i, *runs_[i].target)) waiting.push_back(i);
  }
  // The most urgent first; then those whose switch frees processor time, so that no other task waits for that
  // at a lowered rate; then the shortest load; loads that were not measured come last.
  std::stable_sort(waiting.begin(), waiting.end(), [&](TaskIndex a, TaskIndex b) {
    if (more_urgent(a, b)) return true;
    if (more_urgent(b, a)) return false;
    const bool a_frees = frees_time(wanted_, runs_[a], a, rack_);
    if (a_frees != frees_time(wanted_, runs_[b], b, rack_)) return a_frees;
    const std::optional<Seconds>& time_a = target(a).load_time;
    const std::optional<Seconds>& time_b = target(b).load_time;
    return time_a && (!time_b || *time_a < *time_b);
  });
  return waiting;
}

bool Controller::more_urgent(TaskIndex a, TaskIndex b) const {
  const int class_a = wanted_.tasks[a].priority;
  const int class_b = wanted_.tasks[b].priority;
  if (class_a != class_b) return class_a > class_b;
  // It loses every frame.
  const auto had_to_let_go = [this](TaskIndex task) { return !runs_[task].active && log_.interrupted(task); };
  return had_to_let_go(a) && !had_to_let_go(b);
}

std::vector<SwitchStep> Controller::steps_of(const std::vector<TaskIndex>& waiting) {
  std::vector<SwitchStep> steps;
  for (const TaskIndex i : waiting) {
    const std::size_t variant = *runs_[i].target;
    SwitchStep step;
    step.loading = loading(i, variant);
    step.serving = serving_memory(i, variant);
    step.has_old = runs_[i].active.has_value();
    if (step.has_old) step.old = rack_.memory().reserved(*runs_[i].active);
    step.pause = pause_left(i, variant);
    if (const auto& time = target(i).load_time) step.takes = to_duration(*time);
    if (!steps.empty()) step.rank = steps.back().rank + (more_urgent(waiting[steps.size() - 1], i) ? 1 : 0);
    steps.push_back(std::move(step));
  }
  return steps;
}

void Controller::load_next() {
  paused_until_.reset();
  while (!rack_.on_the_way_up() && rack_.left_behind() < kLoaders) {
    const std::vector<TaskIndex> waiting = waiting_for_load();
    if (waiting.empty()) return load_spare();
    const std::vector<SwitchStep> steps = steps_of(waiting);
    const NextStep next = next_step(rack_.memory(), rack_.coming_back(), steps, options_.runtime.transition);
    if (next.kind == NextStep::Kind::pause) return;
    const TaskIndex task = waiting[next.step];
    // After a solve that returned nothing it is open when the next plan comes: do not wait for it.
    const bool a_plan_may_ask_for_less =
        gate_.pending() && !(gate_.empty_handed() && next.kind == NextStep::Kind::unload_old);
    if (next.kind == NextStep::Kind::load) {
      start_load(task, *runs_[task].target);
    } else if (next.kind == NextStep::Kind::wait || a_plan_may_ask_for_less) {
      return;  // in the first case for memory that is about to be released
    } else if (EngineSlot* parked = rack_.oldest_parked()) {
      unload(*parked);  // the warm cache gives way to what is needed now
    } else if (next.kind == NextStep::Kind::unload_old) {
      if (start_bridge(task)) return;
      log_.did_not_fit(task);
      take_out(task);
      set_rates();
    } else {
      log_.failed();
      exclude(task, *runs_[task].target, "does not fit into the memory limit while it loads");
    }
  }
}

bool Controller::start_bridge(TaskIndex task) {
  if (options_.runtime.transition == TransitionMode::unload_first) return false;
  const std::optional<std::size_t> bridge = bridge_variant(
      snapshot(), rack_.at(*runs_[task].active), loading(task, *runs_[task].target), rack_.memory());
  // The target would have to make room again: it is for others that the old engine goes.
  if (!bridge || *bridge == *runs_[task].target) return false;
  if (pause_left(task, *bridge) > Duration(0)) return true;
  start_load(task, *bridge);
  runs_[task].bridging = true;
  return true;
}

void Controller::start_load(TaskIndex task, std::size_t variant) {
  TaskRun& run = runs_[task];
  const scheduler::Task& config = wanted_.tasks[task];
  const profiles::Variant& of = config.profiles->variants[variant];
  const std::optional<ProcessorIndex> processor = processor_of(of, wanted_, config.regions);
  SACCADE_CHECK(processor);
  const EngineSlot& slot =
      rack_.start_load(task, config, variant, *processor, devices_of(of, wanted_, places_), now_);
  run.standby = slot.key;
  run.bridging = false;
  std::string detail = variant_name(slot);
  if (!slot.profile().memory) detail += " (memory not measured, counted as 0)";
  if (!slot.memories.empty() && !slot.profile().device_memory)
    detail += " (device memory not measured, counted as 0)";
  if (variant != *run.target) detail += ", a bridge to " + target(task).id.str();
  report(EventKind::load, task, std::move(detail));
  out_.emplace_back(action::Load{slot.key, task, slot.variant, slot.regions, slot.profiles, slot.processor,
                                 rack_.broken(task)});
}

void Controller::swap_in(EngineSlot& slot) {
  TaskRun& run = runs_[slot.task];
  slot.apply(EngineEvent::swapped_in);
  slot.spare = false;
  if (run.active) rack_.at(*run.active).apply(EngineEvent::swapped_out);
  out_.emplace_back(action::Swap{slot.task, slot.key, slot.processor, run.active});
  report(EventKind::swap, slot.task,
         (run.active ? variant_name(rack_.at(*run.active)) : "nothing") + " -> " + variant_name(slot));
  const bool bridge = std::exchange(run.bridging, false);
  log_.done(slot.task, slot, bridge, now_);
  run.active = slot.key;
  run.steady = bridge ? Fps(0.0) : run.granted;
  run.awaited = false;
  run.standby.reset();
  run.switching = bridge;
}

void Controller::take_out(TaskIndex task) {
  TaskRun& run = runs_[task];
  if (!run.active && !run.awaited) return;
  run.awaited = run.switching;
  action::Swap swap{task, std::nullopt, 0, run.active, run.awaited};
  if (run.active) {
    EngineSlot& slot = rack_.at(*run.active);
    slot.apply(EngineEvent::swapped_out);
    swap.processor = slot.processor;
  }
  out_.emplace_back(swap);
  run.active.reset();
}

void Controller::call_off(TaskIndex task) {
  runs_[task].switching = false;
  log_.call_off(task, now_);
}

void Controller::unload(EngineSlot& slot) {
  slot.apply(EngineEvent::unload);
  out_.emplace_back(action::Unload{slot.key});
}

void Controller::set_rates() {
  const bool shadowed =
      std::any_of(runs_.begin(), runs_.end(), [](const TaskRun& run) { return run.switching; });
  const std::vector<Fps> rates = rates_now(wanted_, runs_, rack_, options_.runtime.shares);
  for (TaskIndex i = 0; i < runs_.size(); ++i) {
    TaskRun& run = runs_[i];
    if (run.switching && rates[i] < run.granted) log_.did_not_fit(i);
    const std::optional<Fps> shadow = shadowed ? std::optional(run.granted) : std::nullopt;
    if (rates[i] == run.rate && shadow == run.shadow) continue;
    run.rate = rates[i];
    run.shadow = shadow;
    out_.emplace_back(action::SetRate{i, run.rate, run.shadow});
  }
}

bool Controller::all_at_granted_rate() const {
  return std::all_of(runs_.begin(), runs_.end(),
                     [](const TaskRun& run) { return run.rate >= run.granted && !run.awaited; });
}

void Controller::note_urgency() {
  const bool urgent = !all_at_granted_rate();
  if (!plan_ || urgent == reported_urgent_) return;
  reported_urgent_ = urgent;
  out_.emplace_back(action::SetUrgency{urgent});
}

void Controller::end_transition_if_done() {
  if (!in_transition_ ||
      std::any_of(runs_.begin(), runs_.end(), [](const TaskRun& run) { return run.switching; })) {
    return;
  }
  in_transition_ = false;
  report(EventKind::transition_end, std::nullopt, "");
}

}  // namespace saccade::runtime
