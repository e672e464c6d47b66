// Presolve by plain arithmetic: rows that fail even if every group uses its minimum of them, and options that
// no feasible selection contains (bound tightening on a single row; Savelsbergh 1994). Sums of amounts >= 0
// are monotone in floating point as well, so what is excluded here is excluded safely.
// Threads: pure. Errors: the problem must be valid (FlatProblem::well_formed).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ilp/choice_problem.hpp"
#include "ilp/choice_result.hpp"
#include "ilp/flat_problem.hpp"

namespace saccade::ilp {

// Per group the indices of the options not excluded, ascending.
using OpenOptions = std::vector<std::vector<std::uint32_t>>;

struct Screening {
  bool infeasible = false;
  std::vector<std::size_t> culprits;  // rows, ascending
  bool peak_is_culprit = false;       // some group alone exceeds the peak capacity
  // All of them unless there are culprits or an empty group:
  OpenOptions open;
  std::vector<double> least;  // per group and row: the minimum over all its options
  std::vector<double>
      most;  // per group and row: what it may use beside the minima of all other groups; always
  std::vector<double> slack;  // per row: capacity, tolerance included, minus the sum of the minima
};

[[nodiscard]] Screening screen(const FlatProblem& flat);
[[nodiscard]] Screening screen(const ChoiceProblem& problem);

// The result for an infeasible screening.
[[nodiscard]] ChoiceResult infeasible_result(const Screening& screening);

// The result for a feasible problem without groups: its only selection is the empty one.
[[nodiscard]] ChoiceResult empty_selection(const ChoiceProblem& problem);

// The result for an invalid problem.
[[nodiscard]] ChoiceResult refused(std::string complaint);

}  // namespace saccade::ilp
