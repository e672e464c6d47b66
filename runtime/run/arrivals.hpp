// The arrival times of a `replay` source, from its file, queried tick by tick.
// Pure: time is an argument and never steps back. Threads: plain value.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/run/run_config.hpp"

namespace saccade::runtime {

class Arrivals {
 public:
  explicit Arrivals(const ReplaySource& source) : times_(source.arrivals), loop_(source.loop) {}

  // Whether a frame arrived by `at` (since the start of the run) that no earlier tick has consumed.
  bool take(Duration at) {
    const std::int64_t now = until(at);
    return now > std::exchange(taken_, std::max(now, taken_));
  }
  // By `at` the last one has been taken, and none follows.
  [[nodiscard]] bool ended(Duration at) const { return !loop_ && taken_ >= until(at) && at > times_->back(); }

 private:
  // Number of arrivals by then. A looping recording restarts at its last arrival.
  [[nodiscard]] std::int64_t until(Duration at) const {
    const Duration round = times_->back();
    const auto size = static_cast<std::int64_t>(times_->size());
    std::int64_t before = 0;
    if (loop_ && round > Duration(0)) {
      before = (at / round) * size;
      at %= round;
    }
    return before + (std::upper_bound(times_->begin(), times_->end(), at) - times_->begin());
  }

  std::shared_ptr<const std::vector<Duration>> times_;
  bool loop_;
  std::int64_t taken_ = 0;
};

}  // namespace saccade::runtime
