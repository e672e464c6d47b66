// What happens when the demand does not fit [paper 004 III-D]: the step rule. While no selection fits,
// one task loses 1 frame/s: the lowest priority class first, a class is exhausted before the next,
// round robin in configuration order inside a class; a task stops at its floor (its last step may be
// shorter, down to min_fps). The order of the steps does not depend on what the solver says, so the
// rates after k steps are a function of k (StepLadder) and the first k that fits is searched for
// instead of walked to.
// Paper and we differ: the paper falls back on a heuristic at a floor, we go on with the other tasks.
// `exact` (exact_degradation.hpp) starts from what the step rule finds; `refuse` needs nothing from here.
// Threads: pure.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/formulation.hpp"
#include "scheduler/question.hpp"

namespace saccade::scheduler {

class StepLadder {
 public:
  explicit StepLadder(const Formulation& formulation);

  // The number of steps after which every task is at its floor.
  [[nodiscard]] std::uint64_t steps() const;
  // The rates after `step` <= steps() steps, per choice.
  [[nodiscard]] Rates rates(std::uint64_t step) const;
  [[nodiscard]] Fps floor(std::size_t choice) const { return Fps(rungs_[choice].floor); }
  // The steps one task alone can take, and its rate after so many of them.
  [[nodiscard]] std::uint64_t steps(std::size_t choice) const { return rungs_[choice].steps; }
  [[nodiscard]] Fps rate(std::size_t choice, std::uint64_t step) const;

 private:
  struct Rung {
    double demand = 0.0;
    double floor = 0.0;
    std::uint64_t steps = 0;  // of this task alone
  };
  std::vector<Rung> rungs_;                        // per choice
  std::vector<std::vector<std::size_t>> classes_;  // choices, lowest class first
};

struct StepSearch {
  enum class Outcome {
    found,      // `step` is the first that fits
    too_far,    // stopped early: `step` fits, an earlier one might
    exhausted,  // proven: with every rate at its floor nothing fits
    stopped,    // stopped before anything was found
  };
  Outcome outcome = Outcome::stopped;
  std::uint64_t step = 0;
  Selection selection;  // found, too_far: one that fits, at rates(step)
};

// The first step from 1 on at which the formulation has a selection. Step 0 is known not to fit.
[[nodiscard]] StepSearch first_feasible_step(const Formulation& formulation, const StepLadder& ladder,
                                             const Solve& solve);

}  // namespace saccade::scheduler
