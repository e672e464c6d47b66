// How many detached threads have not ended. Each thread keeps it alive by a shared pointer.
// Threads: any.
#pragma once

#include <cstddef>

#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace saccade::runtime {

class ThreadCount {
 public:
  void started() {
    const Lock lock(mutex_);
    ++count_;
  }
  void ended() {
    const Lock lock(mutex_);
    --count_;
    changed_.notify_all();
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
  mutable Mutex mutex_;
  Condition changed_;
  std::size_t count_ SACCADE_GUARDED_BY(mutex_) = 0;
};

}  // namespace saccade::runtime
