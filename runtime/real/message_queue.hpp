// The one queue into the main loop: all messages of other threads, in the order in which they were posted,
// with the time at which they were. Of a task's lost frames at most one message waits, with their number: a
// client that sends each refused frame again posts them faster than the main loop handles events. Nothing
// that waits behind it has been done yet, so that later frames belong to the same switch.
// Threads: post() from any thread; take() from the main loop only.
#pragma once

#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "runtime/control/actions.hpp"
#include "runtime/control/events.hpp"
#include "runtime/run/change_result.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::runtime {

struct StopRequest {};  // end the run as if its time were up

struct SourceTried {};  // the source of a capture has opened, or failed to, or the capture has ended

struct Reconfiguration {  // always answered, also when the run ends
  RunConfig config;
  std::promise<ChangeResult<std::uint64_t>> answer;
};

using News =
    std::variant<Event, action::Report, Drop, StopRequest, SourceTried, std::shared_ptr<Reconfiguration>>;

struct Message {
  TimePoint at{};
  News what;
};

class MessageQueue {
 public:
  explicit MessageQueue(const Clock& clock) : clock_(clock) {}

  void post(News what);
  // The oldest message; waits for one, at most until `until` (absent: without limit).
  [[nodiscard]] std::optional<Message> take(std::optional<TimePoint> until);

 private:
  const Clock& clock_;
  Mutex mutex_;
  Condition arrived_;
  std::deque<Message> messages_ SACCADE_GUARDED_BY(mutex_);
  std::vector<std::int64_t> lost_ SACCADE_GUARDED_BY(mutex_);  // frames, by task, of the messages that wait
};

}  // namespace saccade::runtime
