// How long to wait before a source is tried again: half a second after the first failure, twice as long
// after each further one, up to five; each time a quarter more or less, so that cameras that went away
// together do not all come back in the same moment.
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
