// Monotonic time in integer nanoseconds. Code that makes decisions takes `now` as an argument; only shells
// own a Clock. The epoch is the start of the process or of the simulation.
// Threads: now() may be called from any thread.
#pragma once

#include <chrono>
#include <cmath>

#include "base/quantity.hpp"

namespace saccade {

using Duration = std::chrono::nanoseconds;

struct TimelineTag {  // satisfies the clock part of std::chrono::time_point; has no now()
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
};
using TimePoint = std::chrono::time_point<TimelineTag, Duration>;

// Rounded to the nearest nanosecond.
[[nodiscard]] inline Duration to_duration(Seconds s) { return Duration(std::llround(s.value() * 1e9)); }
[[nodiscard]] constexpr Seconds to_seconds(Duration d) {
  return Seconds(static_cast<double>(d.count()) * 1e-9);
}
[[nodiscard]] constexpr Seconds since_start(TimePoint t) { return to_seconds(t.time_since_epoch()); }

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual TimePoint now() const = 0;
};

// Monotonic time of the process; epoch = construction.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override {
    return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start_));
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Time that advances only on request: simulation and tests.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return now_; }
  void set(TimePoint now) { now_ = now; }
  void advance(Duration by) { now_ += by; }

 private:
  TimePoint now_{};
};

}  // namespace saccade
