// What the desk learns of its processors: corrections, guards, and when their CPUs were held.
#include <algorithm>
#include <cmath>

#include "runtime/frames/frame_desk.hpp"

namespace saccade::runtime {
namespace {

// A hold that is shorter is a neighbour that shares the CPU: what is lost to it a guard does prevent.
constexpr Duration kSuspension = std::chrono::milliseconds(100);

}  // namespace

Duration EngineStages::profiled_on(ProcessorIndex processor) const {
  Duration sum{0};
  for (const One& stage : stages) {
    if (std::find(stage.processors.begin(), stage.processors.end(), processor) == stage.processors.end())
      continue;
    sum += stage.profiled / static_cast<Duration::rep>(stage.processors.size());
  }
  return sum;
}

std::vector<DriftFilter::Asked> FrameDesk::asked(ProcessorIndex processor) const {
  std::vector<DriftFilter::Asked> asked;
  for (const auto& [key, state] : engines_) {
    const TaskView& view = tasks_[state.task].view;
    if (state.draining) continue;
    Duration profiled = state.engine.profiled;
    if (state.engine.stages) {
      profiled = state.engine.stages->profiled_on(processor);
      if (profiled.count() == 0) continue;
    } else if (view.processor != processor) {
      continue;
    }
    asked.push_back({key, view.rate.value() * to_seconds(profiled).value()});
  }
  return asked;
}

std::vector<double> FrameDesk::revised_corrections(TimePoint now) {
  std::vector<double> corrections;
  for (ProcessorIndex p = 0; p < capacities_.size(); ++p) {
    (void)drift_.revise(p, asked(p), DriftFilter::Direction::any, now);
    corrections.push_back(drift_.correction(p));
  }
  return corrections;
}

double FrameDesk::revised_correction(ProcessorIndex processor, TimePoint now) const {
  return drift_.revised(processor, asked(processor), now);
}

std::vector<MeasuredProcessor> FrameDesk::look(TimePoint now) {
  std::vector<MeasuredProcessor> changed;
  for (ProcessorIndex p = 0; p < capacities_.size(); ++p) {
    const bool other_correction = corrected(p, now);
    const std::optional<Seconds> guard = new_guard(p, now);
    if (other_correction || guard) changed.push_back({p, drift_.correction(p), guard});
  }
  return changed;
}

bool FrameDesk::corrected(ProcessorIndex processor, TimePoint now) {
  const std::vector<DriftFilter::Asked> load = asked(processor);
  const double before = drift_.correction(processor);
  std::optional<double> correction = drift_.update(processor, load, capacities_[processor], now);
  GuardKeeper* keeper = guard_keeper(processor);
  // Frames are lost, and take longer than planned: that is what the plan is to know, before more room.
  if (!correction && keeper && keeper->too_small()) {
    correction = drift_.revise(processor, load, DriftFilter::Direction::up, now);
  }
  // A change that frees less than a step of the guard does not explain them.
  if (correction && keeper && std::abs(*correction / before - 1.0) >= GuardKeeper::kStep) {
    keeper->corrected(now);
  }
  return correction.has_value();
}

std::optional<Seconds> FrameDesk::new_guard(ProcessorIndex processor, TimePoint now) {
  GuardKeeper* keeper = guard_keeper(processor);
  if (!keeper) return std::nullopt;
  const Seconds before = keeper->guard();
  const std::optional<Seconds> guard = keeper->update(now);
  if (guard && *guard < before) {
    (void)drift_.revise(processor, asked(processor), DriftFilter::Direction::up, now);
  }
  return guard;
}

std::optional<Seconds> FrameDesk::kept_guard(ProcessorIndex processor) const {
  const std::optional<GuardKeeper>& keeper = guards_.at(processor);
  return keeper ? std::optional(keeper->guard()) : std::nullopt;
}

void FrameDesk::relieve_guard(ProcessorIndex processor, TimePoint now) {
  if (GuardKeeper* keeper = guard_keeper(processor)) keeper->corrected(now);
}

GuardKeeper* FrameDesk::guard_keeper(std::optional<ProcessorIndex> processor) {
  return processor && guards_.at(*processor) ? &*guards_[*processor] : nullptr;
}

std::optional<ProcessorIndex> FrameDesk::first_processor(TaskIndex task) const {
  const auto next = dispatcher_.gate_processor(task);
  return next ? next : tasks_.at(task).view.processor;
}

// Stages fill up one behind the other: what held the frame up is the stage that an earlier frame still waits
// for, or, if no more may be under way, is in; or else the first stage.
void FrameDesk::note_lost(TaskIndex task, TimePoint now, std::optional<ProcessorIndex> held_up) {
  if (GuardKeeper* keeper = guard_keeper(held_up ? held_up : first_processor(task))) keeper->lost(now);
}

void FrameDesk::note_served(ProcessorIndex processor, const Start& start, TimePoint now, Duration worked,
                            Duration profiled) {
  // A pushed frame displaces none: the gate refuses newer ones instead, which nobody can tell from a client
  // that sends too many. What waits for longer than a gate of frames at the task's rate shows it, and counts
  // against what it waited for when that time had passed.
  const TaskView& view = tasks_[start.task].view;
  if (view.pushed && view.rate.value() > 0.0 && start.stage == 0) {
    const Duration longest = static_cast<Duration::rep>(gate_frames_) * interval_of(view.rate);
    if (now - worked - start.due > longest) {
      // Not noted: it was admitted before this route or this rate.
      const auto held_up = start.held_up ? start.held_up : dispatcher_.held_up_at(start.task, start.frame);
      return note_lost(start.task, now, held_up.value_or(processor));
    }
  }
  GuardKeeper* keeper = guard_keeper(processor);
  if (!keeper) return;
  keeper->served(profiled.count() > 0 ? std::optional(static_cast<double>(worked.count()) /
                                                      static_cast<double>(profiled.count()))
                                      : std::nullopt);
}

void FrameDesk::held(int cpu, TimePoint from, TimePoint to, Duration stolen) {
  stalls_.held(cpu, from, to, stolen);
  if (to - from < kSuspension) return;
  for (ProcessorIndex p = 0; p < processor_cpus_.size(); ++p) {
    const std::vector<int>& cpus = processor_cpus_[p];
    GuardKeeper* keeper = guard_keeper(p);
    if (keeper && std::find(cpus.begin(), cpus.end(), cpu) != cpus.end()) keeper->suspended(to);
  }
}

}  // namespace saccade::runtime
