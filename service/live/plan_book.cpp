#include "service/live/plan_book.hpp"

#include <utility>

namespace saccade::service {
namespace {
constexpr std::size_t kKept = 100;
}

scheduler::Plan PlanBook::decide(const scheduler::Snapshot& snapshot,
                                 const scheduler::DecideLimits& limits) const {
  const TimePoint begun = clock_.now();
  scheduler::Plan plan = inner_.decide(snapshot, limits);
  const Duration took = clock_.now() - begun;
  const auto booked = std::make_shared<BookedPlan>(BookedPlan{Duration(0), snapshot, plan, to_seconds(took)});
  std::shared_ptr<const BookedPlan> oldest;  // destroyed without the lock
  const Lock lock(mutex_);
  ++counts_.by_status[to_string(plan.status)];
  if (plan.fallback) ++counts_.fallbacks[plan.fallback->policy];
  counts_.times.add(took);
  if (time_) booked->at = time_();
  last_.push_back(booked);
  if (last_.size() > kKept) {
    oldest = std::move(last_.front());
    last_.pop_front();
  }
  return plan;
}

void PlanBook::set_time(std::function<Duration()> time) {
  const Lock lock(mutex_);
  time_ = std::move(time);
}

std::vector<std::shared_ptr<const BookedPlan>> PlanBook::last() const {
  const Lock lock(mutex_);
  return {last_.begin(), last_.end()};
}

std::shared_ptr<const BookedPlan> PlanBook::newest() const {
  const Lock lock(mutex_);
  return last_.empty() ? nullptr : last_.back();
}

PlanBook::Counts PlanBook::counts() const {
  const Lock lock(mutex_);
  return counts_;
}

}  // namespace saccade::service
