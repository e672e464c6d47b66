#include "ilp/choice_solver.hpp"

#include "ilp/flat_problem.hpp"

namespace saccade::ilp {

ChoiceResult ChoiceSolver::solve_framed(const FlatProblem& flat, const SolveLimits& limits) const {
  return solve(whole(flat), limits);
}

}  // namespace saccade::ilp
