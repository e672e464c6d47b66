#include "bench/switch/plan_record.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::bench {

void PlanRecorder::note(Duration at, const std::shared_ptr<const scheduler::Plan>& plan) {
  if (!plan || (!plans_.empty() && plans_.back().plan == plan)) return;
  SACCADE_CHECK(plans_.empty() || plans_.back().at <= at);
  plans_.push_back({at, plan});
}

std::vector<PlanAt> PlanRecorder::within(Duration from, Duration to) const {
  const auto after = std::upper_bound(plans_.begin(), plans_.end(), from,
                                      [](Duration time, const PlanAt& each) { return time < each.at; });
  std::vector<PlanAt> plans;
  for (auto each = after == plans_.begin() ? after : after - 1; each != plans_.end() && each->at < to; ++each)
    plans.push_back({plans.empty() ? Duration(0) : each->at - from, each->plan});
  return plans;
}

const scheduler::Plan* PlanReplay::due(Duration now) {
  return next() > now ? nullptr : plans_[next_++].plan.get();
}

Duration PlanReplay::next() const { return next_ < plans_.size() ? plans_[next_].at : Duration::max(); }

}  // namespace saccade::bench
