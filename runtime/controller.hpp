// The control loop as one single-threaded state machine: on(event, now) -> actions. It keeps what is
// wanted (the newest snapshot), what runs (one slot per task), what memory is reserved and what has
// failed; it asks for solves, loads, swaps and rates, and never does any of them itself. The shells
// carry actions out in the order given and report back by events.
//
//   change            -> Solve at once; followers within `coalesce` are gathered; one solve in flight
//   plan ready        -> dropped when it is of an older generation and fails the plan check against the
//                        newest snapshot; else it becomes the target: tasks that keep their variant get
//                        their rate, for the others Load is asked for (memory reserved first), and the
//                        remaining time is shared out (scheduler/transition.hpp)
//   load finished     -> Warm; failed: the variant is excluded with exponential back-off (capped at
//                        5 s), the old engine goes on serving, and a new plan is asked for
//   warm finished     -> Swap, new shares; old engine drains
//   drained           -> Unload (or parked in the warm cache), its memory is given back
//   tick              -> time-driven work: coalescing, back-off ended, load time-out, new shares
//
// Memory: max(memory, load peak) is reserved while loading, memory afterwards; no reservation is
// admitted above the limit. When the new engine does not fit beside the old one: an order that fits
// (shrinking tasks first), else unload-first for that task. One load at a time: highest priority
// class first, then the shortest load. A limit that is lowered below what is in use: when a second
// later neither loads nor a plan have made room, engines are let go; what is still too much before
// two seconds are over (a load that hangs holds its memory) is reported as infeasible.
// A plan that ignores the limits that tasks share (a heuristic's) runs without the memory limit, and
// this is reported. An infeasible plan's fallback runs; without one, what runs stays.
// The generation counts snapshots: every change, and every new plan asked for by a fault, an ended
// back-off or drift. Processors are those of the first Change, in its order. Tasks keep their index for
// good: a Change may bring more of them at the end, and one that is removed stays with demand 0.
// A task whose source is lost is planned for as if nobody demanded it, so that its time, energy and memory
// go to the others; its engine is parked whatever the warm cache holds, and makes way as parked ones do.
// A variant that names several processors is refused here with a report (one network on several
// processors is planned, not yet executed).
//
// Threads: none of its own; the shell calls it under one lock. Errors: never fails; trouble is
// reported by Report actions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "runtime/frame.hpp"
#include "runtime/run_config.hpp"
#include "runtime/switch_totals.hpp"
#include "scheduler/plan.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

namespace event {
struct Change {  // the wanted state, whole; running parts are filled in by the controller
  scheduler::Snapshot wanted;
  std::vector<TaskIndex> removed{};  // all that are, with demand 0: no engine is kept for them
};
struct PlanReady {
  scheduler::Plan plan;  // plan.generation: of the snapshot it was solved from
  Duration solve_time{0};
};
struct LoadFinished {
  EngineKey engine = 0;
  Errors errors;  // empty = loaded
  Duration time{0};
};
struct WarmFinished {
  EngineKey engine = 0;
  Errors errors;
  Duration time{0};
};
struct Swapped {  // the route was exchanged
  EngineKey engine = 0;
  Duration time{0};
};
struct Drained {  // the engine's last frame has ended
  EngineKey engine = 0;
};
struct Unloaded {  // destroyed; its memory is free
  EngineKey engine = 0;
};
struct InferenceEnded {
  EngineKey engine = 0;
  Errors errors;  // empty = a good frame; five bad ones in a row exclude the variant
};
struct Drift {  // measured / profiled time of one processor, already filtered
  ProcessorIndex processor = 0;
  double correction = 1.0;
};
struct FramesLost {  // a drop with cause `switching`
  TaskIndex task = 0;
};
struct SourceLost {  // no frame comes where frames are due
  TaskIndex task = 0;
};
struct SourceBack {
  TaskIndex task = 0;
};
struct Tick {};
}  // namespace event

using Event =
    std::variant<event::Change, event::PlanReady, event::LoadFinished, event::WarmFinished, event::Swapped,
                 event::Drained, event::Unloaded, event::InferenceEnded, event::Drift, event::FramesLost,
                 event::SourceLost, event::SourceBack, event::Tick>;

namespace action {
struct Solve {
  scheduler::Snapshot snapshot;  // generation and running parts filled in
};
struct Load {  // on the loader thread; then report LoadFinished
  EngineKey engine = 0;
  TaskIndex task = 0;
  std::size_t variant = 0;
  int batch = 1;
  profiles::ProfileSetPtr profiles;
  ProcessorIndex processor = 0;
};
struct Warm {  // inferences at the task's batch on the loader thread; then WarmFinished
  EngineKey engine = 0;
  // An engine library may find out in the first what memory the engine needs and take it in one piece in
  // the second (ONNX Runtime does). Two where nobody waits for an engine: then the first frame takes no
  // longer than any other. One where frames are lost meanwhile.
  int inferences = 1;
};
struct Swap {  // exchange the task's route; `engine` absent = the task goes off
  TaskIndex task = 0;
  std::optional<EngineKey> engine;
  ProcessorIndex processor = 0;
  std::optional<EngineKey> old;  // report Drained for it once no frame is in it
};
struct Unload {  // destroy on the loader thread; then report Unloaded
  EngineKey engine = 0;
};
struct SetRate {
  TaskIndex task = 0;
  Fps rate{0.0};
  std::optional<Fps> shadow;  // present while the transition lasts
};
struct SetDemand {  // the ticks of the task; restarts its tick schedule when it differs
  TaskIndex task = 0;
  Fps demand{0.0};
};
struct SetSolving {
  bool pending = false;
};
struct Report {  // one line for log, event stream and summary
  // plan | load | swap | park | unload | fault | exclude | infeasible | transition_end
  std::string event;
  std::string task;  // empty = the whole
  std::string detail;
};
}  // namespace action

using Action = std::variant<action::Solve, action::Load, action::Warm, action::Swap, action::Unload,
                            action::SetRate, action::SetDemand, action::SetSolving, action::Report>;

// A switch that was called off by a newer plan is recorded when it has lost frames: `to` is `from`.
struct SwitchRecord {
  TimePoint at{};
  TaskIndex task = 0;
  std::optional<std::size_t> from;  // absent: nothing served before
  std::optional<std::size_t> to;
  Duration load_time{0};
  Duration warm_time{0};
  Duration swap_time{0};
  std::int64_t frames_lost = 0;  // drops with cause `switching` during the task's transition
  bool both_fit = false;  // old and new fitted beside each other in memory, and t_old * f in the filled share
};

struct ControllerOptions {
  RuntimeOptions runtime;
  Seconds first_backoff{0.25};
  Seconds max_backoff{5.0};
};

class Controller {
 public:
  explicit Controller(const ControllerOptions& options);
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Appends to the result in the order in which the actions are to be carried out.
  [[nodiscard]] std::vector<Action> on(const Event& event, TimePoint now);
  // When the next Tick is due; absent when nothing waits for time to pass.
  [[nodiscard]] std::optional<TimePoint> next_tick() const;

  [[nodiscard]] bool in_transition() const;
  [[nodiscard]] bool settled() const;  // no change pending, no solve in flight, no transition
  [[nodiscard]] std::uint64_t generation() const;
  [[nodiscard]] const std::shared_ptr<const scheduler::Plan>& plan() const;  // running; null before the first
  [[nodiscard]] std::optional<std::size_t> serving(TaskIndex task) const;    // variant index
  [[nodiscard]] Bytes reserved() const;
  [[nodiscard]] Bytes reserved_peak() const;
  // The last ones, at least kSwitchesKept; what is older is in the totals alone. The first load of a task is
  // no switch.
  static constexpr std::size_t kSwitchesKept = 10'000;
  [[nodiscard]] const std::vector<SwitchRecord>& switches() const;
  // Never null, and never changed: the next switch makes another.
  [[nodiscard]] const std::shared_ptr<const SwitchTotals>& switch_totals() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade::runtime
