// Certifies an optimum and breaks ties by plain arithmetic. A solver that computes with tolerances (an LP
// code resolves about 1e-7) cannot tell which of two nearly equal selections is preferred. certify() can: any
// multipliers >= 0 (the LP duals are good ones) give the Lagrangian bound (Geoffrion 1974)
//     value <= sum over groups of max over options (value - multipliers * amounts)
//              + multipliers * capacities,
// and a depth-first branch and bound visits exactly the selections whose bound can still match the best. It
// fixes level after level, then the index vector. Its sums are those of evaluate() to the last bit, so the
// result is independent of the solver that proposed it.
// Threads: pure but for the stop predicate. Errors: the problem must be valid and not infeasible by screen().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ilp/choice_problem.hpp"
#include "ilp/choice_result.hpp"
#include "ilp/screening.hpp"
#include "ilp/work_meter.hpp"

namespace saccade::ilp {

struct Multipliers {
  std::vector<double> rows;   // one per row, level 0 per unit of the row, >= 0
  std::vector<double> peaks;  // one per (group, peak), group by group, >= 0; empty = all 0
};

// The Lagrangian bound on level 0 over all feasible selections, safely rounded up.
[[nodiscard]] double lagrangian_bound(const ChoiceProblem& problem, const OpenOptions& open,
                                      const Multipliers& multipliers);

struct Certified {
  std::optional<Picks> picks;        // the incumbent; absent = none known
  std::optional<double> best_value;  // the optimal level 0, if proven
  Limit limit = Limit::none;         // none = optimum proven and all ties broken
  std::int64_t nodes = 0;
};

// `start`: an initial incumbent, feasible. Limit none and no picks: the problem is infeasible.
[[nodiscard]] Certified certify(const ChoiceProblem& problem, const OpenOptions& open,
                                const Multipliers& multipliers, std::optional<Picks> start,
                                const WorkLimit& limit);

}  // namespace saccade::ilp
