// Every plan that was made, kept where it is made: a policy around the policy. The last ones are there
// whole, with what they were decided from; of all there are counts and times.
// Threads: decide() on the solver's thread, the rest from any; a lock that is held for a copy.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
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
  // `inner` outlives the book.
  explicit PlanBook(const scheduler::Policy& inner) : inner_(inner) {}

  [[nodiscard]] const char* name() const override { return inner_.name(); }
  [[nodiscard]] scheduler::Plan decide(const scheduler::Snapshot& snapshot,
                                       const scheduler::DecideLimits& limits) const override;

  // The time of the run; until it is given every plan is made at 0.
  void set_time(std::function<Duration()> time);

  [[nodiscard]] std::vector<BookedPlan> last() const;  // oldest first
  [[nodiscard]] std::optional<BookedPlan> newest() const;

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
  mutable std::deque<BookedPlan> last_ SACCADE_GUARDED_BY(mutex_);
  mutable Counts counts_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::service
