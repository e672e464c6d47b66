// The planner's own solver: an exact reduction of the problem, then searches over the core that is left.
//   1. presolve: rows that fail alone, options that no feasible selection contains (screening.hpp); for a
//      large problem a quick search for a Farkas certificate (core/farkas_search.hpp)
//   2. reduction: identical groups aggregated into classes with counts; redundant rows dropped; capacities
//      and values tightened to the grid of rounded data (core/table.hpp, core/grid.hpp)
//   3. LP relaxation by a dual simplex (core/lp_relaxation.hpp), of large tables by sifting
//      (core/sifting.hpp); an infeasible one gives a Farkas certificate
//   4. an incumbent by rounding, repair and improvement (core/selection.hpp); fixing by reduced cost
//      (core/core.hpp)
//   5. search of the core (core/core_search.hpp)
//   6. ties broken by certify() (core/tie_breaking.hpp)
// Between 1 and 2, where rows stand for each other (ChoiceProblem::equal_rows): they are merged into one,
// whose problem gives a bound that no permutation of rows weakens, and its selections are packed back
// (core/row_merging.hpp, core/packing.hpp). With more than 20 groups a gap of 1e-4 is enough there.
// The plan is that of Pisinger's minimal algorithm (1995) and of Kellerer, Pferschy & Pisinger (2004), ch.
// 11, with several rows, aggregated groups and exact ties. A peak capacity that can bind is decided by cases
// (core/peak_cases.hpp), each solved as above; where there are too many it is left to GlpkSolver. Every
// answer is recomputed by evaluate() on the original problem. Limits: without any from the caller a solve
// ends at its own work limits, after some ten milliseconds; what is unproven then is `feasible` with its
// bound, or `optimal` with ties not broken. A stop is polled at every step of the simplex, of rounding and
// repair, and every few thousand nodes of a search, so it takes effect within a few passes over the options.
// Reading the problem, a few passes as well, is not interrupted. A selection that rounding and repair have
// begun is completed; only a large problem stopped at once returns nothing but the start. Threads: reentrant,
// as ChoiceSolver says.
#pragma once

#include "ilp/choice_solver.hpp"

namespace saccade::ilp {

class CoreSolver final : public ChoiceSolver {
 public:
  [[nodiscard]] const char* name() const override { return "core"; }
  [[nodiscard]] ChoiceResult solve(const ChoiceProblem& problem, const SolveLimits& limits) const override;
  [[nodiscard]] ChoiceResult solve_framed(const FlatProblem& flat, const SolveLimits& limits) const override;
};

}  // namespace saccade::ilp
