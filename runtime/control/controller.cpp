#include "runtime/control/controller.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "profiles/processor_kinds.hpp"
#include "runtime/control/executable.hpp"
#include "runtime/frames/decoding_load.hpp"
#include "scheduler/plan_check.hpp"

namespace saccade::runtime {

Controller::Controller(const ControllerOptions& options)
    : options_(options),
      gate_(to_duration(options.runtime.coalesce), to_duration(options.first_backoff),
            to_duration(options.max_backoff)),
      exclusions_(to_duration(options.first_backoff), to_duration(options.max_exclusion)) {}

std::vector<Action> Controller::on(const Event& event, TimePoint now) {
  now_ = std::max(now_, now);  // callers that read the clock first may come second
  out_.clear();
  std::visit([&](const auto& e) { handle(e); }, event);
  watch_limit();
  note_urgency();
  return std::move(out_);
}

std::optional<TimePoint> Controller::next_tick() const {
  std::optional<TimePoint> next = gate_.next_start();
  const auto earlier = [&](std::optional<TimePoint> other) {
    if (other && (!next || *other < *next)) next = other;
  };
  earlier(exclusions_.next_expiry());
  earlier(paused_until_);
  if (const EngineSlot* slot = rack_.on_the_way_up()) {
    earlier(slot->load_started + to_duration(options_.runtime.load_timeout));
  }
  if (above_since_ && excess_ != Excess::reported) {
    earlier(*above_since_ + (excess_ == Excess::seen ? kUnloadAfter : kReportAfter));
  }
  return next;
}

void Controller::handle(const event::Change& change) {
  const scheduler::Snapshot before = std::exchange(wanted_, change.wanted);
  SACCADE_CHECK(wanted_.tasks.size() >= runs_.size());
  if (generation_ > 0) {
    SACCADE_CHECK(wanted_.processors.size() == before.processors.size());
    wanted_.processors = before.processors;  // with what was measured of them
    SACCADE_CHECK(change.corrections.empty() || change.corrections.size() == wanted_.processors.size());
    for (std::size_t p = 0; p < change.corrections.size(); ++p) {
      wanted_.processors[p].correction = change.corrections[p];
      leave_for_decoding(p);
    }
  } else {
    for (const scheduler::Processor& processor : wanted_.processors) {
      capacities_.push_back(processor.capacity);
    }
    decoding_.assign(capacities_.size(), 0.0);
    places_ = scheduler::memory_places(wanted_);
    rack_.memory().set_contexts(memory_contexts(wanted_));
    note_pauses();
  }
  runs_.resize(wanted_.tasks.size());
  log_.resize(runs_.size());
  for (const TaskIndex task : change.renewed) renew(task);
  for (TaskIndex task = 0; task < runs_.size(); ++task) {
    if (task >= before.tasks.size() || before.tasks[task].profiles != wanted_.tasks[task].profiles) {
      profiles_changed(task);
    }
    const Fps demand = wanted_.tasks[task].demand;
    if (demand == runs_[task].demand) continue;
    // Whether frames come is found out anew when they are due again.
    if (demand.value() == 0.0) runs_[task].source_lost = false;
    runs_[task].demand = demand;
    out_.emplace_back(action::SetDemand{task, demand});
  }
  note_removed(change.removed);
  note_spares(change.spares);
  // What was infeasible under another limit may not be under this one.
  if (generation_ > 0 && memory_limits(before) != memory_limits(wanted_)) fallback_ = false;
  // A plan that obeys no memory limit goes on without one until it is replaced.
  if (limited_) rack_.memory().set_limits(memory_limits(wanted_));
  evict_parked_above_limit();
  set_rates();  // of a transition, under the corrections that came with the change
  replan();
}

void Controller::handle(const event::PlanReady& ready) {
  const auto whole = std::make_shared<const scheduler::Plan>(ready.plan);
  const bool newest = whole->generation == generation_;
  if (whole->status == scheduler::PlanStatus::unknown) {
    report(EventKind::plan, std::nullopt, "the solver came back with nothing; what runs stays");
    newest ? gate_.came_back_empty(now_) : gate_.came_back();
    load_next();  // what waited for this plan waits no longer
    solve_if_due();
    return;
  }
  gate_.came_back();
  const scheduler::Plan* chosen = scheduler::runnable(*whole);
  const bool limited = whole->within_limits;
  const auto scope = limited ? scheduler::CheckScope::all : scheduler::CheckScope::time_only;
  const std::string name = "generation " + std::to_string(whole->generation);

  if (newest && whole->status == scheduler::PlanStatus::infeasible) {
    std::string why;
    for (const scheduler::Relaxation& relaxation : whole->relaxations) why += "; " + relaxation.what;
    report(EventKind::infeasible, std::nullopt,
           name + (chosen ? ": the fallback runs instead" : ": what runs stays") + why);
    fallback_ = fallback_ || !chosen;
  }
  const bool outdated = whole->generation < profiles_generation_ ||
                        (chosen && !newest && !scheduler::check_plan(snapshot(), *chosen, scope).empty());
  if (outdated) {
    report(EventKind::plan, std::nullopt, name + " is outdated and does not fit any more; dropped");
  } else if (chosen && !allowed(*chosen)) {
    report(EventKind::plan, std::nullopt, name + " names a variant that is excluded; dropped");
  } else if (chosen) {
    report(EventKind::plan, std::nullopt,
           name + " " + scheduler::to_string(chosen->status) + " by " + chosen->policy);
    fallback_ = chosen != whole.get();
    adopt(std::shared_ptr<const scheduler::Plan>(whole, chosen), limited);
  }
  load_next();
  solve_if_due();
}

void Controller::handle(const event::LoadFinished& finished) {
  EngineSlot& slot = rack_.at(finished.engine);
  if (slot.state == EngineState::abandoned) {
    if (finished.errors.empty()) {
      unload(slot);
    } else {
      rack_.gone(finished.engine);
      load_next();
    }
  } else if (finished.errors.empty() && !slot.broken) {
    rack_.loaded(slot, finished.time);
    if (!finished.remark.empty())
      report(EventKind::load, slot.task, variant_name(slot) + " " + finished.remark);
    out_.emplace_back(action::Warm{finished.engine, all_at_granted_rate() ? 2 : 1});
  } else {
    const EngineSlot failed = slot;
    load_has_ended(slot);
    rack_.failed(slot);
    if (finished.errors.empty()) {
      unload(slot);
    } else {
      rack_.gone(finished.engine);  // nothing came into being
    }
    give_up(failed, "does not load: " + to_string(finished.errors));
  }
}

void Controller::handle(const event::WarmFinished& finished) {
  EngineSlot& slot = rack_.at(finished.engine);
  if (slot.state == EngineState::abandoned) {
    unload(slot);
  } else if (!finished.errors.empty() || slot.broken) {
    load_has_ended(slot);
    rack_.failed(slot);
    unload(slot);
    give_up(slot, "does not warm up: " + to_string(finished.errors));
  } else {
    load_has_ended(slot);
    rack_.warmed(slot, finished.time);
    if (runs_[slot.task].standby == slot.key) {
      swap_in(slot);
      set_rates();
      end_transition_if_done();
    } else if (slot.spare) {
      spare_is_ready(slot);
    } else {
      slot.apply(EngineEvent::swapped_out);  // no longer wanted
      unload(slot);
    }
    load_next();
  }
}

void Controller::handle(const event::Drained& drained) {
  EngineSlot& slot = rack_.at(drained.engine);
  park_or_unload(slot);
  load_next();
}

void Controller::handle(const event::Unloaded& unloaded) {
  const EngineSlot& slot = rack_.at(unloaded.engine);
  report(EventKind::unload, slot.task, variant_name(slot));
  rack_.gone(unloaded.engine);
  load_next();
}

void Controller::handle(const event::Measured& measured) {
  const auto milliseconds = [](Seconds time) {
    return std::to_string(std::llround(time.value() * 1e3)) + " ms";
  };
  for (const MeasuredProcessor& each : measured.processors) {
    scheduler::Processor& processor = wanted_.processors.at(each.processor);
    processor.correction = each.correction;
    if (each.guard) {
      report(EventKind::plan, std::nullopt,
             "the guard of " + processor.id.str() + " follows the frames lost: " +
                 milliseconds(processor.guard) + " -> " + milliseconds(*each.guard));
      processor.guard = *each.guard;
    }
    leave_for_decoding(each.processor);
  }
  set_rates();  // of a transition, which may last longer than the solve
  replan();
}

void Controller::handle(const event::Decoding& decoding) {
  const auto percent = [](double of) { return std::to_string(std::llround(of * 100.0)) + " %"; };
  for (const auto& [processor, share] : decoding.processors) {
    double& before = decoding_.at(processor);
    report(EventKind::plan, std::nullopt,
           "decoding of cameras takes " + percent(share) + " of " +
               wanted_.processors.at(processor).id.str() + " (before: " + percent(before) + ")");
    before = share;
    leave_for_decoding(processor);
  }
  set_rates();
  replan();
}

// Off the capacity that plans use; nothing changes where nothing is decoded.
void Controller::leave_for_decoding(ProcessorIndex index) {
  scheduler::Processor& processor = wanted_.processors.at(index);
  const double whole = capacities_.at(index);
  processor.capacity =
      whole - decoding_charge(whole, processor.guard, processor.correction, decoding_.at(index));
}

void Controller::handle(const event::SourceLost& lost) {
  TaskRun& run = runs_.at(lost.task);
  if (run.demand.value() == 0.0) return;
  run.source_lost = true;
  report(EventKind::plan, lost.task, "no frame comes: planned without it");
  replan();
}

void Controller::handle(const event::SourceBack& back) {
  if (!std::exchange(runs_.at(back.task).source_lost, false)) return;
  report(EventKind::plan, back.task, "frames come again: planned with it");
  replan();
}

void Controller::handle(const event::Tick&) {
  abandon_hung_load();
  if (exclusions_.expire(now_)) replan();
  if (paused_until_ && now_ >= *paused_until_) load_next();
  solve_if_due();
}

void Controller::replan() {
  ++generation_;
  unload_refused_spares();
  gate_.wanted();
  solve_if_due();
}

void Controller::solve_if_due() {
  const bool start = gate_.start(now_);
  if (gate_.pending() != reported_solving_) {
    reported_solving_ = gate_.pending();
    out_.emplace_back(action::SetSolving{reported_solving_});
  }
  if (start) out_.emplace_back(action::Solve{snapshot()});
}

scheduler::Snapshot Controller::snapshot() const {
  scheduler::Snapshot filled = wanted_;
  filled.generation = generation_;
  for (TaskIndex i = 0; i < runs_.size(); ++i) {
    scheduler::Task& task = filled.tasks[i];
    const TaskRun& run = runs_[i];
    task.excluded.resize(task.profiles->variants.size(), false);
    for (std::size_t v = 0; v < task.excluded.size(); ++v) {
      if (exclusions_.excluded(i, v) || !processor_of(task.profiles->variants[v], wanted_, task.regions)) {
        task.excluded[v] = true;
      }
    }
    if (run.source_lost) task.demand = Fps(0.0);
    // Another task may have its id by now.
    if (run.removed) task.id = TaskId(task.id.str() + " (removed, " + std::to_string(i) + ")");
    task.running.reset();
    // Not the rate that it is lowered to until others have switched: if nothing better can be planned, what
    // runs stays, and it would stay at that.
    task.running_rate = run.active ? std::max(run.rate, run.steady) : run.rate;
    if (run.active && up_to_date(rack_.at(*run.active))) task.running = rack_.at(*run.active).variant;
    if (const auto& latest = log_.latest(i)) task.since_switch = to_seconds(now_ - *latest);
  }
  return filled;
}

bool Controller::allowed(const scheduler::Plan& plan) const {
  for (TaskIndex i = 0; i < runs_.size(); ++i) {
    const std::optional<std::size_t>& variant = plan.tasks.at(i).variant;
    if (!variant) continue;
    if (exclusions_.excluded(i, *variant)) return false;
    const scheduler::Task& task = wanted_.tasks[i];
    if (!processor_of(task.profiles->variants.at(*variant), wanted_, task.regions)) return false;
  }
  return true;
}

void Controller::profiles_changed(TaskIndex task) {
  // Variant indices mean something else from now on: nothing that was decided with the old ones holds.
  profiles_generation_ = generation_ + 1;
  exclusions_.clear(task);
  TaskRun& run = runs_[task];
  run.target.reset();
  run.standby.reset();
  run.bridging = false;
  call_off(task);
  for (const profiles::Variant& variant : wanted_.tasks[task].profiles->variants) {
    if (is_executable(variant, wanted_.tasks[task].regions)) continue;
    report(EventKind::exclude, task,
           variant.id.str() + (variant.staging.empty()
                                   ? " uses several processors without stages; that is not executed"
                                   : " has stages, which take one region of a frame"));
  }
}

void Controller::renew(TaskIndex task) {
  SACCADE_CHECK(at_rest(task));
  profiles_generation_ = generation_ + 1;  // older plans mean the task that had the index before
  exclusions_.clear(task);
  log_.forget(task);
  runs_[task] = TaskRun();
}

bool Controller::at_rest(TaskIndex task) const {
  const TaskRun& run = runs_.at(task);
  return !run.target && !run.active && !run.standby && !run.switching && !rack_.has_any(task);
}

void Controller::note_removed(const std::vector<TaskIndex>& removed) {
  for (TaskRun& run : runs_) run.removed = false;
  if (removed.empty()) return;
  for (const TaskIndex task : removed) {
    SACCADE_CHECK(wanted_.tasks.at(task).demand.value() == 0.0);
    runs_[task].removed = true;
    aim(task, std::nullopt, Fps(0.0));  // at once, without waiting for a plan
  }
  set_rates();
  keep_within_cache();
  end_transition_if_done();
}

void Controller::report(EventKind event, std::optional<TaskIndex> task, std::string detail) {
  out_.emplace_back(
      action::Report{event, task ? wanted_.tasks[*task].id.str() : std::string(), std::move(detail)});
}

std::optional<std::size_t> Controller::serving(TaskIndex task) const {
  const TaskRun& run = runs_.at(task);
  return run.active ? std::optional(rack_.at(*run.active).variant) : std::nullopt;
}

}  // namespace saccade::runtime
