// Changes of what a task demands that come through a broker: the same way as PATCH /v1/tasks/ID, but for the
// keys that a rule may set, and no others: not where pictures come from, nor which network runs. Nobody is
// asked for a token: who may publish there is the broker's to say. Threads: functions without state;
// ServiceConfig locks. Errors: in the answer.
#pragma once

#include <string>

#include "service/live/service_config.hpp"

namespace saccade::service {

// {"status": 202, "generation": 12}, or as a problem: {"status": 422, "title": ..., "errors": [...]}.
[[nodiscard]] std::string change_demand(ServiceConfig& config, const std::string& task,
                                        const std::string& patch);
[[nodiscard]] std::string no_such_task(const std::string& task);

}  // namespace saccade::service
