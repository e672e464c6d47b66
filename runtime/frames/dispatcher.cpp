#include "runtime/frames/dispatcher.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "runtime/frames/busy_window.hpp"
#include "runtime/frames/regulator.hpp"
#include "runtime/frames/ring.hpp"

namespace saccade::runtime {
namespace {

constexpr TimePoint kNothingWaits = TimePoint::max();

struct Waiting {
  FrameNumber frame = 0;
  TimePoint due{};
  TimePoint deadline{};
  bool in_transition = false;  // it was offered while the task had a shadow
  bool wanted = true;          // the shadow admitted it
};

}  // namespace

struct Dispatcher::TaskState {
  Regulator quota;
  std::optional<Regulator> shadow;
  bool active = false;  // demand > 0
  int priority = 0;
  Duration last{0};  // time of its last frame
  std::optional<Route> route;
  bool follows = false;  // without a route: another one is on its way
  Ring<Waiting> gate;

  [[nodiscard]] DropReason without_route() const {
    return active ? DropReason::no_engine : DropReason::inactive;
  }
};

struct Dispatcher::ProcessorState {
  struct Running {
    TaskIndex task = 0;
    EngineKey engine = 0;
    TimePoint since{};
  };
  ProcessorState(double capacity, std::size_t task_count)
      : window(capacity), deadlines(task_count, kNothingWaits) {}

  BusyWindow window;
  std::vector<TimePoint> deadlines;  // of the oldest waiting frame of every task routed here
  std::optional<Running> running;
  Duration busy{0};
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

std::vector<Drop> Dispatcher::set_route(TaskIndex task, std::optional<Route> route, bool follows) {
  TaskState& state = tasks_.at(task);
  if (route) SACCADE_CHECK(route->processor < processors_.size());
  if (state.route) processors_[state.route->processor].deadlines[task] = kNothingWaits;
  state.route = route;
  state.follows = !route && follows;
  if (state.follows) return {};
  if (!route) return drop_waiting(task, state.without_route());
  note_oldest(task);
  return {};
}

std::optional<Drop> Dispatcher::offer(TaskIndex task, FrameNumber frame, TimePoint due, Duration period) {
  TaskState& state = tasks_.at(task);
  Waiting offered{frame, due, due + period, state.shadow.has_value(), true};
  if (state.shadow) offered.wanted = state.shadow->admit(due);

  const auto dropped = [&](const Waiting& lost, DropReason reason) {
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
  if (first == state.deadlines.end() || *first == kNothingWaits) return std::nullopt;
  if (state.window.spent(now)) return std::nullopt;

  const TaskIndex task = most_urgent(state, static_cast<TaskIndex>(first - state.deadlines.begin()), now);
  const Waiting frame = tasks_[task].gate.pop_front();
  note_oldest(task);
  const EngineKey engine = tasks_[task].route->engine;
  state.running = ProcessorState::Running{task, engine, now};
  return Start{task, frame.frame, engine, frame.due};
}

TaskIndex Dispatcher::most_urgent(const ProcessorState& state, TaskIndex earliest, TimePoint now) const {
  if (!behind(state, earliest, now)) return earliest;
  TaskIndex best = earliest;
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    if (state.deadlines[task] == kNothingWaits || tasks_[task].priority < tasks_[best].priority) continue;
    if (tasks_[task].priority > tasks_[best].priority || state.deadlines[task] < state.deadlines[best]) {
      best = task;
    }
  }
  return best;
}

bool Dispatcher::behind(const ProcessorState& state, TaskIndex earliest, TimePoint now) const {
  const auto higher_waits = [&](TaskIndex task) {
    return state.deadlines[task] != kNothingWaits && tasks_[task].priority > tasks_[earliest].priority;
  };
  const Duration left = state.window.left(now);
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    if (!higher_waits(task)) continue;
    Duration ahead = tasks_[earliest].last;
    for (TaskIndex other = 0; other < tasks_.size(); ++other) {
      const bool first = state.deadlines[other] <= state.deadlines[task];
      if (first && higher_waits(other)) ahead += tasks_[other].last;
    }
    if (now + ahead > state.deadlines[task] || ahead > left) return true;
  }
  return false;
}

std::optional<TimePoint> Dispatcher::spent_until(ProcessorIndex processor, TimePoint now) const {
  return processors_.at(processor).window.spent_until(now);
}

void Dispatcher::finished(ProcessorIndex processor, TimePoint now) {
  ProcessorState& state = processors_.at(processor);
  SACCADE_CHECK(state.running);
  state.window.add(state.running->since, now);
  state.busy += now - state.running->since;
  tasks_[state.running->task].last = now - state.running->since;
  state.running.reset();
}

std::vector<Drop> Dispatcher::drop_all(DropReason reason) {
  std::vector<Drop> drops;
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    for (const Drop& drop : drop_waiting(task, reason)) drops.push_back(drop);
  }
  return drops;
}

bool Dispatcher::engine_busy(EngineKey engine) const {
  return std::any_of(processors_.begin(), processors_.end(), [&](const ProcessorState& processor) {
    return processor.running && processor.running->engine == engine;
  });
}

std::size_t Dispatcher::waiting(TaskIndex task) const { return tasks_.at(task).gate.size(); }

bool Dispatcher::idle() const {
  return std::all_of(tasks_.begin(), tasks_.end(), [](const TaskState& task) { return task.gate.empty(); }) &&
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
    const Waiting lost = state.gate.pop_front();
    drops.push_back({task, lost.frame, reason, cause(state, reason, lost.in_transition, lost.wanted)});
  }
  note_oldest(task);
  return drops;
}

void Dispatcher::note_oldest(TaskIndex task) {
  const TaskState& state = tasks_[task];
  if (!state.route) return;
  processors_[state.route->processor].deadlines[task] =
      state.gate.empty() ? kNothingWaits : state.gate.front().deadline;
}

}  // namespace saccade::runtime
