// Proof and ties by plain arithmetic. A solver that computes with tolerances (an LP code resolves
// about 1e-7) cannot tell which of two nearly equal selections is to be preferred. settle() can: from
// any multipliers >= 0 (the duals of the LP relaxation are good ones) follows the Lagrangian bound
//     value <= sum over groups of max over options (value - multipliers * amounts)
//              + multipliers * capacities,
// and a depth-first search visits exactly the selections whose bound can still match the best. It
// settles level after level, then the index vector; sums are those of evaluate() to the last bit.
// Threads: pure but for the stop predicate. Errors: the problem must be valid and not refuted by
// screen().
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ilp/choice_problem.hpp"
#include "ilp/choice_result.hpp"
#include "ilp/screening.hpp"

namespace saccade::ilp {

struct Multipliers {
  std::vector<double> rows;   // one per row, level 0 per unit of the row, >= 0
  std::vector<double> peaks;  // one per (group, peak), group by group, >= 0; empty = all 0
};

// The Lagrangian bound on level 0 over all feasible selections, safely rounded up.
[[nodiscard]] double lagrangian_bound(const ChoiceProblem& problem, const Screening& screening,
                                      const Multipliers& multipliers);

struct Settled {
  std::optional<Picks> picks;        // the best known; absent = none known
  std::optional<double> best_value;  // the largest level 0 of all feasible selections, when proven
  Limit limit = Limit::none;         // none = everything is settled
  std::int64_t nodes = 0;
};

// `start`: a feasible selection, when one is known. With limit none and no picks there is none.
[[nodiscard]] Settled settle(const ChoiceProblem& problem, const Screening& screening,
                             const Multipliers& multipliers, std::optional<Picks> start,
                             const std::function<bool()>& stop, std::int64_t max_nodes);

}  // namespace saccade::ilp
