// The delay before a source is retried: half a second after the first failure, doubled after each further
// one, up to five seconds; each varied by up to a quarter, so that cameras that were lost together do not all
// reconnect at the same moment.
// Threads: plain value.
#pragma once

#include <algorithm>
#include <chrono>
#include <random>

#include "base/clock.hpp"

namespace saccade::runtime {

class RetryPause {
 public:
  static constexpr Duration kFirst = std::chrono::milliseconds(500);
  static constexpr Duration kMost = std::chrono::seconds(5);

  explicit RetryPause(std::uint32_t seed) : dice_(seed) {}

  [[nodiscard]] Duration next() {
    const Duration pause = pause_;
    pause_ = std::min(2 * pause_, kMost);
    std::uniform_int_distribution<Duration::rep> jitter(-pause.count() / 4, pause.count() / 4);
    return std::min(pause + Duration(jitter(dice_)), kMost);
  }
  void succeeded() { pause_ = kFirst; }

 private:
  std::minstd_rand dice_;
  Duration pause_ = kFirst;
};

}  // namespace saccade::runtime
