#include "runtime/frames/dispatcher.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "runtime/frames/busy_window.hpp"
#include "runtime/frames/regulator.hpp"
#include "runtime/frames/ring.hpp"

namespace saccade::runtime {
namespace {

constexpr TimePoint kNothingWaits = TimePoint::max();

}  // namespace

struct Dispatcher::TaskState {
  Regulator quota;
  std::optional<Regulator> shadow;
  bool active = false;  // demand > 0
  int priority = 0;
  std::vector<Duration> last = {Duration(0)};  // by stage: time of its last frame there
  std::optional<Route> route;
  bool follows = false;  // without a route: another one is on its way
  Ring<WaitingFrame> gate;
  TimePoint changed{};  // its frames under way, last

  [[nodiscard]] Duration expected(std::size_t stage) const {
    return stage < last.size() ? last[stage] : Duration(0);
  }

  [[nodiscard]] DropReason without_route() const {
    return active ? DropReason::no_engine : DropReason::inactive;
  }
};

struct Dispatcher::ProcessorState {
  struct Running {
    TaskIndex task = 0;
    EngineKey engine = 0;
    TimePoint since{};
    std::optional<FrameNumber> under_way;  // absent: in an engine without stages
    std::size_t stage = 0;
  };
  ProcessorState(double capacity, std::size_t task_count)
      : window(capacity), deadlines(task_count, kNothingWaits) {}

  BusyWindow window;
  std::vector<TimePoint> deadlines;  // of the oldest waiting frame of every task routed here
  std::optional<Running> running;
  Duration busy{0};
  bool out_of_service = false;
};

Dispatcher::Dispatcher(const std::vector<double>& capacities, std::size_t task_count, std::size_t gate_frames)
    : tasks_(task_count), gate_frames_(gate_frames) {
  SACCADE_CHECK(gate_frames > 0);
  processors_.reserve(capacities.size());
  for (const double capacity : capacities) processors_.emplace_back(capacity, task_count);
}

Dispatcher::~Dispatcher() = default;

void Dispatcher::add_task() {
  tasks_.emplace_back();
  for (ProcessorState& processor : processors_) processor.deadlines.push_back(kNothingWaits);
}

void Dispatcher::renew_task(TaskIndex task) {
  SACCADE_CHECK(tasks_.at(task).gate.empty() && !tasks_[task].route);
  tasks_[task] = TaskState();
}

void Dispatcher::set_rate(TaskIndex task, Fps rate, std::optional<Fps> shadow, TimePoint now) {
  TaskState& state = tasks_.at(task);
  if (shadow) {
    // A new shadow starts with the fill that the task's bucket has at this moment.
    if (!state.shadow) state.shadow = state.quota;
    state.shadow->set_rate(*shadow, now);
  } else {
    state.shadow.reset();
  }
  state.quota.set_rate(rate, now);
}

void Dispatcher::set_demand(TaskIndex task, Fps demand) { tasks_.at(task).active = demand.value() > 0.0; }

void Dispatcher::set_solving(bool pending) { solving_ = pending; }

void Dispatcher::set_priority(TaskIndex task, int priority) { tasks_.at(task).priority = priority; }

std::vector<Drop> Dispatcher::set_route(TaskIndex task, const std::optional<Route>& route, bool follows) {
  TaskState& state = tasks_.at(task);
  if (route) SACCADE_CHECK(route->processor < processors_.size());
  if (state.route) {
    processors_[*gate_processor(task)].deadlines[task] = kNothingWaits;
    pipelines_.close(state.route->engine);
  }
  state.route = route;
  if (route && !route->stages.empty()) pipelines_.open(route->engine, route->stages, processors_.size());
  state.follows = !route && follows;
  if (state.follows) return {};
  if (!route) return drop_waiting(task, state.without_route());
  note_oldest(task);
  return {};
}

std::optional<Drop> Dispatcher::offer(TaskIndex task, FrameNumber frame, TimePoint due, Duration period) {
  TaskState& state = tasks_.at(task);
  WaitingFrame offered{frame, due, due + period, state.shadow.has_value(), true};
  if (state.shadow) offered.wanted = state.shadow->admit(due);
  if (state.route && !state.route->stages.empty() && state.quota.rate().value() > 0.0)
    offered.late = due + static_cast<Duration::rep>(gate_frames_) * interval_of(state.quota.rate());

  const auto dropped = [&](const WaitingFrame& lost, DropReason reason) {
    return Drop{task, lost.frame, reason, cause(state, reason, lost.in_transition, lost.wanted)};
  };
  if (!state.route && !state.follows) return dropped(offered, state.without_route());
  if (!state.quota.admit(due)) return dropped(offered, DropReason::over_quota);
  std::optional<Drop> displaced;
  if (state.gate.size() == gate_frames_) {
    displaced = dropped(state.gate.pop_front(), state.route ? DropReason::stale : state.without_route());
  }
  state.gate.push_back(offered);
  note_oldest(task);
  return displaced;
}

std::optional<Start> Dispatcher::next(ProcessorIndex processor, TimePoint now) {
  ProcessorState& state = processors_.at(processor);
  if (state.running) return std::nullopt;
  const auto first = std::min_element(state.deadlines.begin(), state.deadlines.end());
  const bool gates_wait = first != state.deadlines.end() && *first != kNothingWaits;
  note_under_way(processor);
  if (!gates_wait && ready_.empty()) return std::nullopt;
  if (state.window.spent(now)) return std::nullopt;

  std::optional<Candidate> earliest;
  for (const Candidate& ready : ready_) {
    if (!earliest || ready.deadline < earliest->deadline) earliest = ready;
  }
  if (gates_wait && (!earliest || *first < earliest->deadline)) {
    earliest = in_gate(state, static_cast<TaskIndex>(first - state.deadlines.begin()));
  }
  const Candidate chosen = most_urgent(state, *earliest, now);
  return chosen.under_way ? start_under_way(state, *chosen.under_way, now)
                          : start_from_gate(state, chosen.task, now);
}

Start Dispatcher::start_from_gate(ProcessorState& state, TaskIndex task, TimePoint now) {
  const Route& route = *tasks_[task].route;
  const bool whole = route.stages.empty();
  if (!whole) note_held_up(task, now);
  const WaitingFrame frame = tasks_[task].gate.pop_front();
  state.running = ProcessorState::Running{task, route.engine, now, std::nullopt, 0};
  std::size_t copy = 0;
  if (!whole) {
    state.deadlines[task] = kNothingWaits;  // the turn of another copy may have come
    pipelines_.enter(task, frame, route.engine);
    state.running->under_way = frame.frame;
    copy = pipelines_.copy(pipelines_.at(frame.frame));
  }
  note_oldest(task);
  return {task, frame.frame, route.engine, frame.due, 0, copy, whole, {}, frame.held_up};
}

Start Dispatcher::start_under_way(ProcessorState& state, FrameNumber frame, TimePoint now) {
  note_held_up(pipelines_.at(frame).task, now);
  pipelines_.run(frame);
  const FrameUnderWay& runs = pipelines_.at(frame);
  state.running = ProcessorState::Running{runs.task, runs.engine, now, frame, runs.stage};
  const std::size_t copy = pipelines_.copy(runs);
  const bool last = pipelines_.in_last_stage(runs);
  return {runs.task, frame, runs.engine, runs.admitted.due, runs.stage, copy, last, runs.spent, std::nullopt};
}

Dispatcher::Candidate Dispatcher::in_gate(const ProcessorState& state, TaskIndex task) const {
  return {state.deadlines[task], task, tasks_[task].priority, tasks_[task].expected(0), std::nullopt};
}

void Dispatcher::note_under_way(ProcessorIndex processor) {
  ready_.clear();
  for (const FrameUnderWay& frame : pipelines_.frames()) {
    if (!pipelines_.ready(frame) || pipelines_.processor(frame) != processor) continue;
    if (pipelines_.in_last_stage(frame) && whole_frame_runs(frame.task)) continue;
    const TaskState& task = tasks_[frame.task];
    ready_.push_back({frame.admitted.deadline, frame.task, task.priority, task.expected(frame.stage),
                      frame.admitted.frame});
  }
  std::sort(ready_.begin(), ready_.end(), [](const Candidate& a, const Candidate& b) {
    return std::pair(a.task, *a.under_way) < std::pair(b.task, *b.under_way);
  });
}

// What runs there began before the frames under way did: later ones would wait for these.
bool Dispatcher::whole_frame_runs(TaskIndex task) const {
  return std::any_of(processors_.begin(), processors_.end(), [&](const ProcessorState& processor) {
    return processor.running && processor.running->task == task && !processor.running->under_way;
  });
}

template <class Use>
void Dispatcher::for_each_waiting(const ProcessorState& state, const Use& use) const {
  for (const Candidate& ready : ready_) use(ready);
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    if (state.deadlines[task] != kNothingWaits) use(in_gate(state, task));
  }
}

Dispatcher::Candidate Dispatcher::most_urgent(const ProcessorState& state, const Candidate& earliest,
                                              TimePoint now) {
  if (!behind(state, earliest, now)) return earliest;
  Candidate best = earliest;
  for_each_waiting(state, [&](const Candidate& waits) {
    if (waits.priority < best.priority) return;
    if (waits.priority > best.priority || waits.deadline < best.deadline) best = waits;
  });
  return best;
}

bool Dispatcher::behind(const ProcessorState& state, const Candidate& earliest, TimePoint now) {
  higher_.clear();
  for_each_waiting(state, [&](const Candidate& waits) {
    if (waits.priority > earliest.priority) higher_.emplace_back(waits.deadline, waits.expected);
  });
  const Duration left = state.window.left(now);
  return std::any_of(higher_.begin(), higher_.end(), [&](const auto& one) {
    Duration ahead = earliest.expected;
    for (const auto& [deadline, expected] : higher_) {
      if (deadline <= one.first) ahead += expected;
    }
    return now + ahead > one.first || ahead > left;
  });
}

std::optional<TimePoint> Dispatcher::spent_until(ProcessorIndex processor, TimePoint now) const {
  return processors_.at(processor).window.spent_until(now);
}

void Dispatcher::end_job(ProcessorState& state, TimePoint now) {
  SACCADE_CHECK(state.running);
  const ProcessorState::Running& ended = *state.running;
  state.window.add(ended.since, now);
  state.busy += now - ended.since;
  std::vector<Duration>& last = tasks_[ended.task].last;
  if (last.size() <= ended.stage) last.resize(ended.stage + 1);
  last[ended.stage] = now - ended.since;
  state.running.reset();
}

void Dispatcher::finished(ProcessorIndex processor, TimePoint now) {
  ProcessorState& state = processors_.at(processor);
  SACCADE_CHECK(state.running);
  const TaskIndex task = state.running->task;
  const std::optional<FrameNumber> under_way = state.running->under_way;
  end_job(state, now);
  if (!under_way) return;
  note_held_up(task, now);
  pipelines_.leave(*under_way);
  note_oldest(task);
}

std::optional<Drop> Dispatcher::hand_on(ProcessorIndex processor, TimePoint now, const FrameTime& spent) {
  ProcessorState& state = processors_.at(processor);
  SACCADE_CHECK(state.running && state.running->under_way);
  const FrameUnderWay& frame = pipelines_.at(*state.running->under_way);
  end_job(state, now);
  if (ending_) return leave(frame.admitted.frame, *ending_, now);
  if (pipelines_.given_up(frame.engine) || processors_[pipelines_.next_processor(frame)].out_of_service) {
    return leave(frame.admitted.frame, DropReason::engine_error, now);
  }
  note_held_up(frame.task, now);
  pipelines_.wait(frame.admitted.frame, spent);
  return std::nullopt;
}

std::vector<Drop> Dispatcher::give_up(EngineKey engine, TimePoint now) {
  pipelines_.give_up(engine);
  return drop_under_way(DropReason::engine_error, now,
                        [&](const FrameUnderWay& frame) { return frame.engine == engine; });
}

std::vector<Drop> Dispatcher::out_of_service(ProcessorIndex processor, TimePoint now) {
  processors_.at(processor).out_of_service = true;
  return drop_under_way(DropReason::engine_error, now,
                        [&](const FrameUnderWay& frame) { return pipelines_.processor(frame) == processor; });
}

template <class Which>
std::vector<Drop> Dispatcher::drop_under_way(DropReason reason, TimePoint now, const Which& which) {
  std::vector<FrameNumber> lost;
  for (const FrameUnderWay& frame : pipelines_.frames()) {
    if (!frame.runs && which(frame)) lost.push_back(frame.admitted.frame);
  }
  std::vector<Drop> drops;
  for (const FrameNumber frame : lost) drops.push_back(leave(frame, reason, now));
  return drops;
}

Drop Dispatcher::leave(FrameNumber frame, DropReason reason, TimePoint now) {
  const TaskIndex task = pipelines_.at(frame).task;
  note_held_up(task, now);
  pipelines_.leave(frame);
  note_oldest(task);
  return {task, frame, reason, LossCause::other};
}

std::vector<Drop> Dispatcher::drop_all(DropReason reason, TimePoint now) {
  ending_ = reason;
  std::vector<Drop> drops = drop_under_way(reason, now, [](const FrameUnderWay&) { return true; });
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    for (const Drop& drop : drop_waiting(task, reason)) drops.push_back(drop);
  }
  return drops;
}

bool Dispatcher::engine_busy(EngineKey engine) const {
  if (pipelines_.holds(engine)) return true;
  return std::any_of(processors_.begin(), processors_.end(), [&](const ProcessorState& processor) {
    return processor.running && processor.running->engine == engine;
  });
}

std::size_t Dispatcher::waiting(TaskIndex task) const { return tasks_.at(task).gate.size(); }

std::optional<ProcessorIndex> Dispatcher::gate_processor(TaskIndex task) const {
  const std::optional<Route>& route = tasks_.at(task).route;
  if (!route) return std::nullopt;
  return route->stages.empty() ? route->processor : pipelines_.first_processor(route->engine);
}

bool Dispatcher::idle() const {
  return pipelines_.frames().empty() &&
         std::all_of(tasks_.begin(), tasks_.end(), [](const TaskState& task) { return task.gate.empty(); }) &&
         std::none_of(processors_.begin(), processors_.end(),
                      [](const ProcessorState& processor) { return processor.running.has_value(); });
}

Duration Dispatcher::busy(ProcessorIndex processor) const { return processors_.at(processor).busy; }

LossCause Dispatcher::cause(const TaskState& state, DropReason reason, bool in_transition,
                            bool wanted) const {
  if (reason == DropReason::inactive || reason == DropReason::shutdown) return LossCause::other;
  if ((in_transition || state.shadow) && wanted) return LossCause::switching;
  return solving_ ? LossCause::solving : LossCause::other;
}

std::vector<Drop> Dispatcher::drop_waiting(TaskIndex task, DropReason reason) {
  TaskState& state = tasks_[task];
  std::vector<Drop> drops;
  while (!state.gate.empty()) {
    const WaitingFrame lost = state.gate.pop_front();
    drops.push_back({task, lost.frame, reason, cause(state, reason, lost.in_transition, lost.wanted)});
  }
  note_oldest(task);
  return drops;
}

void Dispatcher::note_held_up(TaskIndex task, TimePoint now) {
  TaskState& state = tasks_[task];
  for (std::size_t i = 0; i < state.gate.size() && state.route; ++i) {
    WaitingFrame& waits = state.gate[i];
    if (waits.late < state.changed || waits.late >= now) continue;
    waits.held_up = held_up_at(task, waits.frame).value_or(*gate_processor(task));
  }
  state.changed = now;
}

void Dispatcher::note_oldest(TaskIndex task) {
  const TaskState& state = tasks_[task];
  if (!state.route) return;
  processors_[*gate_processor(task)].deadlines[task] =
      state.gate.empty() || !may_leave_gate(task) ? kNothingWaits : state.gate.front().deadline;
}

std::optional<ProcessorIndex> Dispatcher::held_up_at(TaskIndex task, FrameNumber frame) const {
  return pipelines_.held_up_at(task, frame, tasks_[task].route && !may_leave_gate(task));
}

bool Dispatcher::may_leave_gate(TaskIndex task) const {
  const std::size_t under_way = pipelines_.of_task(task);
  const Route& route = *tasks_[task].route;
  if (route.stages.empty()) return under_way == 0;  // of the route before
  return under_way < most_under_way(route.max_in_flight, processors_.size());
}

}  // namespace saccade::runtime
