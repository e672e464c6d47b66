// Whether a task's source is lost: frames are due but none arrives. The patience is twice the longest pause
// between two of its frames, but at least one second and three of the task's periods, and at most ten
// seconds, so that a slow or irregular source is not repeatedly lost and found. The longest pause is
// forgotten after a minute. A lost source is found again with its first frame. Threads: none of its own. No
// allocation.
#pragma once

#include <optional>

#include "base/clock.hpp"

namespace saccade::runtime {

class SourceWatch {
 public:
  static constexpr Duration kLeastPatience{1'000'000'000};
  static constexpr Duration kMostPatience{10'000'000'000};
  static constexpr int kLooks =
      2;  // silent looks in a row: after a stall of the process one look is not enough

  void begin(TimePoint now);  // frames are due from now on
  void end();                 // no longer
  // A frame arrived. True: the source had been lost.
  bool heard(TimePoint now);
  // Call several times per second. True: the source is lost from now on.
  [[nodiscard]] bool look(TimePoint now, Duration period);
  [[nodiscard]] bool lost() const { return lost_; }

 private:
  std::optional<TimePoint> heard_;  // absent: nothing is due
  Duration longest_pause_{0};
  TimePoint forget_at_{};
  int silent_looks_ = 0;
  bool lost_ = false;
};

}  // namespace saccade::runtime
