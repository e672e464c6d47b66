// Which frame runs next on a processor, and which frame is refused or dropped. Pure: `now` is an
// argument, nothing blocks, nothing is allocated per frame once warm. The shells own the pixels and
// the engines; the dispatcher knows frames by number.
//
// A frame is offered when it is due. The task's regulator (a bucket of 2 frames, refilled at the
// granted rate) admits it or drops it (over_quota); an admitted frame waits in the task's gate, where
// a new one displaces the oldest when `gate_frames` wait (stale); who would rather have it refused than the
// oldest displaced asks full() first. A processor takes the waiting frame
// with the earliest deadline (due + period; ties: lower task index) among the tasks routed to it. No
// frame starts once the processor's busy time in the last second has reached its capacity. (The guard
// band is left to absorb jitter: plans fill capacity - guard, the dispatcher stops at capacity. A whole
// processor, capacity 1, cannot be spent.)
// A task without a route drops its frames: inactive when its demand is 0, else no_engine. A gate of
// an off task drops what waits when the route is taken away.
//
// Causes: while a task has a shadow rate (the target plan's rate during a transition), a drop that a
// shadow regulator at that rate would have admitted has cause `switching`; while a solve is pending
// (set_solving) drops have cause `solving`, all else `other`. A frame that nobody wants any more
// (inactive, shutdown) is lost to neither.
//
// Threads: none of its own; the shell calls it under one lock.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "base/quantity.hpp"
#include "runtime/frame.hpp"

namespace saccade::runtime {

struct Route {
  ProcessorIndex processor = 0;
  EngineKey engine = 0;
};

struct Start {
  TaskIndex task = 0;
  FrameNumber frame = 0;
  EngineKey engine = 0;
  TimePoint due{};
};

class Dispatcher {
 public:
  // capacities: processor-seconds per second, one per processor.
  Dispatcher(const std::vector<double>& capacities, std::size_t task_count, std::size_t gate_frames);

  void add_task();  // with the next index: no rate, no route
  // The rate is the regulator's ceiling; `shadow` the target plan's rate while in transition.
  void set_rate(TaskIndex task, Fps rate, std::optional<Fps> shadow, TimePoint now);
  // Demand decides between inactive and no_engine for frames of a task without a route.
  void set_demand(TaskIndex task, Fps demand);
  void set_solving(bool pending);
  // Takes effect at the next frame boundary; a frame that runs stays with its engine. Taking the
  // route away drops what waits.
  std::vector<Drop> set_route(TaskIndex task, std::optional<Route> route);

  // At most one frame is dropped per offer: the offered one or the one it displaces.
  std::optional<Drop> offer(TaskIndex task, FrameNumber frame, TimePoint due, Duration period);
  // The next frame to run; the processor is busy until finished(). Absent: nothing may start now.
  std::optional<Start> next(ProcessorIndex processor, TimePoint now);
  // When a processor whose capacity is spent may start again; absent when it is not spent.
  [[nodiscard]] std::optional<TimePoint> spent_until(ProcessorIndex processor, TimePoint now) const;
  void finished(ProcessorIndex processor, TimePoint now);
  // Everything that waits, of all tasks, at the end of a run.
  std::vector<Drop> drop_all(DropReason reason);

  [[nodiscard]] bool engine_busy(EngineKey engine) const;  // a frame runs in it
  [[nodiscard]] std::size_t waiting(TaskIndex task) const;
  [[nodiscard]] bool full(TaskIndex task) const { return waiting(task) == gate_frames_; }
  [[nodiscard]] bool idle() const;                              // nothing waits, nothing runs
  [[nodiscard]] Duration busy(ProcessorIndex processor) const;  // total busy time since the start

  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

 private:
  struct TaskState;
  struct ProcessorState;
  [[nodiscard]] LossCause cause(const TaskState& state, DropReason reason, bool in_transition,
                                bool wanted) const;
  std::vector<Drop> drop_waiting(TaskIndex task, DropReason reason);
  void note_oldest(TaskIndex task);  // keeps the processor's table of deadlines true

  std::vector<TaskState> tasks_;
  std::vector<ProcessorState> processors_;
  std::size_t gate_frames_;
  bool solving_ = false;
};

}  // namespace saccade::runtime
