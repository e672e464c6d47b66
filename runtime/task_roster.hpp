// Which task has which index. A task keeps its index for as long as the run lasts, whatever becomes of
// the configuration: one that is added gets the next free index, one that is removed keeps its own, and
// its books, until the end. A task that comes back as it was takes its old place again, so that indices
// are not used up by a task that comes and goes.
//
// A task is known by its id, its profile set and its regions: engines and frames are made for these. One
// whose profile set or regions changed is another task under the same id. Profile sets are compared by
// what is in them, and the one that is known stays: reading a file again changes nothing.
// Threads: plain value.
#pragma once

#include <optional>
#include <vector>

#include "runtime/frame.hpp"
#include "runtime/run_config.hpp"

namespace saccade::runtime {

class TaskRoster {
 public:
  explicit TaskRoster(const RunConfig& config);

  struct Change {
    std::vector<TaskIndex> added;    // new, or back again
    std::vector<TaskIndex> removed;
    std::vector<TaskIndex> resourced;  // their frames come from somewhere else
  };
  // The configuration that holds from now on; its profile sets become those that are known already.
  Change take(RunConfig& config);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const TaskConfig& config(TaskIndex task) const { return entries_.at(task).config; }
  [[nodiscard]] const profiles::ProfileSetPtr& profiles(TaskIndex task) const {
    return entries_.at(task).last.profiles;
  }
  // Absent: it was removed.
  [[nodiscard]] std::optional<std::size_t> position(TaskIndex task) const { return entries_.at(task).position; }
  [[nodiscard]] const std::vector<TaskIndex>& order() const { return order_; }  // configuration order

  // The state, whose tasks are in configuration order, with its tasks by index: those that were removed
  // are there with a demand of 0.
  [[nodiscard]] scheduler::Snapshot by_index(const scheduler::Snapshot& state);

 private:
  struct Entry {
    TaskConfig config;
    scheduler::Task last;  // as it was wanted last
    std::optional<std::size_t> position;
  };
  [[nodiscard]] std::optional<TaskIndex> known(const TaskConfig& config, const scheduler::Task& task) const;

  std::vector<Entry> entries_;
  std::vector<TaskIndex> order_;
};

}  // namespace saccade::runtime
