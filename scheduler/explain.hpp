// Why a plan looks as it does, in words and numbers: what the filters and the front left, why a task
// is off or lowered, which filter keeps a better variant out, and, when nothing fits, the smallest
// change of one limit or floor that would help.
// Threads: pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/formulation.hpp"
#include "scheduler/plan.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/question.hpp"

namespace saccade::scheduler {

// True when there are complaints about the snapshot (validate()); the plan is then infeasible, they are
// its reasons, and there is no fallback, since nothing can be computed from such a snapshot.
[[nodiscard]] bool refuse_invalid(const Errors& complaints, Plan& plan);

[[nodiscard]] Reason inactive(const Task& task);
// Why tasks that nothing is chosen for are off: inactive, or no variant passes its filters.
[[nodiscard]] std::vector<Reason> explain_off(const Snapshot& snapshot,
                                              const std::vector<Filtered>& filtered);

// How many variants each filter, the time floor and the front removed; one entry per task.
[[nodiscard]] std::vector<FilterTrace> trace_filters(const Formulation& formulation, const Menu& menu,
                                                     const Rates& rates);

// The rows that cannot hold even by themselves at these rates; empty when they conflict only together.
[[nodiscard]] std::vector<std::string> culprits(const Formulation& formulation, const Rates& rates);

// Filters that keep out a variant which would fit in the place of the chosen one and be better; one reason
// more where there was no time to look at all tasks.
[[nodiscard]] std::vector<Reason> explain_filters(const Formulation& formulation, const Selection& selection,
                                                  const Solve& solve);

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
