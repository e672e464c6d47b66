// Results as CloudEvents 1.0. One result: the record itself as the body, the event's attributes as headers
// (binary mode). A batch: a JSON list of events, the record in `data` (batched mode).
//   ce-id NODE-BOOT-TASK-FRAME   ce-source /saccade/NODE/task/TASK   ce-type saccade.result.v1   ce-time
// A result keeps its id however often it is sent, and no other result has it, so that receivers can discard
// duplicates.
// Threads: functions without state. Errors: none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "results/result.hpp"

namespace saccade::results {

struct EventSource {
  std::string node;
  std::string boot;  // letters and digits; differs at each start, because frame numbers restart
};

struct HttpMessage {
  std::vector<std::string> headers;  // "name: value"
  std::string body;
};

[[nodiscard]] std::string event_id(const Result& result, const EventSource& source);
// Letters and digits, unique to this start of the program.
[[nodiscard]] std::string random_boot();
[[nodiscard]] HttpMessage single_event(const Result& result, const EventSource& source);
[[nodiscard]] HttpMessage batch_of_events(const std::vector<std::shared_ptr<const Result>>& results,
                                          const EventSource& source);

}  // namespace saccade::results
