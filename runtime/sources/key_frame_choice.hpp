// Whether a camera's key frames alone are decoded. A key frame needs no other picture, and every other one
// needs those before it: decoding can begin again at a key frame only, so that is where the choice is made. A
// task that takes pictures no more often than key frames come needs nothing else. Threads: plain value, of
// the reader.
#pragma once

#include <optional>

#include "base/clock.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::runtime {

class KeyFrameChoice {
 public:
  // Of the pause between key frames. A task has to take pictures this seldom for key frames to do, and this
  // often for all pictures again: between both, timing jitter changes nothing.
  static constexpr double kSeldom = 0.98;
  static constexpr double kOften = 0.9;

  explicit KeyFrameChoice(StreamDecode decode) : decode_(decode), alone_(decode == StreamDecode::key) {}

  // The connection begins anew: the pauses of the last one mean nothing.
  void begin() {
    last_.reset();
    pause_.reset();
    alone_ = decode_ == StreamDecode::key;
  }
  // How often the task takes a picture.
  void taken_every(Duration interval) { interval_ = interval; }
  // A key frame came. True: it, and until the next one nothing else, is decoded.
  bool key_frame(TimePoint now) {
    if (last_) pause_ = now - *last_;
    last_ = now;
    if (decode_ != StreamDecode::needed || !pause_ || !interval_) return alone_;
    const double of_pause = to_seconds(*interval_) / to_seconds(*pause_);
    alone_ = of_pause >= (alone_ ? kOften : kSeldom);
    return alone_;
  }
  [[nodiscard]] bool alone() const { return alone_; }

 private:
  StreamDecode decode_;
  bool alone_;
  std::optional<TimePoint> last_;
  std::optional<Duration> pause_;     // between the last two key frames
  std::optional<Duration> interval_;  // between two pictures that the task takes
};

}  // namespace saccade::runtime
