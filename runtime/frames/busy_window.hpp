// How much of the last second a processor has been busy, against a capacity in processor-seconds per
// second. It is spent while the busy time of (now - 1 s, now] has reached the capacity. A whole
// processor (capacity >= 1) can never be busy for more than that, so it is never spent.
// Intervals are added in order and do not overlap. Amortised O(1), no allocation once warm.
// Threads: plain value.
#pragma once

#include <optional>

#include "base/clock.hpp"
#include "runtime/frames/ring.hpp"

namespace saccade::runtime {

class BusyWindow {
 public:
  explicit BusyWindow(double capacity);  // > 0

  void add(TimePoint start, TimePoint end);
  // `now` never goes back, and never before the end of the last interval.
  [[nodiscard]] bool spent(TimePoint now);
  // What is left of the capacity; the longest time there is for a whole processor.
  [[nodiscard]] Duration left(TimePoint now) const;
  // The first moment at which it is no longer spent; absent when it is not spent now.
  [[nodiscard]] std::optional<TimePoint> spent_until(TimePoint now) const;

 private:
  struct Interval {
    TimePoint start{};
    TimePoint end{};
  };
  [[nodiscard]] Duration used(TimePoint since) const;

  bool whole_;
  Duration capacity_;
  Ring<Interval> intervals_;
  Duration sum_{0};
};

}  // namespace saccade::runtime
