// The latest events of a run for clients that follow them: one bounded ring for all; each follower remembers
// only the number of the last event it has. A follower that is too slow misses what the ring has dropped
// meanwhile and is told how many events; nothing waits for it. After a disconnection the same number lets a
// follower resume where it stopped.
// Threads: any; a lock is held for a copy. Errors: none.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/mutex.hpp"

namespace saccade::service {

struct FeedEvent {
  std::uint64_t number = 0;  // from 1, without gaps
  std::string kind;          // plan, swap, ...
  std::string json;          // one line
};

class EventFeed {
 public:
  explicit EventFeed(std::size_t capacity = 1024) : capacity_(capacity) {}

  void publish(std::string kind, std::string json);

  struct Batch {
    std::uint64_t lost = 0;  // between `after` and the first event here
    std::vector<FeedEvent> events;
  };
  // At most `most` events after that number. A number from the future, from an earlier run of the service,
  // counts as 0.
  [[nodiscard]] Batch read(std::uint64_t after, std::size_t most) const;
  [[nodiscard]] std::uint64_t newest() const;

  // Called after every publish(), on the publisher's thread; must not block. Empty: no callback.
  void on_publish(std::function<void()> call);

 private:
  const std::size_t capacity_;
  mutable Mutex mutex_;
  std::deque<FeedEvent> events_ SACCADE_GUARDED_BY(mutex_);
  std::uint64_t newest_ SACCADE_GUARDED_BY(mutex_) = 0;
  std::function<void()> call_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::service
