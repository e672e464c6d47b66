// Whether what a rule watches for is present in a task's view: from the last of `frames` consecutive results
// that show it until `hold` has passed without one that does. This is results/presence.hpp for a single thing
// that is shown or not, without names: workers update it with every result.
// Allocation: none. Pure: time is an argument and never steps back. Threads: plain value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/clock.hpp"

namespace saccade::rules {

class SinglePresence {
 public:
  // `frames`: 0 counts as 1.
  SinglePresence(std::size_t frames, Duration hold)
      : frames_(std::max<std::size_t>(1, frames)), hold_(hold) {}

  // One result. True: the presence begins with it.
  bool see(bool shown, TimePoint now) {
    pass(now);
    row_ = shown ? std::min(row_ + 1, frames_) : 0;
    if (!shown || (!present() && row_ < frames_)) return false;
    last_ = now;
    return !std::exchange(present_, true);
  }
  // Ends the presence that has expired by now without a result.
  void pass(TimePoint now) {
    if (present_ && now - last_ >= hold_) present_ = false;
  }
  [[nodiscard]] bool present() const { return present_; }
  // When pass() ends the presence, unless results arrive before; absent: never.
  [[nodiscard]] std::optional<TimePoint> next_end() const {
    return present_ ? std::optional(last_ + hold_) : std::nullopt;
  }

 private:
  std::size_t frames_;
  Duration hold_;
  std::size_t row_ = 0;  // latest consecutive results that show it, counted up to frames_
  bool present_ = false;
  TimePoint last_{};  // while present: when it was last shown
};

}  // namespace saccade::rules
