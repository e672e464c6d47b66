// Which of a camera's pictures are decoded: those that are likely to be the newest at a tick of the task. A
// camera may deliver more than its task takes (30 pictures per second for 5, say), and decoding dominates
// their cost. It learns the camera's period and the task's interval from the arrival of pictures and ticks;
// after a wrong guess, the tick requests the next picture. Threads: plain value, used under the source's
// mutex.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "base/clock.hpp"

namespace saccade::runtime {

class DecodeSchedule {
 public:
  static constexpr Duration kMostPatience{100'000'000};

  // A picture arrived. True: decode it.
  [[nodiscard]] bool grabbed(TimePoint now) {
    if (last_grab_) {
      const Duration pause = now - *last_grab_;
      period_ = period_.count() == 0 ? pause : (7 * period_ + pause) / 8;
    }
    last_grab_ = now;
    const bool decode = std::exchange(wanted_, false) || soon(now);
    newer_ = decode ? 0 : newer_ + 1;
    return decode;
  }
  void ticked(TimePoint now) {
    if (last_tick_) interval_ = now - *last_tick_;
    last_tick_ = now;
  }
  // Decode the next picture: a tick found no new one.
  void want() { wanted_ = true; }
  // The camera delivers nothing any more: decode its next picture, which says nothing of its interval.
  void lost() {
    want();
    last_grab_.reset();
  }
  // Number of pictures since the last decoded one; if more than one, that is too old for a tick.
  [[nodiscard]] int newer() const { return newer_; }
  // Between the camera's pictures, smoothed; 0 until there were two.
  [[nodiscard]] Duration period() const { return period_; }
  // Between the last two ticks.
  [[nodiscard]] std::optional<Duration> interval() const { return interval_; }
  // How long a tick may wait for the next picture.
  [[nodiscard]] Duration patience() const { return std::min(2 * period_, kMostPatience); }

 private:
  // No later picture arrives before the next tick, and the task still takes pictures.
  [[nodiscard]] bool soon(TimePoint now) const {
    if (!interval_) return false;
    const TimePoint next = *last_tick_ + *interval_;
    return now + period_ + period_ / 2 >= next && now <= next + *interval_;
  }

  std::optional<TimePoint> last_grab_;
  Duration period_{0};
  std::optional<TimePoint> last_tick_;
  std::optional<Duration> interval_;
  bool wanted_ = true;
  int newer_ = 0;
};

}  // namespace saccade::runtime
