#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "runtime/controller_impl.hpp"
#include "runtime/executable.hpp"
#include "runtime/switch_order.hpp"
#include "runtime/task_rates.hpp"

namespace saccade::runtime {
namespace {

// Loader threads: the first, and one that takes over when its load hangs.
constexpr std::size_t kLoaders = 2;

}  // namespace

void Controller::Impl::adopt(std::shared_ptr<const scheduler::Plan> plan, bool limited) {
  plan_ = std::move(plan);
  rack_.memory().set_limit(limited ? wanted_.limits.memory : std::nullopt);
  if (limited_ && !limited && wanted_.limits.memory) {
    report("plan", std::nullopt, plan_->policy + " plans without the memory limit; it is not enforced");
  }
  limited_ = limited;
  if (!in_transition_) {
    for (TaskRun& run : runs_) run.record.reset();
  }
  // Who goes off makes room first.
  for (TaskIndex i = 0; i < runs_.size(); ++i) {
    if (!plan_->tasks.at(i).variant) aim(i, std::nullopt, Fps(0.0));
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

void Controller::Impl::aim(TaskIndex task, std::optional<std::size_t> variant, Fps granted) {
  TaskRun& run = runs_[task];
  const scheduler::Task& config = wanted_.tasks[task];
  run.target = variant;
  run.granted = granted;
  if (!variant) {
    run.standby.reset();
    call_off(task);
    if (run.active) take_out(task);
    return;
  }
  // Whatever is on its way up for this task is used if it is what the plan wants, else thrown away
  // when it is ready.
  run.standby.reset();
  if (run.active && rack_.at(*run.active).holds(config.profiles, *variant, config.regions)) {
    call_off(task);
    return;
  }
  if (!run.switching) {
    run.switching = true;
    run.both_fit = run.active.has_value();
    run.lost = 0;
    run.from = run.active ? std::optional(rack_.at(*run.active).variant) : std::nullopt;
  }
  const EngineSlot* up = rack_.on_the_way_up();
  if (up && up->task == task && up->holds(config.profiles, *variant, config.regions)) {
    run.standby = up->key;
  } else if (EngineSlot* slot = rack_.parked(task, config, *variant)) {
    slot->load_time = slot->warm_time = Duration(0);  // this switch loads nothing
    swap_in(*slot);
  }
}

void Controller::Impl::load_next() {
  while (!rack_.on_the_way_up() && rack_.abandoned() < kLoaders) {
    std::vector<TaskIndex> waiting;
    for (TaskIndex i = 0; i < runs_.size(); ++i) {
      if (runs_[i].switching && !exclusions_.excluded(i, *runs_[i].target)) waiting.push_back(i);
    }
    if (waiting.empty()) return;
    const auto target = [&](TaskIndex i) -> const profiles::Variant& {
      return wanted_.tasks[i].profiles->variants[*runs_[i].target];
    };
    // Highest class first; in it who leaves time to the others, so that none has to wait for it at a lower
    // rate; then the shortest load; what was not measured comes last.
    std::stable_sort(waiting.begin(), waiting.end(), [&](TaskIndex a, TaskIndex b) {
      const int class_a = wanted_.tasks[a].priority;
      const int class_b = wanted_.tasks[b].priority;
      if (class_a != class_b) return class_a > class_b;
      const bool a_frees = frees_time(wanted_, runs_[a], a, rack_);
      if (a_frees != frees_time(wanted_, runs_[b], b, rack_)) return a_frees;
      const std::optional<Seconds>& time_a = target(a).load_time;
      const std::optional<Seconds>& time_b = target(b).load_time;
      return time_a && (!time_b || *time_a < *time_b);
    });
    std::vector<SwitchStep> steps;
    for (const TaskIndex i : waiting) {
      const bool has_old = runs_[i].active.has_value();
      steps.push_back({memory_loading(target(i)), memory_serving(target(i)),
                       has_old ? rack_.memory().reserved(*runs_[i].active) : Bytes(0.0), has_old});
    }
    const NextStep next = next_step(rack_.memory(), rack_.coming_back(), steps, options_.runtime.transition);
    const TaskIndex task = waiting[next.step];
    // Not to be waited for when nobody knows when one comes.
    const bool a_plan_may_ask_for_less =
        gate_.pending() && !(gate_.empty_handed() && next.kind == NextStep::Kind::unload_old);
    if (next.kind == NextStep::Kind::load) {
      start_load(task);
    } else if (next.kind == NextStep::Kind::wait || a_plan_may_ask_for_less) {
      return;  // in the first case for memory that comes back
    } else if (EngineSlot* parked = rack_.oldest_parked()) {
      unload(*parked);  // the warm cache gives way to whatever is needed now
    } else if (next.kind == NextStep::Kind::unload_old) {
      runs_[task].both_fit = false;
      take_out(task);
      set_rates();
    } else {
      count([](SwitchTotals& totals) { ++totals.failed; });
      exclude(task, *runs_[task].target, "does not fit into the memory limit while it loads");
    }
  }
}

void Controller::Impl::start_load(TaskIndex task) {
  TaskRun& run = runs_[task];
  const scheduler::Task& config = wanted_.tasks[task];
  const std::optional<ProcessorIndex> processor =
      processor_of(config.profiles->variants[*run.target], wanted_);
  SACCADE_CHECK(processor);
  const EngineSlot& slot = rack_.start_load(task, config, *run.target, *processor, now_);
  run.standby = slot.key;
  report("load", task,
         variant_name(slot) + (slot.profile().memory ? "" : " (memory not measured, counted as 0)"));
  out_.emplace_back(action::Load{slot.key, task, slot.variant, slot.regions, slot.profiles, slot.processor});
}

void Controller::Impl::swap_in(EngineSlot& slot) {
  TaskRun& run = runs_[slot.task];
  slot.apply(EngineEvent::swapped_in);
  if (run.active) rack_.at(*run.active).apply(EngineEvent::swapped_out);
  out_.emplace_back(action::Swap{slot.task, slot.key, slot.processor, run.active});
  note_switch(slot.task, slot);
  run.active = slot.key;
  run.standby.reset();
  run.switching = false;
}

void Controller::Impl::take_out(TaskIndex task) {
  TaskRun& run = runs_[task];
  EngineSlot& slot = rack_.at(*run.active);
  slot.apply(EngineEvent::swapped_out);
  out_.emplace_back(action::Swap{task, std::nullopt, slot.processor, slot.key});
  run.active.reset();
}

void Controller::Impl::note_switch(TaskIndex task, const EngineSlot& slot) {
  TaskRun& run = runs_[task];
  report("swap", task,
         (run.active ? variant_name(rack_.at(*run.active)) : "nothing") + " -> " + variant_name(slot));
  if (!run.has_served) {
    run.has_served = true;
    return;
  }
  SwitchRecord record;
  record.at = now_;
  record.task = task;
  record.from = run.from;
  record.to = slot.variant;
  record.load_time = slot.load_time;
  record.warm_time = slot.warm_time;
  record.frames_lost = run.lost;
  record.both_fit = run.both_fit;
  run.recorded = slot.key;
  run.last_switch = now_;
  keep(run, record);
  count([&](SwitchTotals& totals) {
    ++totals.done;
    totals.load_times.add(slot.load_time);
    totals.warm_times.add(slot.warm_time);
  });
}

// A service may run for years: what is kept does not grow with its switches.
void Controller::Impl::keep(TaskRun& run, const SwitchRecord& record) {
  if (switches_.size() == 2 * kSwitchesKept) {
    switches_.erase(switches_.begin(), switches_.begin() + kSwitchesKept);
    forgotten_ += kSwitchesKept;
  }
  run.record = run.last_record = forgotten_ + switches_.size();
  switches_.push_back(record);
}

SwitchRecord* Controller::Impl::kept(std::size_t number) {
  return number < forgotten_ ? nullptr : &switches_.at(number - forgotten_);
}

void Controller::Impl::call_off(TaskIndex task) {
  TaskRun& run = runs_[task];
  if (std::exchange(run.switching, false) && run.lost > 0) {
    SwitchRecord record;
    record.at = now_;
    record.task = task;
    record.from = record.to = run.from;
    record.frames_lost = run.lost;
    run.recorded.reset();
    keep(run, record);
    count([](SwitchTotals& totals) { ++totals.called_off; });
  }
  run.lost = 0;
}

void Controller::Impl::unload(EngineSlot& slot) {
  SACCADE_CHECK(!slot.unload_asked);
  slot.unload_asked = true;
  out_.emplace_back(action::Unload{slot.key});
}

void Controller::Impl::give_up(const EngineSlot& failed, const std::string& why) {
  if (up_to_date(failed)) {
    count([](SwitchTotals& totals) { ++totals.failed; });
  }
  exclude(failed, why);
}

void Controller::Impl::exclude(const EngineSlot& failed, const std::string& why) {
  if (runs_[failed.task].standby == failed.key) runs_[failed.task].standby.reset();
  if (up_to_date(failed)) {
    exclude(failed.task, failed.variant, why);
  } else {
    report("fault", failed.task, variant_name(failed) + ": " + why);
    load_next();
  }
}

void Controller::Impl::exclude(TaskIndex task, std::size_t variant, const std::string& why) {
  const Duration pause = exclusions_.exclude(task, variant, now_);
  report("exclude", task,
         wanted_.tasks[task].profiles->variants.at(variant).id.str() + " for " +
             std::to_string(pause.count() / 1'000'000) + " ms: " + why);
  replan();
  load_next();
}

void Controller::Impl::abandon_hung_load() {
  EngineSlot* slot = rack_.on_the_way_up();
  if (!slot || now_ - slot->load_started < to_duration(options_.runtime.load_timeout)) return;
  rack_.abandon(*slot);
  report("fault", slot->task, variant_name(*slot) + " hangs while it loads; its loader is abandoned");
  if (rack_.abandoned() >= kLoaders) report("fault", std::nullopt, "no loader is left; what runs stays");
  give_up(*slot, "its load timed out");
}

void Controller::Impl::set_rates() {
  const bool shadowed =
      std::any_of(runs_.begin(), runs_.end(), [](const TaskRun& run) { return run.switching; });
  const std::vector<Fps> rates = rates_now(wanted_, runs_, rack_, options_.runtime.shares);
  for (TaskIndex i = 0; i < runs_.size(); ++i) {
    TaskRun& run = runs_[i];
    if (run.switching && rates[i] < run.granted) run.both_fit = false;
    const std::optional<Fps> shadow = shadowed ? std::optional(run.granted) : std::nullopt;
    if (rates[i] == run.rate && shadow == run.shadow) continue;
    run.rate = rates[i];
    run.shadow = shadow;
    out_.emplace_back(action::SetRate{i, run.rate, run.shadow});
  }
}

bool Controller::Impl::nobody_waits() const {
  return std::all_of(runs_.begin(), runs_.end(), [](const TaskRun& run) { return run.rate >= run.granted; });
}

void Controller::Impl::end_transition_if_done() {
  if (!in_transition_ ||
      std::any_of(runs_.begin(), runs_.end(), [](const TaskRun& run) { return run.switching; })) {
    return;
  }
  in_transition_ = false;
  report("transition_end", std::nullopt, "");
}

}  // namespace saccade::runtime
