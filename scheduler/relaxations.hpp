// If nothing fits: the smallest change of one limit or floor that would help.
// Threads: pure.
#pragma once

#include <optional>
#include <vector>

#include "scheduler/plan.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/problem_builder.hpp"
#include "scheduler/question.hpp"

namespace saccade::scheduler {

// What would make the whole demand fit without lowering anything; empty if it fits, absent if the stop
// predicate fired before this was known. Costly: one solve per resource, task and floor.
[[nodiscard]] std::optional<std::vector<Relaxation>> fit_whole_demand(const Snapshot& snapshot,
                                                                      const ilp::ChoiceSolver& solver,
                                                                      const DecideLimits& limits);

// For rates that do not fit. Per resource: the least limit with which everything fits, all other limits
// unchanged, or, if no value of this resource alone is enough, the least limit that is necessary. Per
// accuracy floor: the highest value with which everything fits. Per task: the highest rate, min_fps or
// min_time_share with which everything fits. `proven` as the solver reports it; if min_time_share excludes
// variants at these rates that it allows at higher ones, only necessary limits are proven. The joint peak
// power is sufficient but not necessarily least, and never proven.
// If the stop predicate fires, what was found by then.
[[nodiscard]] std::vector<Relaxation> find_relaxations(const ProblemBuilder& builder, const Rates& rates,
                                                       const Solve& solve);

}  // namespace saccade::scheduler
