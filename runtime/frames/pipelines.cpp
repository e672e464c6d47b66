#include "runtime/frames/pipelines.hpp"

#include <utility>

#include "base/check.hpp"

namespace saccade::runtime {

void Pipelines::open(EngineKey engine, std::vector<ProcessorIndex> stages) {
  SACCADE_CHECK(stages.size() > 1);
  pipelines_.push_back({engine, std::move(stages)});
}

void Pipelines::close(EngineKey engine) {
  for (Pipeline& pipeline : pipelines_) {
    if (pipeline.engine == engine) pipeline.open = false;
  }
  forget_if_empty(engine);
}

void Pipelines::give_up(EngineKey engine) {
  for (Pipeline& pipeline : pipelines_) {
    if (pipeline.engine == engine) pipeline.given_up = true;
  }
}

bool Pipelines::given_up(EngineKey engine) const { return of(engine).given_up; }

void Pipelines::enter(TaskIndex task, const WaitingFrame& frame, EngineKey engine) {
  SACCADE_CHECK(of(engine).open);
  frames_.push_back({task, frame, engine});
}

void Pipelines::wait(FrameNumber frame, const FrameTime& spent) {
  FrameUnderWay& waits = frames_[place(frame)];
  SACCADE_CHECK(waits.runs && !in_last_stage(waits));
  ++waits.stage;
  waits.runs = false;
  waits.spent = spent;
}

void Pipelines::run(FrameNumber frame) {
  FrameUnderWay& runs = frames_[place(frame)];
  SACCADE_CHECK(!runs.runs);
  runs.runs = true;
}

void Pipelines::leave(FrameNumber frame) {
  const std::size_t ended = place(frame);
  const EngineKey engine = frames_[ended].engine;
  frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(ended));
  forget_if_empty(engine);
}

bool Pipelines::in_last_stage(const FrameUnderWay& frame) const {
  return frame.stage + 1 == of(frame.engine).stages.size();
}

ProcessorIndex Pipelines::processor(const FrameUnderWay& frame) const {
  return of(frame.engine).stages.at(frame.stage);
}

ProcessorIndex Pipelines::next_processor(const FrameUnderWay& frame) const {
  return of(frame.engine).stages.at(frame.stage + 1);
}

std::size_t Pipelines::of_task(TaskIndex task) const {
  return static_cast<std::size_t>(std::count_if(
      frames_.begin(), frames_.end(), [&](const FrameUnderWay& frame) { return frame.task == task; }));
}

bool Pipelines::holds(EngineKey engine) const {
  return std::any_of(frames_.begin(), frames_.end(),
                     [&](const FrameUnderWay& frame) { return frame.engine == engine; });
}

bool Pipelines::ready(const FrameUnderWay& frame) const {
  if (frame.runs) return false;
  const bool last = in_last_stage(frame);
  for (const FrameUnderWay& earlier : frames_) {
    if (earlier.admitted.frame == frame.admitted.frame) return true;
    if (earlier.task != frame.task) continue;
    const bool same_engine = earlier.engine == frame.engine;
    if (same_engine ? earlier.stage == frame.stage : last) return false;
  }
  return true;
}

const Pipelines::Pipeline& Pipelines::of(EngineKey engine) const {
  const auto found = std::find_if(pipelines_.begin(), pipelines_.end(),
                                  [&](const Pipeline& pipeline) { return pipeline.engine == engine; });
  SACCADE_CHECK(found != pipelines_.end());
  return *found;
}

std::size_t Pipelines::place(FrameNumber frame) const {
  const auto found = std::find_if(frames_.begin(), frames_.end(),
                                  [&](const FrameUnderWay& each) { return each.admitted.frame == frame; });
  SACCADE_CHECK(found != frames_.end());
  return static_cast<std::size_t>(found - frames_.begin());
}

void Pipelines::forget_if_empty(EngineKey engine) {
  if (holds(engine)) return;
  std::erase_if(pipelines_,
                [&](const Pipeline& pipeline) { return pipeline.engine == engine && !pipeline.open; });
}

}  // namespace saccade::runtime
