// When a task's frames are due: at start + k/f, computed from k, so that ticks never drift. A changed demand
// restarts k: its first tick comes one new period after the last tick, or immediately if that has passed,
// plus a delay that keeps it apart from other tasks' ticks (tick_spread.hpp). A change therefore never puts
// two ticks closer together than the new period, and a flapping demand adds no frames. Nor does it put off
// the next tick for ever: delays end one new period after that tick was possible when the demand first
// changed. Every tick taken is one demanded frame. Threads: plain value.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "base/quantity.hpp"

namespace saccade::runtime {

class TickSchedule {
 public:
  // No effect when it does not differ. `delay`: at least 0.
  void set_demand(Fps demand, TimePoint now, Duration delay = Duration(0));
  // The first tick of a changed demand if nothing delays it.
  [[nodiscard]] TimePoint earliest(Fps demand, TimePoint now) const;
  [[nodiscard]] Fps demand() const { return demand_; }
  [[nodiscard]] Duration period() const { return period_; }  // 1/f; meaningful while demand > 0

  [[nodiscard]] const std::optional<TimePoint>& next() const { return next_; }  // absent while demand is 0
  TimePoint take();  // consumes next(), which must be present
  [[nodiscard]] std::int64_t demanded() const { return demanded_; }

 private:
  void find_next();

  Fps demand_{0.0};
  Duration period_{0};
  TimePoint start_{};
  std::int64_t k_ = 0;
  std::optional<TimePoint> next_;
  std::optional<TimePoint> last_;
  std::optional<TimePoint> changed_;  // when the demand was first set since the last tick
  std::int64_t demanded_ = 0;
};

}  // namespace saccade::runtime
