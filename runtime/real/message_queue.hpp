// The one queue into the main loop: everything that other threads have to tell it, in the order in
// which they told it, with the time at which it happened.
// Threads: post() from any thread; take() from the main loop only.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "runtime/controller.hpp"

namespace saccade::runtime {

struct StopRequest {};  // end the run as if its time were up

struct Reconfiguration {  // whoever waits for it gets an answer, come what may
  RunConfig config;
  std::promise<Result<std::uint64_t>> answer;
};

using News = std::variant<Event, action::Report, Drop, StopRequest, std::shared_ptr<Reconfiguration>>;

struct Message {
  TimePoint at{};
  News what;
};

class MessageQueue {
 public:
  explicit MessageQueue(const Clock& clock) : clock_(clock) {}

  void post(News what);
  // The oldest message; waits for one until `until` at most (absent: as long as it takes).
  [[nodiscard]] std::optional<Message> take(std::optional<TimePoint> until);

 private:
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Message> messages_;
};

}  // namespace saccade::runtime
