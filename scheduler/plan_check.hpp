// The independent check of a plan: recomputes every constraint of the snapshot from the profiles
// (recomputed_cost.hpp) with plain arithmetic and shares no code with the planner (filters, fronts,
// choice problems), the solvers or the accounting of plans, so that no mistake of theirs is hidden from it.
// A limit holds iff used <= allowed * (1 + 1e-9).
// Threads: pure. Order: the snapshot must be valid (validate()).
#pragma once

#include <string>
#include <vector>

#include "scheduler/plan.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::scheduler {

struct Violation {
  std::string constraint;  // "time:<processor>" | "memory" | "memory:<device>" | "energy" | "power" |
                           // "<floor>:<task>" | "plan"
  std::string what;        // a sentence with the amounts
};

enum class CheckScope {
  all,        // every limit, filter and floor
  time_only,  // rates, variants and processor time only: what the heuristics promise
};

// Empty = the plan obeys the snapshot. An infeasible plan must have every task off.
[[nodiscard]] std::vector<Violation> check_plan(const Snapshot& snapshot, const Plan& plan,
                                                CheckScope scope = CheckScope::all);

}  // namespace saccade::scheduler
