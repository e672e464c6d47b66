#include "runtime/controller.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "runtime/controller_impl.hpp"
#include "runtime/executable.hpp"
#include "scheduler/plan_check.hpp"

namespace saccade::runtime {
namespace {

constexpr int kErrorsInARow = 5;

// The heuristics look at no limit that tasks share, whatever filters they apply to each variant.
bool obeys_limits(const scheduler::Plan& plan) {
  return plan.policy == scheduler::to_string(scheduler::PolicyKind::transprecision);
}

}  // namespace

Controller::Impl::Impl(const ControllerOptions& options)
    : options_(options),
      gate_(to_duration(options.runtime.coalesce), to_duration(options.first_backoff),
            to_duration(options.max_backoff)),
      exclusions_(to_duration(options.first_backoff), to_duration(options.max_backoff)) {}

std::vector<Action> Controller::Impl::on(const Event& event, TimePoint now) {
  now_ = std::max(now_, now);  // whoever read the clock first may come second to the lock
  out_.clear();
  std::visit([&](const auto& e) { handle(e); }, event);
  watch_limit();
  return std::move(out_);
}

std::optional<TimePoint> Controller::Impl::next_tick() {
  std::optional<TimePoint> next = gate_.next_start();
  const auto earlier = [&](std::optional<TimePoint> other) {
    if (other && (!next || *other < *next)) next = other;
  };
  earlier(exclusions_.next_expiry());
  if (const EngineSlot* slot = rack_.on_the_way_up()) {
    earlier(slot->load_started + to_duration(options_.runtime.load_timeout));
  }
  if (above_since_ && excess_ != Excess::told) {
    earlier(*above_since_ + (excess_ == Excess::seen ? kLetGoAfter : kTellAfter));
  }
  return next;
}

void Controller::Impl::handle(const event::Change& change) {
  const scheduler::Snapshot before = std::exchange(wanted_, change.wanted);
  if (generation_ == 0) corrections_.assign(wanted_.processors.size(), 1.0);
  SACCADE_CHECK(wanted_.tasks.size() >= runs_.size() && wanted_.processors.size() == corrections_.size());
  runs_.resize(wanted_.tasks.size());
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
  // What was infeasible under another limit may not be under this one.
  if (generation_ > 0 && before.limits.memory != wanted_.limits.memory) fallback_ = false;
  // A plan that obeys no memory limit goes on without one until it is replaced.
  if (limited_) rack_.memory().set_limit(wanted_.limits.memory);
  evict_parked_above_limit();
  replan();
}

void Controller::Impl::handle(const event::PlanReady& ready) {
  const auto whole = std::make_shared<const scheduler::Plan>(ready.plan);
  const bool newest = whole->generation == generation_;
  if (whole->status == scheduler::PlanStatus::unknown) {
    report("plan", std::nullopt, "the solver came back with nothing; what runs stays");
    newest ? gate_.came_back_empty(now_) : gate_.came_back();
    load_next();  // what waited for this plan waits no longer
    solve_if_due();
    return;
  }
  gate_.came_back();
  const scheduler::Plan* chosen = scheduler::runnable(*whole);
  const bool limited = obeys_limits(*whole);
  const auto scope = limited ? scheduler::CheckScope::all : scheduler::CheckScope::time_only;
  const std::string name = "generation " + std::to_string(whole->generation);

  if (newest && whole->status == scheduler::PlanStatus::infeasible) {
    std::string why;
    for (const scheduler::Relaxation& relaxation : whole->relaxations) why += "; " + relaxation.what;
    report("infeasible", std::nullopt,
           name + (chosen ? ": the fallback runs instead" : ": what runs stays") + why);
    fallback_ = fallback_ || !chosen;
  }
  const bool outdated = whole->generation < profiles_generation_ ||
                        (chosen && !newest && !scheduler::check_plan(snapshot(), *chosen, scope).empty());
  if (outdated) {
    report("plan", std::nullopt, name + " is outdated and does not fit any more; dropped");
  } else if (chosen && !allowed(*chosen)) {
    report("plan", std::nullopt, name + " names a variant that is excluded; dropped");
  } else if (chosen) {
    report("plan", std::nullopt, name + " " + scheduler::to_string(chosen->status) + " by " + chosen->policy);
    fallback_ = chosen != whole.get();
    adopt(std::shared_ptr<const scheduler::Plan>(whole, chosen), limited);
  }
  load_next();
  solve_if_due();
}

void Controller::Impl::handle(const event::LoadFinished& finished) {
  EngineSlot& slot = rack_.at(finished.engine);
  if (slot.abandoned) {
    if (finished.errors.empty()) {
      unload(slot);
    } else {
      rack_.gone(finished.engine);
      load_next();
    }
  } else if (finished.errors.empty()) {
    rack_.loaded(slot, finished.time);
    out_.emplace_back(action::Warm{finished.engine, nobody_waits() ? 2 : 1});
  } else {
    const EngineSlot failed = slot;
    rack_.failed(slot);
    rack_.gone(finished.engine);  // nothing came into being
    give_up(failed, "does not load: " + to_string(finished.errors));
  }
}

void Controller::Impl::handle(const event::WarmFinished& finished) {
  EngineSlot& slot = rack_.at(finished.engine);
  if (slot.abandoned) {
    unload(slot);
  } else if (!finished.errors.empty()) {
    rack_.failed(slot);
    unload(slot);
    give_up(slot, "does not warm up: " + to_string(finished.errors));
  } else {
    rack_.warmed(slot, finished.time);
    if (runs_[slot.task].standby == slot.key) {
      swap_in(slot);
      set_rates();
      end_transition_if_done();
    } else {
      slot.apply(EngineEvent::swapped_out);  // no longer wanted
      unload(slot);
    }
    load_next();
  }
}

void Controller::Impl::handle(const event::Swapped& swapped) {
  for (const TaskRun& run : runs_) {
    if (run.recorded != swapped.engine) continue;
    if (SwitchRecord* record = kept(*run.last_record)) record->swap_time = swapped.time;
    count([&](SwitchTotals& totals) { totals.swap_times.add(swapped.time); });
  }
}

void Controller::Impl::handle(const event::Drained& drained) {
  EngineSlot& slot = rack_.at(drained.engine);
  park_or_unload(slot);
  load_next();
}

void Controller::Impl::handle(const event::Unloaded& unloaded) {
  const EngineSlot& slot = rack_.at(unloaded.engine);
  report("unload", slot.task, variant_name(slot));
  rack_.gone(unloaded.engine);
  load_next();
}

void Controller::Impl::handle(const event::InferenceEnded& ended) {
  EngineSlot* slot = rack_.find(ended.engine);
  if (!slot || slot->broken) return;
  if (ended.errors.empty()) {
    slot->errors_in_a_row = 0;
    if (++slot->good_in_a_row == Exclusions::kTrusted && up_to_date(*slot)) {
      exclusions_.forgive(slot->task, slot->variant);
    }
    return;
  }
  slot->good_in_a_row = 0;
  if (++slot->errors_in_a_row < kErrorsInARow) return;
  slot->broken = true;
  exclude(*slot, std::to_string(kErrorsInARow) + " inferences in a row failed: " + to_string(ended.errors));
}

void Controller::Impl::handle(const event::Drift& drift) {
  corrections_.at(drift.processor) = drift.correction;
  replan();
}

void Controller::Impl::handle(const event::FramesLost& lost) {
  TaskRun& run = runs_.at(lost.task);
  if (run.switching) {
    ++run.lost;
  } else if (SwitchRecord* record = run.record ? kept(*run.record) : nullptr) {
    ++record->frames_lost;
  }
}

void Controller::Impl::handle(const event::SourceLost& lost) {
  TaskRun& run = runs_.at(lost.task);
  if (run.demand.value() == 0.0) return;
  run.source_lost = true;
  report("plan", lost.task, "no frame comes: planned without it");
  replan();
}

void Controller::Impl::handle(const event::SourceBack& back) {
  if (!std::exchange(runs_.at(back.task).source_lost, false)) return;
  report("plan", back.task, "frames come again: planned with it");
  replan();
}

void Controller::Impl::handle(const event::Tick&) {
  abandon_hung_load();
  if (exclusions_.expire(now_)) replan();
  solve_if_due();
}

void Controller::Impl::replan() {
  ++generation_;
  gate_.wanted();
  solve_if_due();
}

void Controller::Impl::solve_if_due() {
  const bool start = gate_.start(now_);
  if (gate_.pending() != told_solving_) {
    told_solving_ = gate_.pending();
    out_.emplace_back(action::SetSolving{told_solving_});
  }
  if (start) out_.emplace_back(action::Solve{snapshot()});
}

scheduler::Snapshot Controller::Impl::snapshot() const {
  scheduler::Snapshot filled = wanted_;
  filled.generation = generation_;
  for (ProcessorIndex p = 0; p < corrections_.size(); ++p) filled.processors[p].correction = corrections_[p];
  for (TaskIndex i = 0; i < runs_.size(); ++i) {
    scheduler::Task& task = filled.tasks[i];
    const TaskRun& run = runs_[i];
    task.excluded.resize(task.profiles->variants.size(), false);
    for (std::size_t v = 0; v < task.excluded.size(); ++v) {
      if (exclusions_.excluded(i, v) || !processor_of(task.profiles->variants[v], wanted_)) {
        task.excluded[v] = true;
      }
    }
    if (run.source_lost) task.demand = Fps(0.0);
    // Another task may have its id by now.
    if (run.removed) task.id = TaskId(task.id.str() + " (removed, " + std::to_string(i) + ")");
    task.running.reset();
    task.running_rate = run.rate;
    if (run.active && up_to_date(rack_.at(*run.active))) task.running = rack_.at(*run.active).variant;
    if (run.last_switch) task.since_switch = to_seconds(now_ - *run.last_switch);
  }
  return filled;
}

bool Controller::Impl::allowed(const scheduler::Plan& plan) const {
  for (TaskIndex i = 0; i < runs_.size(); ++i) {
    const std::optional<std::size_t>& variant = plan.tasks.at(i).variant;
    if (!variant) continue;
    if (exclusions_.excluded(i, *variant)) return false;
    if (!processor_of(wanted_.tasks[i].profiles->variants.at(*variant), wanted_)) return false;
  }
  return true;
}

void Controller::Impl::profiles_changed(TaskIndex task) {
  // Variant indices mean something else from now on: nothing that was decided with the old ones holds.
  profiles_generation_ = generation_ + 1;
  exclusions_.clear(task);
  TaskRun& run = runs_[task];
  run.target.reset();
  run.standby.reset();
  call_off(task);
  for (const profiles::Variant& variant : wanted_.tasks[task].profiles->variants) {
    if (variant.frame_time.size() > 1) {
      report("exclude", task,
             variant.id.str() + " is split over several processors; that is not executed yet");
    }
  }
}

void Controller::Impl::note_removed(const std::vector<TaskIndex>& removed) {
  for (TaskRun& run : runs_) run.removed = false;
  if (removed.empty()) return;
  for (const TaskIndex task : removed) {
    SACCADE_CHECK(wanted_.tasks.at(task).demand.value() == 0.0);
    runs_[task].removed = true;
    aim(task, std::nullopt, Fps(0.0));  // at once: nobody waits for a plan without it
  }
  set_rates();
  keep_within_cache();
  end_transition_if_done();
}

void Controller::Impl::report(std::string event, std::optional<TaskIndex> task, std::string detail) {
  out_.emplace_back(action::Report{std::move(event), task ? wanted_.tasks[*task].id.str() : std::string(),
                                   std::move(detail)});
}

Controller::Controller(const ControllerOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Controller::~Controller() = default;
std::vector<Action> Controller::on(const Event& event, TimePoint now) { return impl_->on(event, now); }
std::optional<TimePoint> Controller::next_tick() const { return impl_->next_tick(); }
bool Controller::in_transition() const { return impl_->in_transition_; }
bool Controller::settled() const { return !impl_->gate_.pending() && !impl_->in_transition_; }
std::uint64_t Controller::generation() const { return impl_->generation_; }
const std::shared_ptr<const scheduler::Plan>& Controller::plan() const { return impl_->plan_; }
std::optional<std::size_t> Controller::serving(TaskIndex task) const {
  const TaskRun& run = impl_->runs_.at(task);
  return run.active ? std::optional(impl_->rack_.at(*run.active).variant) : std::nullopt;
}
Bytes Controller::reserved() const { return impl_->rack_.memory().used(); }
Bytes Controller::reserved_peak() const { return impl_->rack_.memory().peak(); }
const std::vector<SwitchRecord>& Controller::switches() const { return impl_->switches_; }
const std::shared_ptr<const SwitchTotals>& Controller::switch_totals() const { return impl_->totals_; }

}  // namespace saccade::runtime
