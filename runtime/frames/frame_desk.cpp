#include "runtime/frames/frame_desk.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "runtime/frames/tick_spread.hpp"

namespace saccade::runtime {
namespace {
constexpr Duration kIdlePeriod = std::chrono::seconds(1);  // of frames that nobody demands
}  // namespace

FrameDesk::FrameDesk(const Setup& setup, FrameListener& listener)
    : listener_(listener),
      capacities_(setup.capacities),
      processor_cpus_(setup.places.processors),
      announced_(setup.announced),
      gate_frames_(setup.gate_frames),
      most_late_(setup.gate_frames + 1),
      dispatcher_(setup.capacities, setup.tasks, setup.gate_frames),
      ledger_(setup.tasks),
      segments_(setup.segment_starts, setup.tasks),
      stalls_(setup.tasks, setup.places),
      drift_(setup.capacities.size()),
      guards_(setup.capacities.size()),
      tasks_(setup.tasks) {
  for (ProcessorIndex p = 0; p < setup.guards.size(); ++p) {
    if (const auto& kept = setup.guards[p]) {
      guards_.at(p).emplace(kept->options, kept->start, capacities_[p], kept->first);
    }
  }
}

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
  const Fps ticks = watched ? state.view.demand : Fps(0.0);
  if (ticks != state.schedule.demand()) state.schedule.set_demand(ticks, now, spread(task, ticks, now));
  state.arrivals.set_rate(state.view.demand, now);
  ledger_.set_active(task, active, now);
  if (watched == state.watched) return;
  state.watched = watched;
  watched ? state.source.begin(now) : state.source.end();
  state.view.source_lost = false;
}

Duration FrameDesk::spread(TaskIndex task, Fps demand, TimePoint now) const {
  constexpr std::size_t kMostOthers = 64;  // the next ones before it
  if (demand.value() == 0.0) return Duration(0);
  std::vector<Ticks> others;
  for (std::size_t i = 1; i < tasks_.size() && others.size() < kMostOthers; ++i) {
    const TickSchedule& schedule = tasks_[(task + tasks_.size() - i) % tasks_.size()].schedule;
    if (schedule.next()) others.push_back({*schedule.next(), schedule.period()});
  }
  return spread_delay(interval_of(demand), tasks_[task].schedule.earliest(demand, now), others);
}

void FrameDesk::set_rate(const RateCeiling& rate, TimePoint now) {
  TaskState& state = tasks_.at(rate.task);
  state.view.rate = rate.rate;
  note_causes(rate.task, now);
  state.in_transition = rate.shadow.has_value();
  note_causes(rate.task, now);
  dispatcher_.set_rate(rate.task, rate.rate, rate.shadow, now);
}

void FrameDesk::set_solving(bool pending, TimePoint now) {
  if (pending || solving_) stalls_.solve(now);
  solving_ = pending;
  dispatcher_.set_solving(pending);
}

void FrameDesk::set_demand(TaskIndex task, Fps demand, TimePoint now) {
  TaskState& state = tasks_.at(task);
  state.view.demand = demand;
  dispatcher_.set_demand(task, demand);
  if (!start_) return;
  collect_ticks(task, now);
  begin_ticks(task, now);
  listener_.ticks_changed(task);
}

void FrameDesk::set_granted(TaskIndex task, Fps granted, TimePoint now) {
  ledger_.set_granted(task, granted, now);
}

void FrameDesk::set_priority(TaskIndex task, int priority) {
  tasks_.at(task).view.priority = priority;
  dispatcher_.set_priority(task, priority);
}

void FrameDesk::set_pushed(TaskIndex task, bool pushed, TimePoint now) {
  TaskState& state = tasks_.at(task);
  if (state.view.pushed == pushed) return;
  state.view.pushed = pushed;
  if (!start_) return;
  collect_ticks(task, now);
  while (take_tick(task)) continue;  // nobody comes for them any more
  if (state.view.source_lost) listener_.source_back(task);
  begin_ticks(task, now);
}

void FrameDesk::swap(const RouteExchange& swap, const std::optional<ServingEngine>& engine, TimePoint now) {
  TaskState& state = tasks_.at(swap.task);
  std::optional<Route> route;
  if (engine) {
    engines_[engine->key] = {*engine, swap.task, false, announced_};
    route = Route{swap.processor, engine->key};
    if (engine->stages) {
      for (const EngineStages::One& stage : engine->stages->stages) route->stages.push_back(stage.processors);
      route->max_in_flight = engine->stages->max_in_flight;
    }
  }
  for (const Drop& dropped : dispatcher_.set_route(swap.task, route, swap.follows)) drop(dropped, now);
  state.view.processor = engine ? std::optional(swap.processor) : std::nullopt;
  state.view.variant = engine ? std::optional(engine->variant) : std::nullopt;
  state.view.stages = engine ? engine->stages : nullptr;
  if (swap.old) {
    engines_.at(*swap.old).draining = true;
    drained_if_idle(*swap.old);
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

bool FrameDesk::settled(TaskIndex task) const {
  return ledger_.task(task).in_flight == 0 && tasks_.at(task).view.demand.value() == 0.0 &&
         std::none_of(engines_.begin(), engines_.end(),
                      [&](const auto& engine) { return engine.second.task == task; });
}

void FrameDesk::renew_task(TaskIndex task) {
  SACCADE_CHECK(settled(task));
  dispatcher_.renew_task(task);
  ledger_.renew_task(task);
  segments_.renew_task(task);
  stalls_.renew_task(task);
  const std::uint64_t owners = tasks_.at(task).view.owners + 1;
  tasks_[task] = TaskState();
  tasks_[task].view.owners = owners;
}

void FrameDesk::retime(const std::vector<Duration>& segment_starts, TimePoint now) {
  segments_.retime(segment_starts, start_ ? now - *start_ : Duration(0));
}

// --- frames come in -------------------------------------------------------------------------------

void FrameDesk::collect_ticks(TaskIndex task, TimePoint until) {
  TaskState& state = tasks_.at(task);
  note_causes(task, until);
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
  ledger_.received(task, frame, period);
  TaskState& state = tasks_[task];
  if (state.source.heard(now)) {
    state.view.source_lost = false;
    listener_.source_back(task);
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
  ledger_.received(task, frame, period(task));
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

bool FrameDesk::finished(ProcessorIndex processor, const Start& start, TimePoint now, FrameTime time,
                         const Status& status, FrameLedger::Judged judged, std::optional<Duration> age) {
  EngineState& engine = engines_.at(start.engine);
  const bool others = engine.engine.stages != nullptr || dispatcher_.under_way(start.task) > 0;
  const bool ended = start.last || !status.ok();
  FrameTime spent = start.spent;
  spent += time;
  if (ended) {
    dispatcher_.finished(processor, now);
  } else if (const auto lost = dispatcher_.hand_on(processor, now, spent)) {
    drop(*lost, now);
    engine.cut_off = engine.cut_off || lost->reason == DropReason::engine_error;
    if (lost->reason == DropReason::engine_error)
      listener_.inference_ended(start.engine, Error{"its next stage", "runs no more", ""});
  }
  engine.note(processor, status.ok());
  if (status.ok()) {
    if (ended) {
      ledger_.processed(start.task, start.frame, start.due, now, spent, engine.engine.variant, judged, age);
      segments_.processed(start.task, start.due - *start_);
    }
    const Duration profiled = engine.engine.profiled_in(start.stage);
    if (profiled.count() > 0) drift_.sample(processor, start.engine, time.total(), profiled, now);
    note_served(processor, start, now, time.total(), profiled);
  } else {
    drop({start.task, start.frame, DropReason::engine_error, LossCause::other}, now);
    engine.unannounced = announced_ + 1;
  }
  if (ended && engine.unannounced > 0 && (!status.ok() || engine.runs_everywhere())) {
    --engine.unannounced;
    listener_.inference_ended(start.engine, status);
  }
  drained_if_idle(start.engine);
  return others;
}

void FrameDesk::left_behind(ProcessorIndex processor, const Start& start, TimePoint now, DropReason reason) {
  dispatcher_.finished(processor, now);
  EngineState& engine = engines_.at(start.engine);
  ++engine.stuck;
  drop({start.task, start.frame, reason, LossCause::other}, now);
  if (!engine.engine.stages) return;
  for (const Drop& dropped : dispatcher_.give_up(start.engine, now)) drop(dropped, now);
}

void FrameDesk::returned(EngineKey engine) {
  --engines_.at(engine).stuck;
  drained_if_idle(engine);
}

void FrameDesk::out_of_service(ProcessorIndex processor, TimePoint now) {
  for (const Drop& dropped : dispatcher_.out_of_service(processor, now)) drop(dropped, now);
  std::vector<EngineKey> idle;  // those that were waited for are idle now
  for (const auto& [key, state] : engines_) {
    if (state.draining && state.stuck == 0 && !dispatcher_.engine_busy(key)) idle.push_back(key);
  }
  for (const EngineKey engine : idle) drained(engine);
}

void FrameDesk::drop_waiting(DropReason reason, TimePoint now) {
  for (const Drop& dropped : dispatcher_.drop_all(reason, now)) drop(dropped, now);
}

// --- the books ------------------------------------------------------------------------------------

void FrameDesk::settle() {
  SACCADE_CHECK(start_);
  stalls_.settle();
  for (const auto& [key, state] : engines_) keep_residual(state);
}

void FrameDesk::count_tick(TaskIndex task, TimePoint due) {
  const std::int64_t granted_before = ledger_.task(task).granted;
  ledger_.tick(task, due);
  segments_.tick(task, due - *start_, ledger_.task(task).granted > granted_before);
}

void FrameDesk::note_causes(TaskIndex task, TimePoint now) {
  if (solving_ || tasks_[task].in_transition) stalls_.transition(task, now);
}

void FrameDesk::drop(const Drop& drop, TimePoint now) {
  ledger_.dropped(drop);
  stalls_.dropped(drop, first_processor(drop.task), now);
  // Also in a transition: what is above a lowered rate is over quota, not stale.
  if (drop.reason == DropReason::stale && drop.cause != LossCause::solving) {
    note_lost(drop.task, now, dispatcher_.held_up_at(drop.task, drop.frame));
  }
  if (drop.cause == LossCause::switching) listener_.frames_lost(drop.task);
  listener_.dropped(drop, now);
}

void FrameDesk::EngineState::note(ProcessorIndex processor, bool good) {
  const auto found = std::find(failing.begin(), failing.end(), processor);
  if (good && found != failing.end()) failing.erase(found);
  if (!good && found == failing.end()) failing.push_back(processor);
}

void FrameDesk::drained_if_idle(EngineKey engine) {
  const EngineState& state = engines_.at(engine);
  if (state.draining && state.stuck == 0 && !dispatcher_.engine_busy(engine)) drained(engine);
}

void FrameDesk::drained(EngineKey engine) {
  keep_residual(engines_.at(engine));
  drift_.forget(engine);
  engines_.erase(engine);
  listener_.drained(engine);
}

void FrameDesk::keep_residual(const EngineState& state) {
  const auto residual = drift_.residual(state.engine.key);
  if (!residual) return;
  auto& residuals = tasks_[state.task].residuals;
  residuals.resize(std::max(residuals.size(), state.engine.variant + 1));
  residuals[state.engine.variant] = residual;
}

}  // namespace saccade::runtime
