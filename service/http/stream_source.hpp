// The next text of a streaming connection: the events of a run, or its results. Nothing waits for the reader;
// the stream reports what it missed.
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
  [[nodiscard]] virtual std::string next() = 0;        // one chunk to send; empty: nothing is new
  [[nodiscard]] virtual std::string beat() const = 0;  // keep-alive without content
};

// Events after that number. The server wakes it.
[[nodiscard]] std::unique_ptr<StreamSource> event_stream(EventFeed& feed, std::uint64_t after);
// `wake`: as ResultFeed::Reader says.
[[nodiscard]] std::unique_ptr<StreamSource> result_stream(ResultFeed& feed, const ResultStream& stream,
                                                          std::function<void()> wake);

}  // namespace saccade::service
