// When nothing fits: the smallest change of one limit or floor that would help.
// Threads: pure.
#pragma once

#include <optional>
#include <vector>

#include "scheduler/formulation.hpp"
#include "scheduler/plan.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/question.hpp"

namespace saccade::scheduler {

// What would make the whole demand fit, nothing being lowered; empty when it fits, absent when there was
// no time to find out whether it does. More than a plan needs: a solve per resource, task and floor.
[[nodiscard]] std::optional<std::vector<Relaxation>> fit_whole_demand(const Snapshot& snapshot,
                                                                      const ilp::ChoiceSolver& solver,
                                                                      const DecideLimits& limits);

// For rates that do not fit: per resource the least total with which everything would fit (the others
// kept), or, where one resource alone is not enough, the least total it needs in any case; per accuracy
// floor the highest value with which everything would fit. Proven when the solver proved it; where a
// min_time_share keeps variants out at these rates that higher rates allow, only the least total of one
// resource is. The joint peak power is a figure that is enough, not the least one, and never proven.
// When the time is over, what was found by then.
[[nodiscard]] std::vector<Relaxation> find_relaxations(const Formulation& formulation, const Rates& rates,
                                                       const Solve& solve);

}  // namespace saccade::scheduler
