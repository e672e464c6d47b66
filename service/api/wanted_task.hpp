// What the configuration in force wants of a task that runs.
// Threads: functions without state.
#pragma once

#include <optional>

#include "runtime/run/run_hooks.hpp"

namespace saccade::service {

// Null: it is not known.
[[nodiscard]] const scheduler::Task* wanted_task(const runtime::RunStatus& status, const TaskId& id);
// The accuracy that a task may not be pushed below; absent: any.
[[nodiscard]] std::optional<double> accuracy_floor(const scheduler::Task& task);

}  // namespace saccade::service
