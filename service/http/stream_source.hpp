// What a connection that streams sends next, as text: the events of a run, or results. One that follows is
// never waited for; what it missed is told in the stream.
// Threads: the server's; `wake` is called on any. Errors: none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "service/api/event_feed.hpp"
#include "service/api/message.hpp"

namespace saccade::service {

class StreamSource {
 public:
  virtual ~StreamSource() = default;
  [[nodiscard]] virtual std::string next() = 0;        // as much as is sent at once; empty: nothing is new
  [[nodiscard]] virtual std::string beat() const = 0;  // means nothing, and shows that the service lives
};

// Events after that number. The server wakes it.
[[nodiscard]] std::unique_ptr<StreamSource> event_stream(EventFeed& feed, std::uint64_t after);
// `wake`: as ResultFeed::Reader says.
[[nodiscard]] std::unique_ptr<StreamSource> result_stream(ResultFeed& feed, const ResultStream& stream,
                                                          std::function<void()> wake);

}  // namespace saccade::service
