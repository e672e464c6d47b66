// What plain arithmetic says about a problem before any search: rows that cannot hold even when each
// group takes its least use of them, and options that are part of no feasible selection. Sums of
// amounts >= 0 only grow, in floating point as well, so what is excluded here is excluded for sure.
// Threads: pure. Errors: the problem must be valid (validate()).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ilp/choice_problem.hpp"
#include "ilp/choice_result.hpp"

namespace saccade::ilp {

struct Screening {
  bool infeasible = false;
  std::vector<std::size_t> culprits;           // rows, ascending
  bool peak_is_culprit = false;                // some group alone passes the peak capacity
  std::vector<std::vector<std::size_t>> open;  // per group the options that are left, ascending
};

[[nodiscard]] Screening screen(const ChoiceProblem& problem);

// The result that says so.
[[nodiscard]] ChoiceResult infeasible_result(const Screening& screening);

// The result of a problem without groups: the one selection there is, which holds. Screened before.
[[nodiscard]] ChoiceResult empty_selection(const ChoiceProblem& problem);

// The result that refuses an invalid problem.
[[nodiscard]] ChoiceResult refused(std::string complaint);

}  // namespace saccade::ilp
