#include "runtime/frame_desk.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {
constexpr Duration kIdlePeriod = std::chrono::seconds(1);  // of frames that nobody demands
}

FrameDesk::FrameDesk(const Setup& setup, FrameListener& listener)
    : listener_(listener),
      capacities_(setup.capacities),
      most_late_(setup.gate_frames + 1),
      dispatcher_(setup.capacities, setup.tasks, setup.gate_frames),
      ledger_(setup.tasks),
      segments_(setup.segment_starts, setup.tasks),
      stalls_(setup.tasks),
      drift_(setup.capacities.size()),
      tasks_(setup.tasks) {}

// --- the controller's wishes ----------------------------------------------------------------------

void FrameDesk::start(TimePoint now) {
  SACCADE_CHECK(!start_);
  start_ = now;
  for (TaskIndex task = 0; task < tasks_.size(); ++task) begin_ticks(task, now);
}

void FrameDesk::begin_ticks(TaskIndex task, TimePoint now) {
  TaskState& state = tasks_[task];
  const bool active = state.view.demand.value() > 0.0;
  const bool watched = active && !state.view.pushed;
  state.schedule.set_demand(watched ? state.view.demand : Fps(0.0), now);
  state.arrivals.set_rate(state.view.demand, now);
  ledger_.set_active(task, active, now);
  if (watched == state.watched) return;
  state.watched = watched;
  watched ? state.source.begin(now) : state.source.end();
  state.view.source_lost = false;
}

void FrameDesk::set_rate(const action::SetRate& rate, TimePoint now) {
  tasks_.at(rate.task).view.rate = rate.rate;
  dispatcher_.set_rate(rate.task, rate.rate, rate.shadow, now);
}

void FrameDesk::set_demand(TaskIndex task, Fps demand, TimePoint now) {
  TaskState& state = tasks_.at(task);
  state.view.demand = demand;
  dispatcher_.set_demand(task, demand);
  if (!start_) return;
  collect_ticks(task, now);
  begin_ticks(task, now);
}

void FrameDesk::set_granted(TaskIndex task, Fps granted, TimePoint now) {
  ledger_.set_granted(task, granted, now);
}

void FrameDesk::set_pushed(TaskIndex task, bool pushed, TimePoint now) {
  TaskState& state = tasks_.at(task);
  if (state.view.pushed == pushed) return;
  state.view.pushed = pushed;
  if (!start_) return;
  collect_ticks(task, now);
  while (take_tick(task)) continue;  // nobody comes for them any more
  if (state.view.source_lost) listener_.tell(event::SourceBack{task});
  begin_ticks(task, now);
}

void FrameDesk::swap(const action::Swap& swap, const std::optional<ServingEngine>& engine, TimePoint now) {
  TaskState& state = tasks_.at(swap.task);
  std::optional<Route> route;
  if (engine) {
    engines_[engine->key] = {*engine, swap.task};
    route = Route{swap.processor, engine->key};
  }
  for (const Drop& dropped : dispatcher_.set_route(swap.task, route)) drop(dropped, now);
  state.view.processor = engine ? std::optional(swap.processor) : std::nullopt;
  state.view.variant = engine ? std::optional(engine->variant) : std::nullopt;
  if (swap.old) {
    engines_.at(*swap.old).draining = true;
    if (!dispatcher_.engine_busy(*swap.old)) drained(*swap.old);
  }
}

// --- another configuration ------------------------------------------------------------------------

void FrameDesk::add_task() {
  dispatcher_.add_task();
  ledger_.add_task();
  segments_.add_task();
  stalls_.add_task();
  tasks_.emplace_back();
}

void FrameDesk::remove_task(TaskIndex task) {
  while (take_tick(task)) continue;
}

void FrameDesk::retime(const std::vector<Duration>& segment_starts, TimePoint now) {
  segments_.retime(segment_starts, start_ ? now - *start_ : Duration(0));
}

// --- frames come in -------------------------------------------------------------------------------

void FrameDesk::collect_ticks(TaskIndex task, TimePoint until) {
  TaskState& state = tasks_.at(task);
  while (state.schedule.next() && *state.schedule.next() <= until) {
    state.passed.push_back(state.schedule.take());
    if (state.passed.size() <= most_late_) continue;
    const TimePoint missed = state.passed.pop_front();
    count_tick(task, missed);
    stalls_.missed(task, missed);
  }
}

std::optional<TimePoint> FrameDesk::take_tick(TaskIndex task) {
  TaskState& state = tasks_.at(task);
  if (state.passed.empty()) return std::nullopt;
  const TimePoint due = state.passed.pop_front();
  count_tick(task, due);
  return due;
}

std::optional<TimePoint> FrameDesk::next_tick(TaskIndex task) const {
  return tasks_.at(task).schedule.next();
}

Duration FrameDesk::period(TaskIndex task) const {
  const TaskState& state = tasks_.at(task);
  if (!state.view.pushed) return state.schedule.period();
  return state.view.demand.value() > 0.0 ? interval_of(state.view.demand) : kIdlePeriod;
}

void FrameDesk::offer(TaskIndex task, FrameNumber frame, TimePoint due, Duration period, TimePoint now) {
  ledger_.received(task, frame);
  TaskState& state = tasks_[task];
  if (state.source.heard(now)) {
    state.view.source_lost = false;
    listener_.tell(event::SourceBack{task});
  }
  if (const auto dropped = dispatcher_.offer(task, frame, due, period)) drop(*dropped, now);
}

bool FrameDesk::push(TaskIndex task, FrameNumber frame, TimePoint now) {
  TaskState& state = tasks_.at(task);
  SACCADE_CHECK(start_ && state.view.pushed);
  if (state.arrivals.admit(now)) count_tick(task, now);
  if (dispatcher_.full(task)) {
    ledger_.rejected(task);
    return false;
  }
  ledger_.received(task, frame);
  if (const auto dropped = dispatcher_.offer(task, frame, now, period(task))) drop(*dropped, now);
  return true;
}

std::vector<TaskIndex> FrameDesk::lost_sources(TimePoint now) {
  std::vector<TaskIndex> lost;
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    TaskState& state = tasks_[task];
    if (!state.source.look(now, state.schedule.period())) continue;
    state.view.source_lost = true;
    lost.push_back(task);
  }
  return lost;
}

// --- and out --------------------------------------------------------------------------------------

void FrameDesk::finished(ProcessorIndex processor, const Start& start, TimePoint now, Duration inference,
                         const Status& status, FrameLedger::Judged judged) {
  dispatcher_.finished(processor, now);
  if (stalls_.idle_wanted() && dispatcher_.idle()) stalls_.idle(now);
  EngineState& engine = engines_.at(start.engine);
  if (status.ok()) {
    ledger_.processed(start.task, start.frame, start.due, now, inference, engine.engine.variant, judged);
    segments_.processed(start.task, start.due - *start_);
    if (engine.engine.profiled.count() > 0) {
      drift_.sample(processor, start.engine, inference, engine.engine.profiled, now);
    }
  } else {
    drop({start.task, start.frame, DropReason::engine_error, LossCause::other}, now);
    engine.untold = Exclusions::kTrusted + 1;
  }
  if (engine.untold > 0) {
    --engine.untold;
    listener_.tell(event::InferenceEnded{start.engine, status.ok() ? Errors{} : status.errors()});
  }
  if (engine.draining && !dispatcher_.engine_busy(start.engine)) drained(start.engine);
}

void FrameDesk::drop_waiting(DropReason reason, TimePoint now) {
  for (const Drop& dropped : dispatcher_.drop_all(reason)) drop(dropped, now);
}

// --- the books ------------------------------------------------------------------------------------

RunSummary FrameDesk::summarise(std::vector<RunTask> tasks, const std::vector<SwitchRecord>& switches,
                                TimePoint end) {
  SACCADE_CHECK(start_);
  stalls_.settle();
  for (const auto& [key, state] : engines_) keep_residual(state);
  for (TaskIndex task = 0; task < tasks.size(); ++task) tasks[task].residuals = tasks_[task].residuals;
  return runtime::summarise(tasks, ledger_, segments_, stalls_, switches, *start_, end);
}

void FrameDesk::count_tick(TaskIndex task, TimePoint due) {
  const std::int64_t granted_before = ledger_.task(task).granted;
  ledger_.tick(task, due);
  segments_.tick(task, due - *start_, ledger_.task(task).granted > granted_before);
}

void FrameDesk::drop(const Drop& drop, TimePoint now) {
  ledger_.dropped(drop);
  stalls_.dropped(drop, now);
  if (drop.cause == LossCause::switching) listener_.tell(event::FramesLost{drop.task});
  listener_.dropped(drop, now);
}

std::optional<double> FrameDesk::drift(ProcessorIndex processor, TimePoint now) {
  std::vector<DriftFilter::Asked> asked;
  for (const auto& [key, state] : engines_) {
    const TaskView& view = tasks_[state.task].view;
    if (state.draining || view.processor != processor) continue;
    asked.push_back({key, view.rate.value() * to_seconds(state.engine.profiled).value()});
  }
  return drift_.update(processor, asked, capacities_[processor], now);
}

void FrameDesk::drained(EngineKey engine) {
  keep_residual(engines_.at(engine));
  drift_.forget(engine);
  engines_.erase(engine);
  listener_.tell(event::Drained{engine});
}

void FrameDesk::keep_residual(const EngineState& state) {
  const auto residual = drift_.residual(state.engine.key);
  if (!residual) return;
  auto& residuals = tasks_[state.task].residuals;
  residuals.resize(std::max(residuals.size(), state.engine.variant + 1));
  residuals[state.engine.variant] = residual;
}

}  // namespace saccade::runtime
