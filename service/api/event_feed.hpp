// The last events of a run for those who follow them: one bounded ring for all, and every follower
// remembers only the number of the last event it has. One that is too slow has missed what the ring
// has dropped meanwhile and is told how many; nobody waits for it. The same number lets a follower that
// was cut off go on where it was.
// Threads: any; a lock that is held for a copy. Errors: none.
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
  // At most `most` events after that number. A number from the future, of an earlier life of the
  // service, counts as none.
  [[nodiscard]] Batch read(std::uint64_t after, std::size_t most) const;
  [[nodiscard]] std::uint64_t newest() const;

  // Called after every publish(), on the publisher's thread; must not wait. Empty: nobody.
  void on_publish(std::function<void()> call);

 private:
  const std::size_t capacity_;
  mutable Mutex mutex_;
  std::deque<FeedEvent> events_ SACCADE_GUARDED_BY(mutex_);
  std::uint64_t newest_ SACCADE_GUARDED_BY(mutex_) = 0;
  std::function<void()> call_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::service
