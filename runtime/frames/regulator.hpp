// The ceiling of a granted rate: a bucket of kBurst frames, refilled at the rate, in integer nanoseconds. The
// state is the time at which the bucket will be full again, so that no rounding accumulates: the refill
// interval is rounded down, and frames due at k/f are never refused at rate f, for any number of frames. A
// raised rate starts with a full bucket (the old rate's debt does not count against it); a lowered one, or
// one raised by no more than rounding, keeps the fill, in frames. Times are due times; `now` of a rate change
// may be later than the due time of frames still to come. Threads: plain value.
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
