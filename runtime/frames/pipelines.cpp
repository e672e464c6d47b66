#include "runtime/frames/pipelines.hpp"

#include <utility>

#include "base/check.hpp"

namespace saccade::runtime {

void Pipelines::open(EngineKey engine, std::vector<StagePlaces> stages, std::size_t processors) {
  SACCADE_CHECK(stages.size() > 1 && stages.back().size() == 1);
  for (const StagePlaces& places : stages) {
    SACCADE_CHECK(!places.empty());
    for (const ProcessorIndex processor : places) SACCADE_CHECK(processor < processors);
  }
  const auto again = std::find_if(pipelines_.begin(), pipelines_.end(),
                                  [&](const Pipeline& pipeline) { return pipeline.engine == engine; });
  if (again == pipelines_.end()) {
    pipelines_.push_back({engine, std::move(stages)});
  } else {
    again->open = true;  // frames are in it still
  }
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
  const auto entered = std::find_if(pipelines_.begin(), pipelines_.end(),
                                    [&](const Pipeline& pipeline) { return pipeline.engine == engine; });
  SACCADE_CHECK(entered != pipelines_.end() && entered->open);
  frames_.push_back({task, frame, engine, entered->entered++});
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

ProcessorIndex Pipelines::first_processor(EngineKey engine) const {
  const Pipeline& pipeline = of(engine);
  const StagePlaces& places = pipeline.stages.front();
  return places[pipeline.entered % places.size()];
}

std::size_t Pipelines::copy(const FrameUnderWay& frame) const {
  return frame.turn % of(frame.engine).stages.at(frame.stage).size();
}

ProcessorIndex Pipelines::processor_at(const FrameUnderWay& frame, std::size_t stage) const {
  const StagePlaces& places = of(frame.engine).stages.at(stage);
  return places[frame.turn % places.size()];
}

ProcessorIndex Pipelines::processor(const FrameUnderWay& frame) const {
  return processor_at(frame, frame.stage);
}

ProcessorIndex Pipelines::next_processor(const FrameUnderWay& frame) const {
  return processor_at(frame, frame.stage + 1);
}

std::size_t Pipelines::of_task(TaskIndex task) const {
  return static_cast<std::size_t>(std::count_if(
      frames_.begin(), frames_.end(), [&](const FrameUnderWay& frame) { return frame.task == task; }));
}

bool Pipelines::holds(EngineKey engine) const {
  return std::any_of(frames_.begin(), frames_.end(),
                     [&](const FrameUnderWay& frame) { return frame.engine == engine; });
}

bool Pipelines::waits_for(const FrameUnderWay& frame, const FrameUnderWay& other) const {
  return other.engine == frame.engine && other.turn < frame.turn && other.stage < frame.stage;
}

std::optional<ProcessorIndex> Pipelines::held_up_at(TaskIndex task, FrameNumber frame, bool full) const {
  const FrameUnderWay* oldest = nullptr;
  bool in_first = false;
  for (const FrameUnderWay& earlier : frames_) {
    if (earlier.admitted.frame == frame) return std::nullopt;
    if (earlier.task != task) continue;
    if (!earlier.runs) {
      const auto before = std::find_if(frames_.begin(), frames_.end(),
                                       [&](const FrameUnderWay& each) { return waits_for(earlier, each); });
      return processor(before == frames_.end() ? earlier : *before);
    }
    if (oldest == nullptr) oldest = &earlier;
    in_first = in_first || (earlier.stage == 0 && processor(earlier) == first_processor(earlier.engine));
  }
  return full && oldest != nullptr && !in_first ? std::optional(processor(*oldest)) : std::nullopt;
}

bool Pipelines::ready(const FrameUnderWay& frame) const {
  if (frame.runs) return false;
  const bool last = in_last_stage(frame);
  for (const FrameUnderWay& earlier : frames_) {
    if (earlier.admitted.frame == frame.admitted.frame) return true;
    if (earlier.task != frame.task) continue;
    if (earlier.engine != frame.engine) {
      if (last) return false;
      continue;
    }
    if (waits_for(frame, earlier)) return false;
    if (earlier.stage == frame.stage && processor(earlier) == processor(frame)) return false;
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
