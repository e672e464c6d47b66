// Which frame runs next on a processor, and which frame is refused or dropped. Pure: `now` is an argument,
// nothing blocks, nothing is allocated per frame once warm. The shells own pixels and engines; the dispatcher
// knows frames by number.
//
// Admission: a frame is offered when it is due. The task's regulator (a bucket of 2 frames, refilled at the
// granted rate) admits it or drops it (over_quota). An admitted frame waits in the task's gate; when
// `gate_frames` wait already, it displaces the oldest (stale). Callers that prefer refusing the new frame to
// displacing the oldest check full() first. A task without a route drops its frames: `inactive` if its demand
// is 0, otherwise `no_engine`. Taking a route away drops what waits, unless another route follows: then
// frames wait in the gate for it, and what a newer one displaces has the reason `no_engine`.
//
// Order: a processor takes the waiting frame with the earliest deadline (due + period; ties: lower task
// index) among the tasks routed to it, unless it is behind. It is behind if that frame, run first, would make
// a waiting frame of a higher priority class late, or leave it too little of the budget to start; the frames
// of each task are expected to take as long as its last one. Then the highest class runs first, its earliest
// deadline first. So when frames take longer than planned, and no new plan is made yet, the lowest class
// loses.
//
// No frame starts once the processor's busy time in the last second has reached its capacity. Plans fill
// capacity - guard, the dispatcher stops at capacity: the guard absorbs jitter. Stopping at capacity - guard
// would leave the guard unused, and lose at the first frame that takes longer than planned. A whole processor
// (capacity 1) cannot be spent.
//
// Stages: a route may lead through several processors. Each stage is then a job of its processor, where it
// waits with the frame's own deadline among the frames of gates (ties: before these, then as above). A frame
// leaves the gate for its first stage only while fewer than most_under_way() frames of its task are under
// way, and where its first stage has copies, for the one whose turn it is; it stays with its engine to the
// end, whatever becomes of the route, and frames end in their order (pipelines.hpp): what follows a change of
// route starts, or enters its last stage, once the frames before it have ended.
//
// Causes: while a task has a shadow rate (the target plan's rate during a transition), a drop that a
// regulator at that rate would have admitted has cause `switching`; while a solve is pending (set_solving)
// drops have cause `solving`; all others `other`, including frames that are no longer wanted (inactive,
// shutdown).
//
// Threads: none of its own; calls must not overlap.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/quantity.hpp"
#include "runtime/frames/frame.hpp"
#include "runtime/frames/pipelines.hpp"

namespace saccade::runtime {

struct Route {
  ProcessorIndex processor = 0;  // of the whole network, or of its first stage, where that has copies one
  EngineKey engine = 0;
  std::vector<StagePlaces> stages = {};  // all of them, in order; none: the network is whole
  std::size_t max_in_flight = 1;         // frames under way, where there are stages
};

struct Start {
  TaskIndex task = 0;
  FrameNumber frame = 0;
  EngineKey engine = 0;
  TimePoint due{};
  std::size_t stage = 0;
  std::size_t copy = 0;                        // of the stage
  bool last = true;                            // the frame ends with it
  FrameTime spent = {};                        // in the stages before
  std::optional<ProcessorIndex> held_up = {};  // in the first of several stages: as in WaitingFrame
};

class Dispatcher {
 public:
  // capacities: processor-seconds per second, one per processor.
  Dispatcher(const std::vector<double>& capacities, std::size_t task_count, std::size_t gate_frames);

  void add_task();                  // with the next index: no rate, no route
  void renew_task(TaskIndex task);  // as after add_task(); requires that nothing waits and it has no route
  // The rate is the regulator's ceiling; `shadow` the target plan's rate while in transition.
  void set_rate(TaskIndex task, Fps rate, std::optional<Fps> shadow, TimePoint now);
  // Demand decides between inactive and no_engine for frames of a task without a route.
  void set_demand(TaskIndex task, Fps demand);
  void set_solving(bool pending);
  void set_priority(TaskIndex task, int priority);  // its class; 0 at first
  // Takes effect with the next frame; a frame that runs stays with its engine. Returns the waiting frames
  // that were dropped because the route was taken away. `follows`: with no route, another one is on its way.
  std::vector<Drop> set_route(TaskIndex task, const std::optional<Route>& route, bool follows = false);

  // Returns the frame that was dropped, if any: the offered one, or the one it displaced.
  std::optional<Drop> offer(TaskIndex task, FrameNumber frame, TimePoint due, Duration period);
  // The next frame to run; the processor is then busy until finished(). Absent: none may start now.
  std::optional<Start> next(ProcessorIndex processor, TimePoint now);
  // When a processor whose capacity is spent may start again; absent when it is not spent.
  [[nodiscard]] std::optional<TimePoint> spent_until(ProcessorIndex processor, TimePoint now) const;
  // The processor's frame has ended, in whatever stage.
  void finished(ProcessorIndex processor, TimePoint now);
  // The processor's frame is through a stage that is not its last one, and waits for the next. Returns it if
  // it is dropped instead: what it would wait for does not come any more.
  [[nodiscard]] std::optional<Drop> hand_on(ProcessorIndex processor, TimePoint now, const FrameTime& spent);
  // An inference in the engine does not return, or a processor runs nothing any more: the frames under way
  // that wait for it are dropped, and so are those that would come to wait for it.
  std::vector<Drop> give_up(EngineKey engine, TimePoint now);
  std::vector<Drop> out_of_service(ProcessorIndex processor, TimePoint now);
  // Drops everything that waits, of all tasks, and what would wait again; for the end of a run.
  std::vector<Drop> drop_all(DropReason reason, TimePoint now);

  [[nodiscard]] bool engine_busy(EngineKey engine) const;  // a frame runs in it, or is under way in it
  [[nodiscard]] std::size_t waiting(TaskIndex task) const;
  // Where the oldest frame in the task's gate would run; absent: the task has no route.
  [[nodiscard]] std::optional<ProcessorIndex> gate_processor(TaskIndex task) const;
  [[nodiscard]] bool full(TaskIndex task) const { return waiting(task) == gate_frames_; }
  // Frames that are between the start of their first stage and their end, of routes with several.
  [[nodiscard]] std::size_t under_way(TaskIndex task) const { return pipelines_.of_task(task); }
  // What holds up a frame of a task with several stages: the processor of the farthest stage for which an
  // earlier frame of the task waits; or, where no more frames may be under way, of the stage in which the
  // oldest of them is. Absent: nothing but the frame's first stage.
  [[nodiscard]] std::optional<ProcessorIndex> held_up_at(TaskIndex task, FrameNumber frame) const;
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
  // A frame that may run next on a processor: the oldest in its task's gate, or one under way.
  struct Candidate {
    TimePoint deadline{};
    TaskIndex task = 0;
    int priority = 0;
    Duration expected{0};
    std::optional<FrameNumber> under_way;
  };
  [[nodiscard]] Candidate in_gate(const ProcessorState& state, TaskIndex task) const;
  void note_under_way(ProcessorIndex processor);  // those that are ready there
  template <class Use>
  void for_each_waiting(const ProcessorState& state, const Use& use) const;
  // The one that runs next, where `earliest` has the earliest deadline.
  [[nodiscard]] Candidate most_urgent(const ProcessorState& state, const Candidate& earliest, TimePoint now);
  [[nodiscard]] bool behind(const ProcessorState& state, const Candidate& earliest, TimePoint now);
  Start start_from_gate(ProcessorState& state, TaskIndex task, TimePoint now);
  Start start_under_way(ProcessorState& state, FrameNumber frame, TimePoint now);
  void note_held_up(TaskIndex task, TimePoint now);  // before its frames under way change
  void note_oldest(TaskIndex task);                  // keeps the processor's table of deadlines up to date
  [[nodiscard]] bool may_leave_gate(TaskIndex task) const;
  [[nodiscard]] bool whole_frame_runs(TaskIndex task) const;  // in an engine without stages
  void end_job(ProcessorState& state, TimePoint now);
  template <class Which>
  std::vector<Drop> drop_under_way(DropReason reason, TimePoint now, const Which& which);  // if they wait
  Drop leave(FrameNumber frame, DropReason reason, TimePoint now);

  std::vector<TaskState> tasks_;
  std::vector<ProcessorState> processors_;
  std::size_t gate_frames_;
  bool solving_ = false;
  Pipelines pipelines_;
  std::optional<DropReason> ending_;                    // of what would wait again, after drop_all()
  std::vector<Candidate> ready_;                        // of pipelines_, on the processor asked for last
  std::vector<std::pair<TimePoint, Duration>> higher_;  // deadlines and expected times, of behind()
};

}  // namespace saccade::runtime
