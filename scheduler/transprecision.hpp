// The policy of the paper [004 III-C, III-D]: the choice problem over the Pareto selection gives every
// task one variant; when the demand does not fit, as little as possible is lost (exact_degradation.hpp),
// or rates are lowered by the paper's step rule (degradation.hpp).
//
// min_dwell: a task that switched less than min_dwell ago keeps its variant, unless that would cost
// frames or feasibility; then as few of them as possible switch.
// A switch penalty counts in the comparison only. The reported bound is that of the comparison, restated
// for a plan with as many switches as this one, so that gap 0 means: nothing is better under the penalty.
// loss_gap counts what limits over all tasks take: it is 0 when no more is lost than the tasks whose own
// limits leave no variant. The step rule proves nothing about the rest.
// Up to 20 tasks the objective is always proven to the end, beyond them to DecideLimits::gap.
// Threads: decide() from several threads at once, like the solver.
#pragma once

#include "ilp/choice_solver.hpp"
#include "scheduler/policy.hpp"

namespace saccade::scheduler {

class Transprecision final : public Policy {
 public:
  explicit Transprecision(const ilp::ChoiceSolver& solver) : solver_(solver) {}
  [[nodiscard]] const char* name() const override { return to_string(PolicyKind::transprecision); }
  [[nodiscard]] Plan decide(const Snapshot& snapshot, const DecideLimits& limits) const override;

 private:
  const ilp::ChoiceSolver& solver_;
};

}  // namespace saccade::scheduler
