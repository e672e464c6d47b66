// What the configuration in force sets for a running task.
// Threads: functions without state.
#pragma once

#include <optional>

#include "runtime/run/run_hooks.hpp"

namespace saccade::service {

// Null: unknown task.
[[nodiscard]] const scheduler::Task* wanted_task(const runtime::RunStatus& status, const TaskId& id);
// The accuracy floor of a task; absent: none.
[[nodiscard]] std::optional<double> accuracy_floor(const scheduler::Task& task);

}  // namespace saccade::service
