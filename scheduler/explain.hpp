// The reasons in a plan: what filters and front left, why a task is off or lowered, which filter excludes a
// better variant. What would help instead: relaxations.hpp.
// Threads: pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/plan.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/problem_builder.hpp"
#include "scheduler/question.hpp"

namespace saccade::scheduler {

// True if the snapshot is invalid (validate() returned `complaints`): the plan becomes infeasible with the
// complaints as its reasons and without a fallback, since nothing can be computed from such a snapshot.
[[nodiscard]] bool refuse_invalid(const Errors& complaints, Plan& plan);

[[nodiscard]] Reason inactive(const Task& task);
// Why tasks without a choice are off: inactive, or no variant passes the filters.
[[nodiscard]] std::vector<Reason> explain_off(const Snapshot& snapshot,
                                              const std::vector<Filtered>& filtered);

// How many variants each filter, the time floor and the front removed; one entry per task.
[[nodiscard]] std::vector<FilterTrace> trace_filters(const Menus& menus, const Rates& rates);

// The rows that cannot hold even by themselves at these rates; empty if rows conflict only jointly.
[[nodiscard]] std::vector<std::string> culprits(const ProblemBuilder& builder, const Rates& rates);

// Filters that exclude a variant which would fit in place of the chosen one and be better; one additional
// reason if there was no time to examine all tasks.
[[nodiscard]] std::vector<Reason> explain_filters(const ProblemBuilder& builder, const Selection& selection,
                                                  const Solve& solve);

}  // namespace saccade::scheduler
