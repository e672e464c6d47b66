#include "runtime/real/serving.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::runtime {

Serving::Serving(const Setup& setup, const Clock& clock, MessageQueue& queue)
    : clock_(clock),
      queue_(queue),
      announce_drops_(setup.announce_drops),
      most_late_(setup.gate_frames + 1),
      dispatcher_(setup.capacities, setup.tasks, setup.gate_frames),
      ledger_(setup.tasks),
      segments_(setup.segment_starts, setup.tasks),
      stalls_(setup.tasks),
      drift_(setup.capacities.size()),
      tasks_(setup.tasks),
      frames_ready_(setup.capacities.size()) {
  for (TaskState& task : tasks_) task.slots.resize(setup.gate_frames + setup.capacities.size() + 1);
}

// --- main loop ------------------------------------------------------------------------------------

void Serving::start(TimePoint start) {
  const std::lock_guard lock(mutex_);
  SACCADE_CHECK(!start_);
  start_ = start;
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    tasks_[task].schedule.set_demand(tasks_[task].demand, start);
    ledger_.set_active(task, tasks_[task].demand.value() > 0.0, start);
    tasks_[task].changed.notify_all();
  }
}

void Serving::set_rate(const action::SetRate& rate) {
  const std::lock_guard lock(mutex_);
  tasks_.at(rate.task).rate = rate.rate;
  dispatcher_.set_rate(rate.task, rate.rate, rate.shadow, clock_.now());
}

void Serving::set_demand(TaskIndex task, Fps demand) {
  const std::lock_guard lock(mutex_);
  TaskState& state = tasks_.at(task);
  state.demand = demand;
  dispatcher_.set_demand(task, demand);
  if (!start_) return;
  const TimePoint now = clock_.now();
  collect_ticks(task, now);
  state.schedule.set_demand(demand, now);
  ledger_.set_active(task, demand.value() > 0.0, now);
  state.changed.notify_all();
}

void Serving::set_granted(TaskIndex task, Fps granted) {
  const std::lock_guard lock(mutex_);
  ledger_.set_granted(task, granted, clock_.now());
}

void Serving::set_solving(bool pending) {
  const std::lock_guard lock(mutex_);
  dispatcher_.set_solving(pending);
}

Duration Serving::swap(const action::Swap& swap, const std::optional<ServingEngine>& engine) {
  const std::lock_guard lock(mutex_);
  TaskState& state = tasks_.at(swap.task);
  std::optional<Route> route;
  if (engine) {
    engines_[engine->key] = {*engine, swap.task};
    route = Route{swap.processor, engine->key};
  }
  const TimePoint before = clock_.now();
  const std::vector<Drop> drops = dispatcher_.set_route(swap.task, route);
  const TimePoint after = clock_.now();
  for (const Drop& dropped : drops) drop(dropped, after);
  state.processor = engine ? std::optional(swap.processor) : std::nullopt;
  state.variant = engine ? std::optional(engine->variant) : std::nullopt;
  if (swap.old) {
    engines_.at(*swap.old).draining = true;
    if (!dispatcher_.engine_busy(*swap.old)) drained(*swap.old);
  }
  wake(swap.task);
  return after - before;
}

void Serving::stop_sources(TimePoint end) {
  const std::lock_guard lock(mutex_);
  for (TaskIndex task = 0; task < tasks_.size(); ++task) collect_ticks(task, end - Duration(1));
  sources_stopped_ = true;
  for (TaskState& task : tasks_) task.changed.notify_all();
}

void Serving::finish_frames(Duration patience) {
  std::unique_lock lock(mutex_);
  idle_.wait_for(lock, patience, [&] { return dispatcher_.idle(); });
  for (const Drop& dropped : dispatcher_.drop_all(DropReason::shutdown)) drop(dropped, clock_.now());
}

void Serving::stop_workers() {
  const std::lock_guard lock(mutex_);
  workers_stopped_ = true;
  for (std::condition_variable& ready : frames_ready_) ready.notify_all();
}

void Serving::stalled(TimePoint from, TimePoint to) {
  const std::lock_guard lock(mutex_);
  if (start_ && from >= *start_ && !sources_stopped_) stalls_.stalled(from, to);
}

// --- capture threads ------------------------------------------------------------------------------

std::optional<Serving::Tick> Serving::next_tick(TaskIndex task) {
  std::unique_lock lock(mutex_);
  TaskState& state = tasks_.at(task);
  for (;;) {
    const TimePoint now = clock_.now();
    if (!sources_stopped_) collect_ticks(task, now);
    if (state.passed.empty()) {
      if (sources_stopped_) return std::nullopt;
      const std::optional<TimePoint> due = state.schedule.next();
      due ? static_cast<void>(state.changed.wait_for(lock, *due - now)) : state.changed.wait(lock);
      continue;
    }
    Tick tick;
    tick.due = state.passed.pop_front();
    tick.media_time = tick.due - *start_;
    tick.period = state.schedule.period();
    tick.number = take_slot(task);
    tick.frame = &slot(task, tick.number).frame;
    count_tick(task, tick.due);
    return tick;
  }
}

void Serving::captured(TaskIndex task, const Tick& tick, bool got_frame) {
  const std::lock_guard lock(mutex_);
  if (!got_frame) {
    slot(task, tick.number).used = false;
    return;
  }
  slot(task, tick.number).due = tick.due;
  ledger_.received(task, tick.number);
  if (const auto dropped = dispatcher_.offer(task, tick.number, tick.due, tick.period)) {
    drop(*dropped, clock_.now());
  }
  wake(task);
}

// --- workers --------------------------------------------------------------------------------------

std::optional<Serving::Job> Serving::next_job(ProcessorIndex processor) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (workers_stopped_) return std::nullopt;
    const TimePoint now = clock_.now();
    if (const std::optional<Start> start = dispatcher_.next(processor, now)) {
      return Job{*start, engines_.at(start->engine).engine, &slot(start->task, start->frame).frame};
    }
    if (const std::optional<TimePoint> until = dispatcher_.spent_until(processor, now)) {
      frames_ready_[processor].wait_for(lock, *until - now);
    } else {
      frames_ready_[processor].wait(lock);
    }
  }
}

void Serving::finished(ProcessorIndex processor, const Job& job, Duration inference, const Status& status,
                       FrameLedger::Judged judged) {
  const std::lock_guard lock(mutex_);
  const TimePoint now = clock_.now();
  dispatcher_.finished(processor, now);
  const TaskIndex task = job.start.task;
  EngineState& engine = engines_.at(job.engine.key);
  if (status.ok()) {
    ledger_.processed(task, job.start.frame, job.start.due, now, job.engine.variant, judged);
    segments_.processed(task, job.start.due - *start_);
    if (job.engine.profiled.count() > 0) {
      drift_.sample(processor, job.engine.key, inference, job.engine.profiled);
    }
    slot(task, job.start.frame).used = false;
  } else {
    drop({task, job.start.frame, DropReason::engine_error, LossCause::other}, now);
  }
  if (!status.ok()) engine.untold = Exclusions::kTrusted + 1;
  if (engine.untold > 0) {
    --engine.untold;
    queue_.post(Event(event::InferenceEnded{job.engine.key, status.ok() ? Errors{} : status.errors()}));
  }
  if (engine.draining && !dispatcher_.engine_busy(job.engine.key)) drained(job.engine.key);
  if (dispatcher_.idle()) idle_.notify_all();
}

// --- readers --------------------------------------------------------------------------------------

std::vector<Serving::TaskView> Serving::tasks() const {
  const std::lock_guard lock(mutex_);
  std::vector<TaskView> views;
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    views.push_back({ledger_.task(task), tasks_[task].demand, tasks_[task].rate, tasks_[task].variant});
  }
  return views;
}

Duration Serving::busy(ProcessorIndex processor) const {
  const std::lock_guard lock(mutex_);
  return dispatcher_.busy(processor);
}

std::optional<double> Serving::drift(ProcessorIndex processor, TimePoint now) {
  const std::lock_guard lock(mutex_);
  return drift_.update(processor, now);
}

double Serving::correction(ProcessorIndex processor) const {
  const std::lock_guard lock(mutex_);
  return drift_.correction(processor);
}

RunSummary Serving::summarise(std::vector<RunTask> tasks, const std::vector<SwitchRecord>& switches,
                              TimePoint end) {
  const std::lock_guard lock(mutex_);
  SACCADE_CHECK(start_);
  stalls_.settle();
  for (const auto& [key, state] : engines_) keep_residual(state);
  for (TaskIndex task = 0; task < tasks.size(); ++task) tasks[task].residuals = tasks_[task].residuals;
  return runtime::summarise(tasks, ledger_, segments_, stalls_, switches, *start_, end);
}

// --- inside, under the mutex ----------------------------------------------------------------------

Serving::Slot& Serving::slot(TaskIndex task, FrameNumber number) {
  std::vector<Slot>& slots = tasks_.at(task).slots;
  return slots[number % slots.size()];
}

FrameNumber Serving::take_slot(TaskIndex task) {
  std::vector<Slot>& slots = tasks_.at(task).slots;
  const auto free = std::find_if(slots.begin(), slots.end(), [](const Slot& each) { return !each.used; });
  SACCADE_CHECK(free != slots.end());
  free->used = true;
  return ++sequence_ * slots.size() + static_cast<FrameNumber>(free - slots.begin());
}

void Serving::count_tick(TaskIndex task, TimePoint due) {
  const std::int64_t granted_before = ledger_.task(task).granted;
  ledger_.tick(task, due);
  segments_.tick(task, due - *start_, ledger_.task(task).granted > granted_before);
}

void Serving::collect_ticks(TaskIndex task, TimePoint until) {
  TaskState& state = tasks_.at(task);
  while (state.schedule.next() && *state.schedule.next() <= until) {
    state.passed.push_back(state.schedule.take());
    if (state.passed.size() > most_late_) count_tick(task, state.passed.pop_front());
  }
}

void Serving::drop(const Drop& drop, TimePoint now) {
  ledger_.dropped(drop);
  stalls_.dropped(drop, now);
  slot(drop.task, drop.frame).used = false;
  if (drop.cause == LossCause::switching) queue_.post(Event(event::FramesLost{drop.task}));
  if (announce_drops_) queue_.post(drop);
}

void Serving::drained(EngineKey engine) {
  keep_residual(engines_.at(engine));
  drift_.forget(engine);
  engines_.erase(engine);
  queue_.post(Event(event::Drained{engine}));
}

void Serving::keep_residual(const EngineState& state) {
  const auto residual = drift_.residual(state.engine.key);
  if (!residual) return;
  auto& residuals = tasks_[state.task].residuals;
  residuals.resize(std::max(residuals.size(), state.engine.variant + 1));
  residuals[state.engine.variant] = residual;
}

void Serving::wake(TaskIndex task) {
  if (const auto processor = tasks_[task].processor) frames_ready_[*processor].notify_one();
}

}  // namespace saccade::runtime
