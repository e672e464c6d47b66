// Assigns indices to tasks. A task keeps its index until it is removed, and its counters a while longer: a
// task that is added again unchanged gets its old index. Beyond the last kRemovedKept removed tasks, an added
// task gets the index of the task that was removed longest ago, provided that nothing of it is left; a run in
// which tasks come and go for years thus has no more indices than tasks at a time. Each new owner of an index
// has another task number (runtime/frames/frame.hpp).
//
// A task is identified by id, profile set and regions, because engines and frames are made for these; a
// changed profile set or changed regions make it another task with the same id. Profile sets are compared by
// content, and the known object is kept: reading a file again changes nothing. Threads: plain value.
#pragma once

#include <optional>
#include <vector>

#include "runtime/frames/frame.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::runtime {

class TaskRoster {
 public:
  static constexpr std::size_t kRemovedKept = 8;

  explicit TaskRoster(const RunConfig& config);

  struct Change {
    std::vector<TaskIndex> added;    // new, or added again
    std::vector<TaskIndex> renewed;  // those of them whose index another task had before
    std::vector<TaskIndex> removed;
    std::vector<TaskIndex> resourced;  // with another source
  };
  // Adopts `config`, whose profile sets are replaced by equal ones that are already known. `settled`: removed
  // tasks of which nothing is left.
  Change take(RunConfig& config, const std::vector<TaskIndex>& settled = {});

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const TaskConfig& config(TaskIndex task) const { return entries_.at(task).config; }
  [[nodiscard]] const profiles::ProfileSetPtr& profiles(TaskIndex task) const {
    return entries_.at(task).last.profiles;
  }
  [[nodiscard]] TaskNumber number(TaskIndex task) const {
    return task_number(task, entries_.at(task).owners);
  }
  // In the configuration; absent: the task was removed.
  [[nodiscard]] std::optional<std::size_t> position(TaskIndex task) const {
    return entries_.at(task).position;
  }
  [[nodiscard]] const std::vector<TaskIndex>& order() const { return order_; }  // configuration order
  [[nodiscard]] std::vector<TaskIndex> removed() const;                         // all of them
  [[nodiscard]] std::vector<TaskIndex> standbys() const;  // for which an engine is kept ready

  // `state`, whose tasks are in configuration order, with its tasks by index; removed ones have demand 0.
  [[nodiscard]] scheduler::Snapshot by_index(const scheduler::Snapshot& state);

 private:
  struct Entry {
    TaskConfig config;
    scheduler::Task last;  // as last wanted
    std::optional<std::size_t> position;
    std::uint64_t owners = 0;      // of the index, before this one
    std::uint64_t removed_at = 0;  // counts removals
  };
  using Slots = std::vector<std::optional<TaskIndex>>;
  [[nodiscard]] std::vector<TaskIndex> reusable(const Slots& known,
                                                const std::vector<TaskIndex>& settled) const;
  [[nodiscard]] std::optional<TaskIndex> known(const TaskConfig& config, const scheduler::Task& task) const;

  std::vector<Entry> entries_;
  std::vector<TaskIndex> order_;
  std::uint64_t removals_ = 0;
};

}  // namespace saccade::runtime
