// The oracle that the other solvers are tested against: complete enumeration with plain sums. Refuses
// problems of more than kMostSelections selections (verdict unknown, limit work). A node is one selection
// enumerated; all are enumerated once per level and once for the index vector. SolveLimits::gap is ignored.
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
