// The independent check of a plan: recomputes every constraint of the snapshot from the profiles
// with plain arithmetic and shares no code with the formulation or the solvers. A row holds iff
// used <= capacity * (1 + 1e-9).
// Threads: pure.
#pragma once

#include <string>
#include <vector>

#include "scheduler/plan.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::scheduler {

struct Violation {
  std::string constraint;  // "time:<processor>" | "memory" | "energy" | "power" | "<floor>:<task>" | "plan"
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
