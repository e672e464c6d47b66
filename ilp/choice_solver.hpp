// The interface of everything that solves a ChoiceProblem. solve() is const, reentrant and may be
// called from several threads at once; it reads no clock, logs nothing and never throws.
// The same problem under the same work limit gives the same result; a stop predicate that reads a
// clock may end it anywhere, and then the best picks so far come back with their bound.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "ilp/choice_problem.hpp"
#include "ilp/choice_result.hpp"

namespace saccade::ilp {

struct SolveLimits {
  std::function<bool()> stop = nullptr;  // true = end now; empty = never. Polled often; cheap, never throws.
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();
  // The search may end once gap() is at most this; then the verdict is optimal only when the gap is at
  // most kTolerance.
  double gap = kTolerance;
  // A selection to start from. A feasible one is never lost: the answer is at least as good.
  std::optional<Picks> start = std::nullopt;
};

class ChoiceSolver {
 public:
  virtual ~ChoiceSolver() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  [[nodiscard]] virtual ChoiceResult solve(const ChoiceProblem& problem, const SolveLimits& limits) const = 0;
};

}  // namespace saccade::ilp
