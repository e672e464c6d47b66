// The planner's own solver: an exact reduction of the problem, then a search over the core that is left.
//   1. screening: rows that cannot hold, options that cannot be taken, rows that cannot bind; a large problem
//      is looked at for rows that conflict before anything is built for it (refutation.hpp)
//   2. equal groups become classes with counts; capacities and values on a grid of rounded data (grid.hpp)
//   3. the LP relaxation by its dual (relaxation.hpp), of large tables on the few options that matter
//      (sifting.hpp); a ray of it proves that nothing holds
//   4. a selection by rounding, repair and filling (incumbent.hpp), and fixing by reduced cost: an option
//      is dropped when every selection with it is worse than the best known (core.hpp)
//   5. the core that is left: classes of many groups by counts (count_search.hpp); depth-first search
//      (core_search.hpp); what that cannot finish goes to a list of states where there is one row
//      (core_list.hpp), else to branch and bound (branching.hpp)
//   6. ties by settle(), on what can still match the best
// A joint peak that can bind is left to GlpkSolver. Every answer is recomputed by evaluate() on the problem
// as it was given. Without limits from the caller a solve ends by its own work limits, after some
// ten milliseconds; what is not proven then is `feasible` with its bound, or `optimal` with ties
// that are not settled. A stop is looked for at every step of the relaxation, of rounding and repair, and
// after some thousand nodes or states of a search: a few passes over the options at most. Reading the
// problem in, a few passes as well, is not cut short. What rounding and repair find comes back all the
// same; only a large problem that is stopped at once returns nothing but the start.
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
