// Whether to decode only a camera's key frames. A key frame depends on no other picture, and every other
// picture depends on those before it: decoding can resume only at a key frame, so that is where the choice is
// made. A task that takes pictures no more often than key frames arrive needs nothing else. Threads: plain
// value, of the reader.
#pragma once

#include <optional>

#include "base/clock.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::runtime {

class KeyFrameChoice {
 public:
  // Relative to the interval between key frames. A task must take pictures this rarely for key frames to
  // suffice, and this often to need all pictures again; between the two, timing jitter changes nothing.
  static constexpr double kSeldom = 0.98;
  static constexpr double kOften = 0.9;

  explicit KeyFrameChoice(StreamDecode decode) : decode_(decode), alone_(decode == StreamDecode::key) {}

  // A new connection: intervals of the previous one are discarded.
  void begin() {
    last_.reset();
    pause_.reset();
    alone_ = decode_ == StreamDecode::key;
  }
  // The interval at which the task takes pictures.
  void taken_every(Duration interval) { interval_ = interval; }
  // A key frame arrived. True: decode it, and nothing else until the next one.
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
