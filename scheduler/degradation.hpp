// The step rule for demand that does not fit [paper 004 III-D]: while no selection fits, one task loses
// 1 frame/s. The lowest priority class comes first and is exhausted before the next; within a class it is
// round robin in configuration order. A task stops at its floor (its last step may be shorter). The order
// of the steps does not depend on the solver, so the rates after k steps are a function of k (StepLadder),
// and the smallest k that fits is found by search instead of step by step.
// Unlike the paper, which falls back on a heuristic once a floor is reached, the other tasks go on.
// `exact` (exact_degradation.hpp) starts from the result of the step rule; `refuse` does not use it.
// Threads: pure.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/problem_builder.hpp"
#include "scheduler/question.hpp"

namespace saccade::scheduler {

class StepLadder {
 public:
  explicit StepLadder(const Menus& menus);

  // The number of steps after which every task is at its floor.
  [[nodiscard]] std::uint64_t steps() const;
  // The rates after `step` <= steps() steps, per choice.
  [[nodiscard]] Rates rates(std::uint64_t step) const;
  [[nodiscard]] Fps floor(std::size_t choice) const { return Fps(rungs_[choice].floor); }
  // The number of steps a single task can take, and its rate after `step` of them.
  [[nodiscard]] std::uint64_t steps(std::size_t choice) const { return rungs_[choice].steps; }
  [[nodiscard]] Fps rate(std::size_t choice, std::uint64_t step) const;

 private:
  struct Rung {
    double demand = 0.0;
    double floor = 0.0;
    std::uint64_t steps = 0;  // of this task only
  };
  std::vector<Rung> rungs_;                        // per choice
  std::vector<std::vector<std::size_t>> classes_;  // choices, lowest class first
};

struct StepSearch {
  enum class Outcome {
    found,      // `step` is the first that fits
    too_far,    // stopped early: `step` fits, but an earlier one may as well
    exhausted,  // proven: with every rate at its floor nothing fits
    stopped,    // stopped before any step was found to fit
  };
  Outcome outcome = Outcome::stopped;
  std::uint64_t step = 0;
  Selection selection;  // found, too_far: one that fits, at rates(step)
};

// The first step at which a selection fits, from step 1: step 0 is known not to fit.
[[nodiscard]] StepSearch first_feasible_step(const ProblemBuilder& builder, const StepLadder& ladder,
                                             const Solve& solve);

}  // namespace saccade::scheduler
