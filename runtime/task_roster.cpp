#include "runtime/task_roster.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::runtime {

TaskRoster::TaskRoster(const RunConfig& config) {
  RunConfig first = config;
  take(first);
}

std::optional<TaskIndex> TaskRoster::known(const TaskConfig& config, const scheduler::Task& task) const {
  for (TaskIndex i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    const auto& set = entry.last.profiles;
    if (entry.config.id == config.id && entry.config.regions == config.regions &&
        (set == task.profiles || *set == *task.profiles)) {
      return i;
    }
  }
  return std::nullopt;
}

TaskRoster::Change TaskRoster::take(RunConfig& config) {
  Change change;
  std::vector<TaskIndex> order;
  const std::vector<scheduler::Task>& tasks = config.timeline.front().snapshot.tasks;
  SACCADE_CHECK(tasks.size() == config.tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::optional<TaskIndex> found = known(config.tasks[i], tasks[i]);
    const TaskIndex index = found.value_or(entries_.size());
    if (!found) entries_.push_back({config.tasks[i], tasks[i], std::nullopt});
    Entry& entry = entries_[index];
    if (!entry.position) {
      change.added.push_back(index);
    } else if (entry.config.source != config.tasks[i].source) {
      change.resourced.push_back(index);
    }
    entry.config = config.tasks[i];
    order.push_back(index);
  }
  for (const TaskIndex index : order_) {
    if (std::find(order.begin(), order.end(), index) == order.end()) change.removed.push_back(index);
    entries_[index].position.reset();
  }
  for (std::size_t i = 0; i < order.size(); ++i) entries_[order[i]].position = i;
  order_ = std::move(order);
  for (TimelineState& state : config.timeline) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      state.snapshot.tasks.at(i).profiles = entries_[order_[i]].last.profiles;
    }
  }
  return change;
}

scheduler::Snapshot TaskRoster::by_index(const scheduler::Snapshot& state) {
  SACCADE_CHECK(state.tasks.size() == order_.size());
  scheduler::Snapshot whole = state;
  whole.tasks.resize(entries_.size());
  for (TaskIndex i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    entry.position ? static_cast<void>(entry.last = state.tasks[*entry.position])
                   : static_cast<void>(entry.last.demand = Fps(0.0));
    whole.tasks[i] = entry.last;
  }
  return whole;
}

}  // namespace saccade::runtime
