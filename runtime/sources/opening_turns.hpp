// Who may open a capture at one time: any number of addresses, or one file, in the order in which they came.
// So a file waits for the addresses that are being opened before it, and none that come after it.
// Threads: any. Errors: none.
#pragma once

#include <cstdint>

#include "base/mutex.hpp"

namespace saccade::runtime {

class OpeningTurns {
 public:
  // Waits for its turn; `prepare` is called once it has come, by one at a time.
  template <class Prepare>
  void enter(bool file, const Prepare& prepare) {
    const Lock lock(mutex_);
    const std::uint64_t mine = last_++;
    changed_.wait(mutex_, [&]() SACCADE_REQUIRES(mutex_) {
      return next_ == mine && !file_ && (!file || addresses_ == 0);
    });
    ++next_;
    file ? static_cast<void>(file_ = true) : static_cast<void>(++addresses_);
    prepare();
    changed_.notify_all();
  }
  void leave(bool file) {
    const Lock lock(mutex_);
    file ? static_cast<void>(file_ = false) : static_cast<void>(--addresses_);
    changed_.notify_all();
  }
  [[nodiscard]] std::uint64_t waiting() const {
    const Lock lock(mutex_);
    return last_ - next_;
  }

 private:
  mutable Mutex mutex_;
  Condition changed_;
  std::uint64_t last_ SACCADE_GUARDED_BY(mutex_) = 0;  // the number of whoever comes next
  std::uint64_t next_ SACCADE_GUARDED_BY(mutex_) = 0;  // the number whose turn is next
  int addresses_ SACCADE_GUARDED_BY(mutex_) = 0;       // that are being opened
  bool file_ SACCADE_GUARDED_BY(mutex_) = false;       // one is being opened
};

}  // namespace saccade::runtime
