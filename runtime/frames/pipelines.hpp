// Frames under way in engines of several stages: from the start of a frame's first stage to its end. Such a
// frame is in one stage at a time, in which it runs or for which it waits. A stage with copies runs on
// several processors in turn: of n, every n-th frame that enters the engine on the same one. An engine's
// frames enter each stage behind those that entered the engine before them, but for frames that are in other
// copies of it, and a task's frames end in that order across a change of engines, too: the last stage of a
// frame is not ready while an earlier frame of its task is under way in another engine. Paper 000 III, paper
// 003 (copies). Threads: plain value. No allocation per frame once warm.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "runtime/frames/frame.hpp"

namespace saccade::runtime {

// A frame that was admitted.
struct WaitingFrame {
  FrameNumber frame = 0;
  TimePoint due{};
  TimePoint deadline{};
  bool in_transition = false;  // it was offered while the task had a shadow
  bool wanted = true;          // the shadow admitted it
  // Of a route with several stages: when it has waited for as long as a gate of frames takes at the task's
  // rate, and what it waited for then (Dispatcher::held_up_at()); absent: it left the gate before.
  TimePoint late = TimePoint::max();
  std::optional<ProcessorIndex> held_up = {};
};

// The processors of a stage, in turn: one, unless it has copies.
using StagePlaces = std::vector<ProcessorIndex>;

struct FrameUnderWay {
  TaskIndex task = 0;
  WaitingFrame admitted;
  EngineKey engine = 0;
  std::size_t turn = 0;  // so many frames entered the engine before it
  std::size_t stage = 0;
  bool runs = true;
  FrameTime spent = {};  // in the stages before
};

// How many frames of a task are under way at most, where its variant allows `max_in_flight`: every processor
// runs one at a time, so that more than two for each would only wait longer.
[[nodiscard]] constexpr std::size_t most_under_way(std::size_t max_in_flight, std::size_t processors) {
  return std::max<std::size_t>(1, std::min(max_in_flight, 2 * processors));
}

class Pipelines {
 public:
  // An engine that frames may enter, with the processors of each stage, of so many in all.
  void open(EngineKey engine, std::vector<StagePlaces> stages, std::size_t processors);
  // No frame enters it any more; it is forgotten with its last frame. No effect on an engine that is not
  // open.
  void close(EngineKey engine);
  // An inference in it does not return: none of its frames gets to another stage.
  void give_up(EngineKey engine);
  [[nodiscard]] bool given_up(EngineKey engine) const;

  void enter(TaskIndex task, const WaitingFrame& frame, EngineKey engine);  // it runs in the first stage
  void wait(FrameNumber frame, const FrameTime& spent);                     // for the stage after this one
  void run(FrameNumber frame);                                              // in the stage it waits for
  void leave(FrameNumber frame);                                            // it has ended

  [[nodiscard]] const FrameUnderWay& at(FrameNumber frame) const { return frames_[place(frame)]; }
  [[nodiscard]] const std::vector<FrameUnderWay>& frames() const { return frames_; }  // as they entered
  [[nodiscard]] bool in_last_stage(const FrameUnderWay& frame) const;
  [[nodiscard]] ProcessorIndex first_processor(EngineKey engine) const;      // of the frame that enters next
  [[nodiscard]] std::size_t copy(const FrameUnderWay& frame) const;          // of its stage, from 0
  [[nodiscard]] ProcessorIndex processor(const FrameUnderWay& frame) const;  // of its stage
  [[nodiscard]] ProcessorIndex next_processor(const FrameUnderWay& frame) const;  // of the stage after that
  [[nodiscard]] std::size_t of_task(TaskIndex task) const;
  [[nodiscard]] bool holds(EngineKey engine) const;  // a frame is in it
  // Whether it waits, for a stage, until the other is through one before that: in another copy.
  [[nodiscard]] bool waits_for(const FrameUnderWay& frame, const FrameUnderWay& other) const;
  // As Dispatcher::held_up_at(); `full`: no more frames of the task may be under way.
  [[nodiscard]] std::optional<ProcessorIndex> held_up_at(TaskIndex task, FrameNumber frame, bool full) const;
  // Whether the frame waits and nothing of what is under way has to go first.
  [[nodiscard]] bool ready(const FrameUnderWay& frame) const;

 private:
  struct Pipeline {
    EngineKey engine = 0;
    std::vector<StagePlaces> stages;
    std::size_t entered = 0;  // frames
    bool open = true;
    bool given_up = false;
  };
  [[nodiscard]] const Pipeline& of(EngineKey engine) const;
  [[nodiscard]] ProcessorIndex processor_at(const FrameUnderWay& frame, std::size_t stage) const;
  [[nodiscard]] std::size_t place(FrameNumber frame) const;  // in frames_
  void forget_if_empty(EngineKey engine);

  std::vector<Pipeline> pipelines_;    // a handful
  std::vector<FrameUnderWay> frames_;  // likewise
};

}  // namespace saccade::runtime
