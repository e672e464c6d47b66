// Responses of the API as tables for people.
// Threads: functions without state. Errors: none; what a response does not contain is shown as "-".
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

namespace saccade::app {

void print_service_tasks(const nlohmann::ordered_json& tasks, std::ostream& out);
// `earlier`: the status displayed previously, for rates between the two; null at first.
void print_service_status(const nlohmann::ordered_json& status, const nlohmann::ordered_json& earlier,
                          std::ostream& out);
void print_service_plan(const nlohmann::ordered_json& plan, std::ostream& out);
void print_history(const nlohmann::ordered_json& history, std::ostream& out);
// An application/problem+json, or any other body of an error response.
void print_problem(const nlohmann::ordered_json& problem, std::ostream& err);

}  // namespace saccade::app
