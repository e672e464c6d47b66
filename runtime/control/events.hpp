// The events that the controller handles. Outcomes of actions (actions.hpp) are events of the same engine.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "runtime/frames/decoding_load.hpp"
#include "runtime/frames/frame.hpp"
#include "scheduler/plan.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

namespace event {
struct Change {  // the complete wanted state; the controller fills in its running part
  scheduler::Snapshot wanted;
  std::vector<TaskIndex> removed{};   // all removed tasks, with demand 0: no engine is kept for them
  std::vector<TaskIndex> renewed{};   // indices that another task had before, of which nothing is left
  std::vector<double> corrections{};  // of every processor, revised for this plan; empty: as they were
  std::vector<TaskIndex> spares{};    // tasks for which an engine is kept ready while they are not demanded
};
struct PlanReady {
  scheduler::Plan plan;  // plan.generation is that of the snapshot it was solved from
  Duration solve_time{0};
};
struct LoadFinished {
  EngineKey engine = 0;
  Errors errors;  // empty: loaded
  Duration time{0};
  std::string remark = {};  // of the engine (Engine::remark), for the log
};
struct WarmFinished {
  EngineKey engine = 0;
  Errors errors;  // empty: ready to serve
  Duration time{0};
};
struct Swapped {  // the route was exchanged
  EngineKey engine = 0;
  Duration time{0};
};
struct Drained {  // the last frame in the engine has ended
  EngineKey engine = 0;
};
struct Unloaded {  // destroyed; its memory is free
  EngineKey engine = 0;
};
struct InferenceEnded {
  EngineKey engine = 0;
  Errors errors;  // empty: success; five failures in a row exclude the variant
};
struct InferenceHangs {  // it is long past its limit
  EngineKey engine = 0;
  std::vector<EngineKey> sharing = {};  // the other engines that have the stage in which it hangs, too
};
// All that one look found (FrameDesk::look): another event would outdate the plan that the first one begins.
struct Measured {
  std::vector<MeasuredProcessor> processors;
};
struct Decoding {  // of cameras takes another share of these processors' CPUs; likewise of one look
  std::vector<DecodingLoad::Change> processors;
};
struct FramesLost {  // dropped with cause `switching`
  TaskIndex task = 0;
  std::int64_t frames = 1;
};
struct SourceLost {  // frames are due but none arrives
  TaskIndex task = 0;
};
struct SourceBack {
  TaskIndex task = 0;
};
struct Tick {};  // Controller::next_tick() has come
}  // namespace event

using Event = std::variant<event::Change, event::PlanReady, event::LoadFinished, event::WarmFinished,
                           event::Swapped, event::Drained, event::Unloaded, event::InferenceEnded,
                           event::InferenceHangs, event::Measured, event::Decoding, event::FramesLost,
                           event::SourceLost, event::SourceBack, event::Tick>;

}  // namespace saccade::runtime
