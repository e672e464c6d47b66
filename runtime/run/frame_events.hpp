// The frame desk's reports as events for the controller. Each shell defines how an event is posted.
// Threads: those of the desk's callers, under their lock.
#pragma once

#include "runtime/control/events.hpp"
#include "runtime/frames/frame_desk.hpp"

namespace saccade::runtime {

class FrameEvents : public FrameListener {
 public:
  void drained(EngineKey engine) final { post(event::Drained{engine}); }
  void frames_lost(TaskIndex task) final { post(event::FramesLost{task}); }
  void source_back(TaskIndex task) final { post(event::SourceBack{task}); }
  void inference_ended(EngineKey engine, const Status& status) final {
    post(event::InferenceEnded{engine, status.ok() ? Errors{} : status.errors()});
  }

 private:
  virtual void post(Event event) = 0;  // never handled during the call
};

}  // namespace saccade::runtime
