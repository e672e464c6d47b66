#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ilp/core_solver.hpp"
#include "ilp/glpk_solver.hpp"
#include "scheduler/plan_check.hpp"
#include "scheduler/policy.hpp"
#include "tests/scheduler/scene.hpp"

namespace saccade::scheduler::transprecision_test {
namespace {

using test::Scene;

Plan decide(const Snapshot& snapshot) {
  const ilp::GlpkSolver glpk;
  return make_policy(PolicyKind::transprecision, glpk)->decide(snapshot, {});
}

std::string reasons_of(const Plan& plan, const std::string& task) {
  std::string text;
  for (const Reason& reason : plan.reasons) {
    if (reason.task == task) text += reason.what + "\n";
  }
  return text;
}

// Answers with the first option of every group, and with what it was told to say about it.
class ScriptedSolver final : public ilp::ChoiceSolver {
 public:
  ScriptedSolver(ilp::Verdict verdict, double bound) : verdict_(verdict), bound_(bound) {}
  [[nodiscard]] const char* name() const override { return "scripted"; }
  [[nodiscard]] ilp::ChoiceResult solve(const ilp::ChoiceProblem& problem,
                                        const ilp::SolveLimits& /*limits*/) const override {
    ilp::ChoiceResult result;
    result.verdict = verdict_;
    if (verdict_ == ilp::Verdict::unknown) return result;
    result.picks.assign(problem.groups.size(), 0);
    result.evaluation = ilp::evaluate(problem, result.picks);
    result.bound = bound_;
    return result;
  }

 private:
  ilp::Verdict verdict_;
  double bound_;
};

TEST(Transprecision, GivesEveryTaskItsBestVariantWhenAllFits) {
  Scene scene;
  scene.cpu().task("gate", 10).variant("small", 0.8, 5).variant("big", 0.9, 40);
  scene.task("belt", 10).variant("small", 0.6, 5).variant("big", 0.8, 40);
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.status, PlanStatus::optimal);
  EXPECT_EQ(plan.tasks[0].variant, 1U);
  EXPECT_EQ(plan.tasks[1].variant, 1U);
  EXPECT_DOUBLE_EQ(*plan.objective_value, 1.0);
  EXPECT_EQ(plan.gap, 0.0);
  EXPECT_EQ(plan.loss_gap, 0.0);
  EXPECT_FALSE(plan.totals.memory.has_value());
}

TEST(Transprecision, TradesAccuracyBeforeFrames) {
  Scene scene;
  scene.cpu().task("gate", 20).variant("small", 0.8, 5).variant("big", 0.9, 40);
  scene.task("belt", 20).variant("small", 0.6, 5).variant("big", 0.8, 40);
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.status, PlanStatus::optimal);
  EXPECT_EQ(plan.tasks[0].variant, 0U);  // belt has more to lose by its small variant
  EXPECT_EQ(plan.tasks[1].variant, 1U);
  ASSERT_EQ(plan.binding.size(), 1U);
  EXPECT_EQ(plan.binding[0].resource, "time:cpu");
}

TEST(Transprecision, IsOptimalWithoutAValueWhenNothingIsDemanded) {
  Scene scene;
  scene.cpu();
  EXPECT_EQ(decide(scene.snapshot).status, PlanStatus::optimal);
  scene.task("gate", 0).variant("v", 0.9, 5);
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.status, PlanStatus::optimal);
  EXPECT_FALSE(plan.objective_value.has_value());
  EXPECT_FALSE(plan.tasks[0].variant.has_value());
  EXPECT_NE(reasons_of(plan, "gate").find("inactive"), std::string::npos);
  EXPECT_TRUE(check_plan(scene.snapshot, plan).empty());
}

TEST(Transprecision, LeavesOneBadCameraOffAndPlansTheRest) {
  Scene scene;
  scene.cpu().task("bad", 10).variant("v", 0.9, 5).last().min_accuracy = 0.95;
  scene.task("good", 10).variant("v", 0.9, 5);
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.status, PlanStatus::degraded);
  EXPECT_FALSE(plan.tasks[0].variant.has_value());
  EXPECT_EQ(plan.tasks[1].granted.value(), 10.0);
  EXPECT_EQ(reasons_of(plan, "bad"),
            "off: no variant passes its limits (min_accuracy removes 1); min_accuracy 0.9 would leave one\n");
  EXPECT_EQ(plan.loss_gap, 0.0);
  EXPECT_DOUBLE_EQ(*plan.objective_value, 0.5);
  ASSERT_EQ(plan.loss.size(), 1U);
  EXPECT_EQ(plan.loss[0].weight_off, 1.0);
}

TEST(Transprecision, CountsEveryTaskOffAsLostNotAsOptimal) {
  Scene scene;
  scene.cpu().task("bad", 10).variant("v", 0.9, 5).last().excluded = {true};
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.status, PlanStatus::degraded);
  EXPECT_EQ(plan.objective_value, 0.0);
}

TEST(Transprecision, RaisesTimesByTheCorrection) {
  Scene scene;
  scene.cpu().task("gate", 20).variant("small", 0.8, 10).variant("big", 0.9, 40);
  EXPECT_EQ(decide(scene.snapshot).tasks[0].variant, 1U);
  scene.snapshot.processors[0].correction = 1.5;
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.tasks[0].variant, 0U);
  EXPECT_NEAR(plan.tasks[0].time_share[0], 0.3, 1e-12);
}

TEST(Transprecision, UsesTwoProcessors) {
  Scene scene;
  scene.cpu("cpu").cpu("gpu");
  for (const char* id : {"a", "b"}) {
    scene.task(id, 10).variant("on cpu", 0.8, 80, {}, "cpu").variant("on gpu", 0.9, 60, {}, "gpu");
  }
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.status, PlanStatus::optimal);
  EXPECT_NEAR(plan.totals.time_share[0], 0.8, 1e-12);
  EXPECT_NEAR(plan.totals.time_share[1], 0.6, 1e-12);
}

TEST(Transprecision, AddsUpThePeaksOfTwoProcessors) {
  Scene scene;
  scene.cpu("cpu").cpu("gpu");
  scene.snapshot.idle_power = Watts(1.0);
  scene.snapshot.limits.peak_power = Watts(9.0);
  scene.task("a", 1)
      .variant("v", 0.9, 10, {.watts = 5}, "cpu")
      .variant("modest", 0.7, 10, {.watts = 2}, "cpu");
  scene.task("b", 1)
      .variant("v", 0.9, 10, {.watts = 5}, "gpu")
      .variant("modest", 0.8, 10, {.watts = 3}, "gpu");
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.tasks[0].variant, 0U);
  EXPECT_EQ(plan.tasks[1].variant, 1U);
  EXPECT_EQ(plan.totals.peak_power->value(), 9.0);
}

TEST(Transprecision, KeepsARunningVariantOnATie) {
  for (const std::size_t running : {0U, 1U}) {
    Scene scene;
    scene.cpu().task("gate", 10).variant("one", 0.9, 20).variant("other", 0.9, 20).last().running = running;
    EXPECT_EQ(decide(scene.snapshot).tasks[0].variant, running);
  }
}

TEST(Transprecision, SwitchesOnlyForMoreThanThePenalty) {
  Scene scene;
  scene.cpu().task("gate", 10).variant("old", 0.85, 20).variant("new", 0.9, 20).last().running = 0;
  EXPECT_EQ(decide(scene.snapshot).tasks[0].variant, 1U);
  scene.snapshot.switch_penalty.max_accuracy = 0.06;
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.tasks[0].variant, 0U);
  EXPECT_EQ(plan.status, PlanStatus::optimal);
  EXPECT_DOUBLE_EQ(*plan.objective_value, 0.85 / 0.9);  // reported without the penalty
  scene.snapshot.switch_penalty.max_accuracy = 0.05;
  EXPECT_EQ(decide(scene.snapshot).tasks[0].variant, 1U);
}

TEST(MinDwell, HoldsATaskThatHasJustSwitched) {
  Scene scene;
  scene.cpu().task("gate", 10).variant("old", 0.85, 20).variant("new", 0.9, 20).last().running = 0;
  scene.snapshot.min_dwell = Seconds(5.0);
  scene.last().since_switch = Seconds(4.0);
  const Plan held = decide(scene.snapshot);
  EXPECT_EQ(held.tasks[0].variant, 0U);
  EXPECT_NE(reasons_of(held, "gate").find("min_dwell"), std::string::npos);
  scene.last().since_switch = Seconds(5.0);
  EXPECT_EQ(decide(scene.snapshot).tasks[0].variant, 1U);
}

TEST(MinDwell, NeverCostsFramesAndFreesAsFewTasksAsPossible) {
  Scene scene;
  scene.cpu();
  scene.snapshot.min_dwell = Seconds(5.0);
  for (const char* id : {"a", "b"}) {
    scene.task(id, 20).variant("small", 0.8, 5).variant("big", 0.9, 40);
    scene.last().running = 1;
    scene.last().since_switch = Seconds(1.0);
  }
  scene.task("c", 10).variant("v", 0.9, 5);
  const Plan plan = decide(scene.snapshot);  // both at `big` need 1.6
  EXPECT_EQ(plan.status, PlanStatus::optimal);
  EXPECT_EQ(*plan.tasks[0].variant + *plan.tasks[1].variant, 1U);
}

TEST(Transprecision, MinimisesEnergyAboveAnAccuracyFloor) {
  Scene scene;
  scene.cpu().task("gate", 10);
  scene.variant("tiny", 0.5, 5, {.joules = 0.1}).variant("mid", 0.8, 10, {.joules = 0.2});
  scene.variant("big", 0.9, 20, {.joules = 0.5}).last().min_accuracy = 0.7;
  scene.snapshot.objective = Objective::min_energy;
  scene.snapshot.idle_power = Watts(3.0);
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.tasks[0].variant, 1U);
  EXPECT_DOUBLE_EQ(*plan.objective_value, 2.0);                   // without idle
  EXPECT_DOUBLE_EQ(plan.totals.energy_per_second->value(), 5.0);  // with it
  EXPECT_NE(reasons_of(plan, "gate").find("min_accuracy keeps out `tiny`"), std::string::npos);
}

TEST(Transprecision, CountsIdlePowerAgainstTheEnergyLimit) {
  Scene scene;
  scene.cpu()
      .task("gate", 10)
      .variant("small", 0.8, 5, {.joules = 0.1})
      .variant("big", 0.9, 5, {.joules = 0.2});
  scene.snapshot.idle_power = Watts(3.0);
  scene.snapshot.limits.energy_per_second = Watts(5.0);
  EXPECT_EQ(decide(scene.snapshot).tasks[0].variant, 1U);
  scene.snapshot.idle_power = Watts(3.5);
  EXPECT_EQ(decide(scene.snapshot).tasks[0].variant, 0U);
}

TEST(Transprecision, TellsWhatFiltersAndFrontLeft) {
  Scene scene;
  scene.cpu().task("gate", 10).variant("bad", 0.5, 5).variant("good", 0.9, 10).variant("slow", 0.9, 20);
  scene.last().min_accuracy = 0.7;
  const Plan plan = decide(scene.snapshot);
  ASSERT_EQ(plan.considered.size(), 1U);
  EXPECT_EQ(plan.considered[0].all, 3U);
  EXPECT_EQ(plan.considered[0].considered, 1U);
  const std::vector<std::pair<std::string, std::size_t>> expected = {{"min_accuracy", 1},
                                                                     {"pareto:active", 1}};
  EXPECT_EQ(plan.considered[0].removed, expected);
}

TEST(Transprecision, SaysUnknownWhenTheSolverFoundNothing) {
  Scene scene;
  scene.cpu().task("gate", 10).variant("v", 0.9, 5);
  const ScriptedSolver solver(ilp::Verdict::unknown, 0.0);
  const Plan plan = make_policy(PolicyKind::transprecision, solver)->decide(scene.snapshot, {});
  EXPECT_EQ(plan.status, PlanStatus::unknown);
  EXPECT_EQ(runnable(plan), nullptr);
  EXPECT_TRUE(check_plan(scene.snapshot, plan).empty());
}

TEST(Transprecision, ReportsTheGapOfAnUnprovenPlan) {
  Scene scene;
  scene.cpu().task("gate", 10).variant("small", 0.8, 5).variant("big", 1.0, 40);
  const ScriptedSolver solver(ilp::Verdict::feasible, 1.0);
  const Plan plan = make_policy(PolicyKind::transprecision, solver)->decide(scene.snapshot, {});
  EXPECT_EQ(plan.status, PlanStatus::feasible);
  EXPECT_DOUBLE_EQ(*plan.objective_value, 0.8);
  EXPECT_DOUBLE_EQ(*plan.bound, 1.0);
  EXPECT_DOUBLE_EQ(*plan.gap, 0.25);
}

TEST(Transprecision, HandsItsLimitsToTheSolver) {
  class Curious final : public ilp::ChoiceSolver {
   public:
    [[nodiscard]] const char* name() const override { return "curious"; }
    [[nodiscard]] ilp::ChoiceResult solve(const ilp::ChoiceProblem& /*problem*/,
                                          const ilp::SolveLimits& limits) const override {
      stopped = limits.stop && limits.stop();
      max_nodes = limits.max_nodes;
      return {};
    }
    mutable bool stopped = false;
    mutable std::int64_t max_nodes = 0;
  };
  Scene scene;
  scene.cpu().task("gate", 10).variant("v", 0.9, 5);
  const Curious solver;
  const Plan plan =
      make_policy(PolicyKind::transprecision, solver)->decide(scene.snapshot, {[] { return true; }, 17});
  EXPECT_TRUE(solver.stopped);
  EXPECT_EQ(solver.max_nodes, 17);
  EXPECT_EQ(plan.solver_calls, 1);
}

TEST(Transprecision, RefusesAnInvalidSnapshotWithReasons) {
  Scene scene;
  scene.cpu().task("gate", 10).variant("v", 0.9, 5);
  scene.last().profiles.reset();
  scene.snapshot.processors[0].guard = Seconds(2.0);
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.status, PlanStatus::infeasible);
  EXPECT_EQ(plan.reasons.size(), 2U);
  EXPECT_EQ(runnable(plan), nullptr);
}

TEST(Infeasible, NamesWhatMemoryWouldDoAndWhatAccuracyWouldDo) {
  Scene scene;
  scene.cpu();
  scene.snapshot.limits.memory = Bytes(300e6);
  scene.task("gate", 10).variant("small", 0.91, 5, {.megabytes = 80});
  scene.variant("big", 0.97, 5, {.megabytes = 212}).last().min_accuracy = 0.95;
  scene.task("belt", 10).variant("v", 0.9, 5, {.megabytes = 200});
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.status, PlanStatus::infeasible);
  ASSERT_EQ(plan.relaxations.size(), 4U);
  EXPECT_EQ(plan.relaxations[0].resource, "memory");
  EXPECT_EQ(plan.relaxations[0].what, "412 MB needed, 300 MB allowed");
  EXPECT_TRUE(plan.relaxations[0].proven);
  EXPECT_EQ(plan.relaxations[1].what, "min_accuracy of `gate` from 0.95 to 0.91");
  EXPECT_TRUE(plan.relaxations[1].proven);
  EXPECT_EQ(plan.relaxations[2].what, "min_fps of `gate` from 1 to 0, which switches it off");
  EXPECT_TRUE(plan.relaxations[2].proven);
  EXPECT_EQ(plan.relaxations[3].resource, "min_fps:belt");
  for (const Assignment& assignment : plan.tasks) EXPECT_FALSE(assignment.variant.has_value());
}

TEST(Infeasible, SaysSoWhenNoSingleRelaxationIsEnough) {
  Scene scene;
  scene.cpu();
  scene.snapshot.limits.memory = Bytes(10e6);
  for (const char* id : {"gate", "dock"}) scene.task(id, 10).variant("v", 0.9, 5000, {.megabytes = 80});
  const Plan plan = decide(scene.snapshot);
  ASSERT_EQ(plan.relaxations.size(), 3U);
  EXPECT_EQ(plan.relaxations[0].what, "at least 10 s/s needed, 1 s/s allowed; not enough alone");
  EXPECT_EQ(plan.relaxations[1].what, "at least 160 MB needed, 10 MB allowed; not enough alone");
  EXPECT_TRUE(plan.relaxations[1].proven);
  EXPECT_FALSE(plan.relaxations[2].proven);
}

TEST(Infeasible, NamesTheLimitsThatOnlyTogetherConflict) {
  Scene scene;
  scene.cpu();
  scene.snapshot.limits.memory = Bytes(100e6);
  scene.snapshot.degrade = Degrade::refuse;
  scene.task("gate", 10).variant("quick", 0.9, 5, {.megabytes = 200});
  scene.variant("small", 0.95, 150, {.megabytes = 50});
  const ilp::CoreSolver solver;
  const Plan plan = make_policy(PolicyKind::transprecision, solver)->decide(scene.snapshot, {});
  ASSERT_EQ(plan.status, PlanStatus::infeasible);
  ASSERT_EQ(plan.reasons.size(), 1U);
  EXPECT_EQ(
      plan.reasons[0].what,
      "the limits conflict at the demanded rates, and nothing may be lowered: time:cpu, memory conflict "
      "together");
}

class WithoutMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    scene_.cpu();
    scene_.snapshot.limits.memory = Bytes(120e6);
    int priority = 1;
    for (const char* id : {"high", "low", "low too"}) {
      scene_.task(id, 10).variant("v", 0.9, 5, {.megabytes = 60}).last().priority = priority;
      priority = 0;
    }
  }
  Scene scene_;
};

TEST_F(WithoutMemory, FairTimeServesWhatFitsAndGivesUpTheLowestClassFirst) {
  const Plan plan = decide(scene_.snapshot);
  ASSERT_EQ(plan.status, PlanStatus::infeasible);
  const Plan& instead = *runnable(plan);
  EXPECT_EQ(instead.policy, "fair_time");
  EXPECT_TRUE(instead.tasks[0].variant.has_value());
  EXPECT_TRUE(instead.tasks[1].variant.has_value());
  EXPECT_FALSE(instead.tasks[2].variant.has_value());
}

TEST_F(WithoutMemory, WhatRunsStaysWhileItObeysTheLimits) {
  scene_.snapshot.tasks[2].running = 0;
  scene_.snapshot.tasks[2].running_rate = Fps(30.0);
  const Plan kept = *runnable(decide(scene_.snapshot));
  EXPECT_EQ(kept.policy, "keep_running");
  EXPECT_FALSE(kept.tasks[0].variant.has_value());
  EXPECT_EQ(kept.tasks[2].granted.value(), 10.0);  // no more than is demanded now
  scene_.snapshot.limits.memory = Bytes(50e6);
  const Plan none = *runnable(decide(scene_.snapshot));
  EXPECT_EQ(none.policy, "fair_time");
  EXPECT_EQ(none.totals.memory->value(), 0.0);
}

}  // namespace
}  // namespace saccade::scheduler::transprecision_test
