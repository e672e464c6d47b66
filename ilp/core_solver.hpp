// The planner's own solver: an exact reduction of the problem, then a search over the core that is left.
//   1. screening: rows that cannot hold, options that cannot be taken, rows that cannot bind
//   2. equal groups become classes with counts; the LP relaxation by its dual (relaxation.hpp)
//   3. a selection by rounding, repair and filling (incumbent.hpp), and fixing by reduced cost: an option
//      is dropped when every selection with it is worse than the best known by more than the tolerance
//   4. depth-first search over the rest (core_search.hpp)
//   5. ties by settle(), on the core
// Every answer is recomputed by evaluate() on the problem as it was given. Without limits from the
// caller a solve ends by its own work limits, after some ten milliseconds at most; what is not proven
// then is `feasible` with its bound, or `optimal` with ties that are not settled.
// A solve that is stopped at once still returns what rounding finds.
// Threads: reentrant, as ChoiceSolver says.
#pragma once

#include "ilp/choice_solver.hpp"

namespace saccade::ilp {

class CoreSolver final : public ChoiceSolver {
 public:
  [[nodiscard]] const char* name() const override { return "core"; }
  [[nodiscard]] ChoiceResult solve(const ChoiceProblem& problem, const SolveLimits& limits) const override;
};

}  // namespace saccade::ilp
