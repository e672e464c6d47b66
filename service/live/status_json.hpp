// A running service as JSON: what serves, at which rate and accuracy, and what it uses. Names are those of
// plans and summaries. Unknown values are null.
// Threads: functions without state.
#pragma once

#include <nlohmann/json.hpp>

#include "results/delivery_account.hpp"
#include "runtime/machine/thermals.hpp"
#include "runtime/real/latest_frame.hpp"
#include "runtime/run/run_hooks.hpp"
#include "service/api/wanted_task.hpp"
#include "service/live/plan_book.hpp"
#include "service/live/rule_session.hpp"

namespace saccade::service {

[[nodiscard]] nlohmann::ordered_json to_json(const runtime::RunStatus& status,
                                             const std::vector<ShownRule>& rules = {});
// `wanted`: the task according to the configuration in force; null if unknown.
[[nodiscard]] nlohmann::ordered_json to_json(const runtime::TaskStatus& task, const scheduler::Task* wanted);
// The latest answer of a task's network: the labels of the regions, or the objects.
[[nodiscard]] nlohmann::ordered_json to_json(const runtime::LatestAnswer& answer,
                                             const profiles::ProfileSet& set);
// A class without a label is given by its number.
[[nodiscard]] std::string label_of(const profiles::ProfileSet& set, int number);
[[nodiscard]] nlohmann::ordered_json tasks_json(const runtime::RunStatus& status,
                                                const std::vector<ShownRule>& rules = {});
// Every rule and task; `at`: the time of the run.
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<ShownRule>& rules, Duration at);
// The active ones of the task.
[[nodiscard]] nlohmann::ordered_json active_rules(const std::vector<ShownRule>& rules,
                                                  const std::string& task, Duration at);
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<results::DeliveryAccount>& sinks);
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<runtime::Temperature>& temperatures);
// The variants that the tasks have, per task.
[[nodiscard]] nlohmann::ordered_json models_json(const runtime::RunOutline& run);
// A plan in the format of `saccade plan --json`, with time and generation. Removed tasks are omitted.
[[nodiscard]] nlohmann::ordered_json to_json(const BookedPlan& booked, const runtime::RunOutline& run);

}  // namespace saccade::service
