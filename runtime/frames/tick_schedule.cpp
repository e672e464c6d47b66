#include "runtime/frames/tick_schedule.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "runtime/frames/regulator.hpp"

namespace saccade::runtime {

TimePoint TickSchedule::earliest(Fps demand, TimePoint now) const {
  return last_ ? std::max(now, *last_ + interval_of(demand)) : now;
}

void TickSchedule::set_demand(Fps demand, TimePoint now, Duration delay) {
  SACCADE_CHECK(demand.value() >= 0.0);
  if (demand == demand_) return;
  demand_ = demand;
  next_.reset();
  if (demand.value() == 0.0) return;
  period_ = interval_of(demand);
  if (!changed_) changed_ = now;
  const TimePoint first = earliest(demand, now);
  start_ = std::max(first, std::min(first + delay, earliest(demand, *changed_) + period_));
  k_ = 0;
  find_next();
}

void TickSchedule::find_next() {
  next_ = start_ + Duration(std::llround(static_cast<double>(k_) * 1e9 / demand_.value()));
}

TimePoint TickSchedule::take() {
  SACCADE_CHECK(next_);
  const TimePoint due = *next_;
  last_ = due;
  changed_.reset();
  ++k_;
  ++demanded_;
  find_next();
  return due;
}

}  // namespace saccade::runtime
