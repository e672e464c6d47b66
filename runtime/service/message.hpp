// A request and its answer as plain values, apart from any socket: what handlers see and what they
// return. Of the headers only those that can change an answer are here.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace saccade::runtime {

enum class Method { get, head, options, put, post, patch, other };
[[nodiscard]] const char* to_string(Method method);

struct Request {
  Method method = Method::get;
  std::string target;  // as sent: path and query, percent-encoded
  // Absent headers are empty; a header that may stand once and stands twice is in `repeated`.
  std::string host;
  std::string origin;
  std::string authorization;
  std::string content_type;
  std::string if_match;
  std::string if_none_match;
  std::string last_event_id;
  bool repeated = false;
  std::string body;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  // A stream of events follows instead of a body: those after this one.
  std::optional<std::uint64_t> events_after = {};
};

}  // namespace saccade::runtime
