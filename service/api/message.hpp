// A request and its answer as plain values, apart from any socket: what handlers see and what they
// return. Of the headers only those that can change an answer are here.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/filter.hpp"
#include "service/api/result_feed.hpp"

namespace saccade::service {

enum class Method { get, head, options, put, post, patch, remove, other };  // remove: DELETE
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
  std::string accept;
  std::string inference_header_length;
  bool repeated = false;
  std::string remote;  // IP address of the client; empty: over a socket file
  std::string body;
};

enum class ResultFormat {
  events,  // server-sent events
  lines,   // one JSON object per line
};
struct ResultStream {
  ResultFeed::Wanted wanted = {};
  // Of the objects and regions that are shown; where it leaves any out, records that show none are not sent.
  results::ObjectFilter filter = {};
  ResultFormat format = ResultFormat::events;
};

struct Response {
  // Hands over what makes the answer, from any thread and without waiting; the first one counts.
  using Deliver = std::function<void(std::function<Response()>)>;

  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  // A stream of events follows instead of a body: those after this one.
  std::optional<std::uint64_t> events_after = {};
  // A stream of results follows instead.
  std::optional<ResultStream> results = {};
  // The answer is not there yet. This is called once, on a thread that may be kept busy; it delivers, or
  // has given Deliver to someone who does.
  std::function<void(const Deliver&)> later = {};
  // That thread: long texts do not wait behind frames that are decoded.
  enum class Worker { frames, texts };
  Worker worker = Worker::frames;
};

}  // namespace saccade::service
