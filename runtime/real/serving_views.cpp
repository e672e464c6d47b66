// What viewers and readers get to see of the desk.
#include "runtime/real/serving.hpp"

namespace saccade::runtime {

LatestFrame::Look Serving::look(TaskNumber task) {
  const Lock lock(mutex_);
  return known(task) ? tasks_.at(task_index(task)).latest.look() : LatestFrame::Look();
}

std::optional<LatestAnswer> Serving::answer(TaskNumber task) const {
  const Lock lock(mutex_);
  return known(task) ? tasks_.at(task_index(task)).latest.answer() : std::nullopt;
}

std::optional<vision::MeanPrecision> Serving::live_precision(TaskNumber task) const {
  const LivePrecision* precision = nullptr;
  {
    const Lock lock(mutex_);
    if (known(task)) precision = &tasks_.at(task_index(task)).precision;
  }
  return precision != nullptr ? precision->value() : std::nullopt;
}

std::string Serving::trouble_of(const TaskState& state, const FrameDesk::TaskView& now) {
  if (state.connected && now.source_lost) return "delivers no frame";
  return state.connected ? std::string() : state.trouble;
}

Serving::View Serving::view() const {
  const Lock lock(mutex_);
  View view;
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    const FrameDesk::TaskView& now = desk_.view(task);
    view.tasks.push_back({desk_.ledger().task(task), now, tasks_[task].connected && !now.source_lost,
                          trouble_of(tasks_[task], now), facts_of(tasks_[task])});
  }
  for (ProcessorIndex processor = 0; processor < frames_ready_.size(); ++processor) {
    view.busy.push_back(desk_.dispatcher().busy(processor));
    view.corrections.push_back(desk_.drift().correction(processor));
  }
  return view;
}

Serving::Outline Serving::outline(const std::vector<TaskIndex>& tasks) const {
  const Lock lock(mutex_);
  Outline outline;
  for (const TaskIndex task : tasks) {
    const FrameDesk::TaskView& now = desk_.view(task);
    const TaskState& state = tasks_.at(task);
    outline.tasks.push_back(
        {now, state.connected && !now.source_lost, trouble_of(state, now), state.outputs});
  }
  for (ProcessorIndex processor = 0; processor < frames_ready_.size(); ++processor) {
    outline.corrections.push_back(desk_.revised_correction(processor, clock_.now()));
    const Worker& seat = workers_[processor];
    outline.processors.push_back({seat.left_behind.size(), seat.out_of_service});
  }
  return outline;
}

std::vector<std::optional<Duration>> Serving::decoding_times() const {
  const Lock lock(mutex_);
  std::vector<std::optional<Duration>> times;
  for (const TaskState& state : tasks_) {
    const std::optional<CaptureFacts> facts = facts_of(state);
    times.push_back(facts ? std::optional(facts->processor_time) : std::nullopt);
  }
  return times;
}

std::vector<TaskIndex> Serving::lost_sources(TimePoint now) {
  const Lock lock(mutex_);
  if (!desk_.started() || sources_stopped_) return {};
  // A capture that is held up takes no ticks: they are demanded all the same.
  for (TaskIndex task = 0; task < tasks_.size(); ++task) desk_.collect_ticks(task, now);
  return desk_.lost_sources(now);
}

}  // namespace saccade::runtime
