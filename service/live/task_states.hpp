// When to publish tasks' states to brokers: immediately after a change, otherwise every minute. Pure: the
// time is the status's. Threads: one at a time. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "results/result.hpp"
#include "runtime/run/run_hooks.hpp"

namespace saccade::service {

class TaskStates {
 public:
  static constexpr Duration kLeast = std::chrono::seconds(1);  // between two states of a task
  static constexpr Duration kMost = std::chrono::seconds(60);

  // The states to publish now. The achieved rate is that since the task's state was last published.
  [[nodiscard]] std::vector<results::TaskState> news(const runtime::RunStatus& status);

 private:
  struct Told {
    results::TaskState state;
    Duration at{0};
    std::int64_t processed = 0;
    runtime::TaskNumber number = 0;  // another one: a new task with the same id, whose counts begin anew
  };
  std::map<std::string, Told> told_;  // existing tasks
};

}  // namespace saccade::service
