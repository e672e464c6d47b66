// The target of a request, parsed strictly: path segments percent-decoded one by one, and the query. A target
// that is not in canonical form (a broken escape, a control character, an escaped slash, an empty or dotted
// segment) is rejected, so that nothing can be reached by a second spelling.
// Threads: function without state.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace saccade::service {

struct Target {
  std::vector<std::string> segments;         // "/v1/tasks/a" -> v1, tasks, a; "/" -> none
  std::map<std::string, std::string> query;  // "?verbose" -> an empty value
};

[[nodiscard]] std::optional<Target> target_from(const std::string& text);

}  // namespace saccade::service
