// A running service as JSON: what serves, at which rate, how well, and what it uses. Names are those of
// plans and summaries. What is not known is null.
// Threads: functions without state.
#pragma once

#include <nlohmann/json.hpp>

#include "app/plan_book.hpp"
#include "runtime/run_hooks.hpp"

namespace saccade::app {

[[nodiscard]] nlohmann::ordered_json to_json(const runtime::RunStatus& status);
// `wanted`: the task as the configuration in force wants it; null when it is not known.
[[nodiscard]] nlohmann::ordered_json to_json(const runtime::TaskStatus& task, const scheduler::Task* wanted);
[[nodiscard]] nlohmann::ordered_json tasks_json(const runtime::RunStatus& status);
// The variants that the tasks have, per task.
[[nodiscard]] nlohmann::ordered_json models_json(const runtime::RunStatus& status);
// A plan as `saccade plan --json` has it, with time and generation. Of tasks that are gone nothing is said.
[[nodiscard]] nlohmann::ordered_json to_json(const BookedPlan& booked, const runtime::RunStatus& status);

[[nodiscard]] const scheduler::Task* wanted_task(const runtime::RunStatus& status, const TaskId& id);
// The accuracy that a task may not be pushed below; absent: any.
[[nodiscard]] std::optional<double> accuracy_floor(const scheduler::Task& task);

}  // namespace saccade::app
