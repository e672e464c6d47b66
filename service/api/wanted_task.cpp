#include "service/api/wanted_task.hpp"

#include <algorithm>

namespace saccade::service {

const scheduler::Task* wanted_task(const runtime::RunStatus& status, const TaskId& id) {
  const auto& tasks = status.wanted->tasks;
  // A removed task and one that came after it under the same id: the newer one is further back.
  const auto found =
      std::find_if(tasks.rbegin(), tasks.rend(), [&](const auto& task) { return task.id == id; });
  return found == tasks.rend() ? nullptr : &*found;
}

std::optional<double> accuracy_floor(const scheduler::Task& task) {
  std::optional<double> floor = task.min_accuracy;
  if (task.min_relative_accuracy) {
    floor = std::max(floor.value_or(0.0), *task.min_relative_accuracy * task.profiles->best_accuracy());
  }
  return floor;
}

}  // namespace saccade::service
