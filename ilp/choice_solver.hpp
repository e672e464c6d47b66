// The interface of all solvers of a ChoiceProblem. solve() is const and reentrant, reads no clock, logs
// nothing and never throws. The same problem under the same work limit gives the same result. A stop
// predicate that reads a clock may end it anywhere; the result then has the best picks so far and their
// bound.
// Threads: any number of threads may call solve() at once.
// Errors: an invalid problem gives `unknown` and a message.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "ilp/choice_problem.hpp"
#include "ilp/choice_result.hpp"

namespace saccade::ilp {

struct FlatProblem;

struct SolveLimits {
  std::function<bool()> stop = nullptr;  // true = end now; empty = never. Polled often: cheap, never throws.
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();
  // The search may end once gap() is at most this. The verdict is `optimal` only if the gap is at most
  // kTolerance.
  double gap = kTolerance;
  // An initial incumbent. If it is feasible, the answer is at least as good.
  std::optional<Picks> start = std::nullopt;
};

class ChoiceSolver {
 public:
  virtual ~ChoiceSolver() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  [[nodiscard]] virtual ChoiceResult solve(const ChoiceProblem& problem, const SolveLimits& limits) const = 0;
  // The same of a problem that is framed (flat_problem.hpp): without all its options where the solver does
  // not need them. The result's evaluation may have the first level alone.
  [[nodiscard]] virtual ChoiceResult solve_framed(const FlatProblem& flat, const SolveLimits& limits) const;
};

}  // namespace saccade::ilp
