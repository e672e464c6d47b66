#include "runtime/frames/tick_schedule.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "runtime/frames/regulator.hpp"

namespace saccade::runtime {

void TickSchedule::set_demand(Fps demand, TimePoint now) {
  SACCADE_CHECK(demand.value() >= 0.0);
  if (demand == demand_) return;
  demand_ = demand;
  next_.reset();
  if (demand.value() == 0.0) return;
  period_ = interval_of(demand);
  start_ = last_ ? std::max(now, *last_ + period_) : now;
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
  ++k_;
  ++demanded_;
  find_next();
  return due;
}

}  // namespace saccade::runtime
