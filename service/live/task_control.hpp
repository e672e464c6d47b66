// Changes of a task's demand through a broker: the same as PATCH /v1/tasks/ID, but only for the keys that a
// rule may set: not the source, and not the network. No token is required: the broker's access control
// decides who may publish. Threads: functions without state; ServiceConfig locks. Errors: in the response.
#pragma once

#include <string>

#include "service/live/service_config.hpp"

namespace saccade::service {

// {"status": 202, "generation": 12}, or as a problem: {"status": 422, "title": ..., "errors": [...]}.
[[nodiscard]] std::string change_demand(ServiceConfig& config, const std::string& task,
                                        const std::string& patch);
[[nodiscard]] std::string no_such_task(const std::string& task);

}  // namespace saccade::service
