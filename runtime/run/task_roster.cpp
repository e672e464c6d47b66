#include "runtime/run/task_roster.hpp"

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

// Oldest first; none of a task that comes back.
std::vector<TaskIndex> TaskRoster::reusable(const Slots& known, const std::vector<TaskIndex>& settled) const {
  const auto comes_back = [&](TaskIndex index) {
    return std::find(known.begin(), known.end(), index) != known.end();
  };
  const auto gone = static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return !entry.position; }));
  std::vector<TaskIndex> indices;
  for (const TaskIndex index : settled) {
    SACCADE_CHECK(!entries_.at(index).position);
    if (!comes_back(index)) indices.push_back(index);
  }
  std::sort(indices.begin(), indices.end(),
            [&](TaskIndex a, TaskIndex b) { return entries_[a].removed_at < entries_[b].removed_at; });
  const auto beyond = gone - std::min(gone, kRemovedKept);
  indices.resize(std::min(indices.size(), beyond));
  return indices;
}

TaskRoster::Change TaskRoster::take(RunConfig& config, const std::vector<TaskIndex>& settled) {
  Change change;
  const std::vector<scheduler::Task>& tasks = config.timeline.front().snapshot.tasks;
  SACCADE_CHECK(tasks.size() == config.tasks.size());
  Slots known;
  for (std::size_t i = 0; i < tasks.size(); ++i) known.push_back(this->known(config.tasks[i], tasks[i]));
  const std::vector<TaskIndex> spare = reusable(known, settled);
  auto next_spare = spare.begin();
  std::vector<TaskIndex> order;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    TaskIndex index = entries_.size();
    if (known[i]) {
      index = *known[i];
    } else if (next_spare != spare.end()) {
      index = *next_spare++;
      entries_[index] = {config.tasks[i], tasks[i], std::nullopt, entries_[index].owners + 1};
      change.renewed.push_back(index);
    } else {
      entries_.push_back({config.tasks[i], tasks[i], std::nullopt});
    }
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
    entries_[index].position.reset();
    if (std::find(order.begin(), order.end(), index) != order.end()) continue;
    change.removed.push_back(index);
    entries_[index].removed_at = ++removals_;
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

std::vector<TaskIndex> TaskRoster::removed() const {
  std::vector<TaskIndex> gone;
  for (TaskIndex i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].position) gone.push_back(i);
  }
  return gone;
}

std::vector<TaskIndex> TaskRoster::standbys() const {
  std::vector<TaskIndex> standbys;
  for (TaskIndex i = 0; i < entries_.size(); ++i) {
    if (entries_[i].position && entries_[i].config.standby) standbys.push_back(i);
  }
  return standbys;
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
