// How many detached threads have not ended. Each thread keeps it alive by a shared pointer.
// Threads: any. Errors: std::system_error if no thread can be started; the count is then unchanged.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace saccade::runtime {

class ThreadCount {
 public:
  // Runs `body` on a detached thread. What the body keeps alive is released before the thread counts as
  // ended.
  template <class Body>
  static void start(const std::shared_ptr<ThreadCount>& count, Body body) {
    count->started();
    try {
      std::thread([count, held = std::optional<Body>(std::move(body))]() mutable {
        (*held)();
        held.reset();
        count->ended();
      }).detach();
    } catch (...) {
      count->ended();
      throw;
    }
  }
  [[nodiscard]] std::size_t count() const {
    const Lock lock(mutex_);
    return count_;
  }
  // Waits at most `patience`; false: some have not ended.
  [[nodiscard]] bool wait_for_none(Duration patience) {
    Lock lock(mutex_);
    return changed_.wait_for(mutex_, patience, [&]() SACCADE_REQUIRES(mutex_) { return count_ == 0; });
  }

 private:
  void started() {
    const Lock lock(mutex_);
    ++count_;
  }
  void ended() {
    const Lock lock(mutex_);
    --count_;
    changed_.notify_all();
  }

  mutable Mutex mutex_;
  Condition changed_;
  std::size_t count_ SACCADE_GUARDED_BY(mutex_) = 0;
};

}  // namespace saccade::runtime
