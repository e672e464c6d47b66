#include "config/moment.hpp"

#include <chrono>

#include "base/clock.hpp"

namespace saccade::config {
namespace {

// Runs `work` with limits that end when the configuration's deadline has passed.
template <class Work>
auto within_deadline(const runtime::RunConfig& run, const Clock& clock, const Work& work) {
  const TimePoint end = clock.now() + to_duration(run.solver_deadline);
  scheduler::DecideLimits limits;
  limits.stop = [&clock, end] { return clock.now() >= end; };
  return work(limits);
}

}  // namespace

Decided decide_once(const Moment& moment, const scheduler::Snapshot& snapshot) {
  const auto policy = scheduler::make_policy(moment.policy, *moment.solver);
  const SteadyClock clock;
  return within_deadline(moment.run, clock, [&](const scheduler::DecideLimits& limits) {
    const TimePoint begun = clock.now();
    Decided decided{policy->decide(snapshot, limits), Seconds(0.0)};
    decided.took = Seconds(std::chrono::duration<double>(clock.now() - begun).count());
    return decided;
  });
}

std::optional<std::vector<scheduler::Relaxation>> fit_whole_demand_of(const Moment& moment) {
  const SteadyClock clock;
  return within_deadline(moment.run, clock, [&](const scheduler::DecideLimits& limits) {
    return scheduler::fit_whole_demand(moment.snapshot, *moment.solver, limits);
  });
}

}  // namespace saccade::config
