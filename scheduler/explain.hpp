// Why a plan looks as it does, in words and numbers: what the filters and the front left, why a task
// is off or lowered, and which filter keeps a better variant out. What would help: relaxations.hpp.
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

}  // namespace saccade::scheduler
