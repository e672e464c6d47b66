// The plan history: a policy that wraps the policy and records every plan. The latest ones are kept in full,
// with their snapshots; counts and times cover all of them.
// Threads: decide() on the solver's thread, the rest from any. Plans are shared, not copied: with their
// snapshots they are large.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "runtime/frames/latency_histogram.hpp"
#include "scheduler/policy.hpp"

namespace saccade::service {

struct BookedPlan {
  Duration at{0};  // of the run
  scheduler::Snapshot snapshot;
  scheduler::Plan plan;
  Seconds solve_time{0.0};
};

class PlanBook final : public scheduler::Policy {
 public:
  // `inner` must outlive this.
  explicit PlanBook(const scheduler::Policy& inner) : inner_(inner) {}

  [[nodiscard]] const char* name() const override { return inner_.name(); }
  [[nodiscard]] scheduler::Plan decide(const scheduler::Snapshot& snapshot,
                                       const scheduler::DecideLimits& limits) const override;

  // Sets the clock of the run; until then every plan is recorded at time 0.
  void set_time(std::function<Duration()> time);

  [[nodiscard]] std::vector<std::shared_ptr<const BookedPlan>> last() const;  // oldest first; none is null
  [[nodiscard]] std::shared_ptr<const BookedPlan> newest() const;             // null: there is none yet

  struct Counts {
    std::map<std::string, std::int64_t> by_status;
    std::map<std::string, std::int64_t> fallbacks;  // by policy
    runtime::LatencyHistogram times;
  };
  [[nodiscard]] Counts counts() const;

 private:
  const scheduler::Policy& inner_;
  const SteadyClock clock_;
  mutable Mutex mutex_;
  std::function<Duration()> time_ SACCADE_GUARDED_BY(mutex_);
  mutable std::deque<std::shared_ptr<const BookedPlan>> last_ SACCADE_GUARDED_BY(mutex_);
  mutable Counts counts_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::service
