// The oracle: looks at every selection, with plain sums and nothing clever, and is therefore what the
// other solvers are held against. Refuses problems of more than kMostSelections selections (verdict
// unknown, limit work). A node is one selection looked at; there is one walk over all of them per
// level and one for the index vector. It never ends early for a gap.
// Threads: reentrant, as ChoiceSolver says.
#pragma once

#include <cstdint>

#include "ilp/choice_solver.hpp"

namespace saccade::ilp {

class ExhaustiveSolver final : public ChoiceSolver {
 public:
  static constexpr std::int64_t kMostSelections = 20'000'000;

  [[nodiscard]] const char* name() const override { return "exhaustive"; }
  [[nodiscard]] ChoiceResult solve(const ChoiceProblem& problem, const SolveLimits& limits) const override;
};

}  // namespace saccade::ilp
