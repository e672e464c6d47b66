#include "runtime/tick_schedule.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "runtime/regulator.hpp"

namespace saccade::runtime {

void TickSchedule::set_demand(Fps demand, TimePoint now) {
  SACCADE_CHECK(demand.value() >= 0.0);
  if (demand == demand_) return;
  demand_ = demand;
  if (demand.value() == 0.0) return;
  period_ = interval_of(demand);
  start_ = last_ ? std::max(now, *last_ + period_) : now;
  k_ = 0;
}

std::optional<TimePoint> TickSchedule::next() const {
  if (demand_.value() == 0.0) return std::nullopt;
  return start_ + Duration(std::llround(static_cast<double>(k_) * 1e9 / demand_.value()));
}

TimePoint TickSchedule::take() {
  const std::optional<TimePoint> due = next();
  SACCADE_CHECK(due);
  last_ = due;
  ++k_;
  ++demanded_;
  return *due;
}

}  // namespace saccade::runtime
