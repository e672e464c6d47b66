// The policy of the paper [004 III-C, III-D]: a choice problem over the Pareto selection gives every task
// one variant; if the demand does not fit, losses are minimised (exact_degradation.hpp) or rates are lowered
// by the paper's step rule (degradation.hpp).
//
// min_dwell: a task that switched less than min_dwell ago keeps its variant unless that costs frames or
// feasibility; in that case as few of these tasks as possible switch.
// Switch penalty: affects only the comparison of plans. The reported bound is that of the comparison,
// restated for a plan with as many switches as this one, so that gap 0 means that no plan is better under
// the penalty.
// loss_gap refers to losses due to limits shared by all tasks: 0 if no plan loses less, given the tasks whose
// own filters leave no variant. The step rule leaves it absent.
// Up to 20 tasks the objective is always proven to optimality, beyond that to DecideLimits::gap.
// Threads: decide() from several threads at once, as the solver.
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
