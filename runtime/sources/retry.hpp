// The delay before a source is retried: half a second after the first failure, doubled after each further
// one, up to two seconds, so that a camera that was unavailable for long is served soon after its return;
// each varied by up to a quarter, so that cameras that were lost together do not all reconnect at the same
// moment. The time that a failed attempt took counts as part of the delay, of which a quarter of a second
// remains. A camera of few pictures per second takes longer from the connection to its first picture and is
// retried the more often, as long as that can make up for it. Threads: plain value.
#pragma once

#include <algorithm>
#include <chrono>
#include <random>

#include "base/clock.hpp"

namespace saccade::runtime {

class RetryPause {
 public:
  static constexpr Duration kFirst = std::chrono::milliseconds(500);
  static constexpr Duration kMost = std::chrono::seconds(2);
  static constexpr Duration kLeast = std::chrono::milliseconds(250);
  // From a camera's return to its next picture, at most.
  static constexpr Duration kServedAgain = std::chrono::seconds(3);
  // From connecting to the first picture, besides the intervals of two pictures.
  static constexpr Duration kConnecting = std::chrono::milliseconds(250);

  explicit RetryPause(std::uint32_t seed) : dice_(seed) {}

  // `tried`: how long the attempt took that failed.
  [[nodiscard]] Duration next(Duration tried = Duration(0)) {
    const Duration pause = pause_;
    pause_ = std::min(2 * pause_, most_);
    std::uniform_int_distribution<Duration::rep> jitter(-pause.count() / 4, pause.count() / 4);
    return std::max(std::min(pause + Duration(jitter(dice_)), most_) - tried, kLeast);
  }
  void succeeded() { pause_ = kFirst; }
  // The pictures that were read last followed each other at this interval: the longest delay leaves room for
  // two more. Where none would be left, as between key frames, it stays two seconds.
  void delivers_every(Duration interval) {
    const Duration room = kServedAgain - kConnecting - 2 * interval;
    most_ = room < kFirst ? kMost : std::min(room, kMost);
  }

 private:
  std::minstd_rand dice_;
  Duration pause_ = kFirst;
  Duration most_ = kMost;
};

}  // namespace saccade::runtime
