// Errors of the API as `application/problem+json` (RFC 9457): one sentence on what went wrong and, for a
// document, every mistake as a JSON pointer into what the client sent.
// Threads: functions without state.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "service/api/message.hpp"

namespace saccade::service {

// The reason phrase of a status code: 404 -> "Not Found".
[[nodiscard]] const char* status_words(int status);

[[nodiscard]] Response problem(int status, const std::string& detail);
// `where` of an error is a JSON pointer as a fragment: "#/tasks/0/fps". `members` are additional ones, each
// with its JSON text.
using ProblemMembers = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Response problem(int status, const std::string& detail, const Errors& errors,
                               const ProblemMembers& members = {});

}  // namespace saccade::service
