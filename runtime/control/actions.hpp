// The actions that the controller requests. A shell executes them in the given order and reports outcomes as
// events (events.hpp).
// Threads: plain values.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "base/quantity.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/control/event_kind.hpp"
#include "runtime/frames/frame.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

namespace action {
struct Solve {                   // answered by PlanReady
  scheduler::Snapshot snapshot;  // generation and running parts filled in
};
struct Load {  // on the loader thread; answered by LoadFinished
  EngineKey engine = 0;
  TaskIndex task = 0;
  std::size_t variant = 0;
  int batch = 1;
  profiles::ProfileSetPtr profiles;
  ProcessorIndex processor = 0;
  // Of the task; they are broken, and it is not known in which stage: none of theirs is shared.
  std::vector<EngineKey> broken = {};
};
struct Warm {  // inferences at the task's batch on the loader thread; answered by WarmFinished
  EngineKey engine = 0;
  // An engine library may size the engine's memory during the first inference and allocate it in one piece
  // during the second (ONNX Runtime does). Two when nothing waits for the engine, so that its first frame
  // takes no longer than any other; one when frames are lost in the meantime.
  int inferences = 1;
};
using Swap = RouteExchange;  // answered by Swapped, and by Drained for `old` once no frame is in it
struct Unload {              // destroy on the loader thread; answered by Unloaded
  EngineKey engine = 0;
};
using SetRate = RateCeiling;
struct SetDemand {  // a demand that differs restarts the task's tick schedule
  TaskIndex task = 0;
  Fps demand{0.0};
};
struct SetSolving {  // whether a solve is pending; frames lost meanwhile have the cause `solving`
  bool pending = false;
};
// Whether frames wait for loads: tasks run at a lowered rate, or not at all, until an engine is ready. If so,
// loads run at the workers' priority, because every moment saved is frames gained; otherwise they run behind
// them. It holds for all loads, from now on.
struct SetUrgency {
  bool urgent = false;
};
struct Report {  // one line for log, event stream and summary
  EventKind event = EventKind::plan;
  std::string task;  // empty: about the whole run
  std::string detail;
};
}  // namespace action

using Action =
    std::variant<action::Solve, action::Load, action::Warm, action::Swap, action::Unload, action::SetRate,
                 action::SetDemand, action::SetSolving, action::SetUrgency, action::Report>;

}  // namespace saccade::runtime
