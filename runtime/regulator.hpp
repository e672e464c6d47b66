// The ceiling of a granted rate: a bucket of kBurst frames, refilled at the rate, in integer
// nanoseconds. It is kept as the time at which the bucket will be full again, so that no rounding
// adds up: the refill interval is rounded down, and frames that are due at k/f are never refused at
// rate f, for any number of frames.
// A raised rate starts with a full bucket (the new rate is not refused for the old one's debt); a
// lowered one, or one that is raised by no more than rounding, keeps the fill, in frames. Time is the frames'
// due time; `now` of a rate change may lie after the due time of frames still to come. Threads: plain value.
#pragma once

#include "base/clock.hpp"
#include "base/quantity.hpp"

namespace saccade::runtime {

// Time between frames at a rate, rounded down; absurdly slow rates are cut at three years.
[[nodiscard]] Duration interval_of(Fps rate);

class Regulator {
 public:
  static constexpr int kBurst = 2;

  void set_rate(Fps rate, TimePoint now);
  [[nodiscard]] Fps rate() const { return rate_; }
  // Takes a frame out of the bucket, or refuses. Rate 0 refuses everything.
  [[nodiscard]] bool admit(TimePoint due);

 private:
  Fps rate_{0.0};
  Duration interval_{0};
  TimePoint full_at_{};
};

}  // namespace saccade::runtime
