// Exact degradation. The law: the class loss vector is the lexicographically least over every selection
// of (variant, rate) pairs, and the objective is the best at that loss; both by plain enumeration.
#include "scheduler/exact_degradation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "ilp/core_solver.hpp"
#include "ilp/glpk_solver.hpp"
#include "scheduler/plan_check.hpp"
#include "scheduler/policy.hpp"
#include "tests/scheduler/brute_force.hpp"
#include "tests/scheduler/scene.hpp"
#include "tests/support/random_snapshot.hpp"

namespace saccade::scheduler::exact_degradation_test {
namespace {

using test::BruteForce;
using test::RandomSnapshots;
using test::Scene;

Plan decide(const Snapshot& snapshot, const ilp::ChoiceSolver& solver = ilp::GlpkSolver()) {
  return make_policy(PolicyKind::transprecision, solver)->decide(snapshot, {});
}

std::vector<double> loss_of(const Plan& plan) {
  std::vector<double> loss;
  for (const ClassLoss& own : plan.loss) loss.insert(loss.end(), {own.weight_off, own.weighted_fps});
  return loss;
}

// True when `a` loses lexicographically more than `b`.
bool loses_more(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double room = 1e-9 * std::max(1.0, b[i]);
    if (a[i] < b[i] - room) return false;
    if (a[i] > b[i] + room) return true;
  }
  return false;
}

double comparison(const Snapshot& snapshot, const Plan& plan) {
  double value = *plan.objective_value;
  if (snapshot.objective != Objective::max_accuracy) value = -value;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const auto running = snapshot.tasks[i].running;
    if (plan.tasks[i].variant && running && *running != *plan.tasks[i].variant) {
      value -= switch_penalty(snapshot);
    }
  }
  return value;
}

void expect_obeys(const Snapshot& snapshot, const Plan& plan) {
  for (const Violation& violation : check_plan(snapshot, plan)) {
    ADD_FAILURE() << violation.constraint << ": " << violation.what;
  }
}

// The same snapshot with demands so low that every pair can be looked at, and times as much longer.
Snapshot with_few_rates(Snapshot snapshot, RandomSnapshots& random) {
  double before = 0.0;
  double after = 0.0;
  for (Task& task : snapshot.tasks) {
    before += task.demand.value();
    if (!task.active()) continue;
    task.demand = Fps(random.between(1.0, 5.0, random.chance(0.7) ? 1.0 : 0.25));
    task.min_fps = Fps(random.chance(0.4) ? 0.0 : random.between(0.5, 2.0, 0.5));
    after += task.demand.value();
  }
  if (after <= 0.0) return snapshot;
  const double longer = before / after * random.between(1.0, 2.0, 0.25);
  for (Processor& processor : snapshot.processors) processor.correction *= longer;
  if (auto& limit = snapshot.limits.energy_per_second) {
    limit = snapshot.idle_power + (*limit - snapshot.idle_power) / longer;
  }
  return snapshot;
}

void agree_with_enumeration(std::uint64_t seed, const test::SnapshotShape& shape, int instances) {
  RandomSnapshots snapshots(seed, shape);
  int degraded = 0;
  int off = 0;
  int infeasible = 0;
  for (int i = 0; i < instances; ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    Snapshot snapshot = with_few_rates(snapshots.next(), snapshots);
    snapshot.min_dwell = Seconds(0.0);
    const std::optional<BruteForce::Degraded> best = BruteForce(snapshot).best_degraded();
    const Plan plan = decide(snapshot);
    ASSERT_EQ(plan.status == PlanStatus::infeasible, !best);
    infeasible += best ? 0 : 1;
    if (!best) continue;
    expect_obeys(snapshot, plan);
    const std::vector<double> loss = loss_of(plan);
    ASSERT_EQ(loss.size(), best->loss.size());
    for (std::size_t k = 0; k < loss.size(); ++k) ASSERT_NEAR(loss[k], best->loss[k], 1e-9);
    EXPECT_EQ(plan.loss_gap, 0.0);
    if (!plan.objective_value) continue;
    ASSERT_NEAR(comparison(snapshot, plan), best->value, 2e-9 * std::max(1.0, std::abs(best->value)));
    degraded += plan.status == PlanStatus::degraded ? 1 : 0;
    off += std::any_of(plan.loss.begin(), plan.loss.end(),
                       [](const ClassLoss& own) { return own.weight_off > 0.0; })
               ? 1
               : 0;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(degraded, instances / 4);
  EXPECT_GT(off, instances / 20);
  EXPECT_GT(infeasible, 0);
}

TEST(ExactDegradation, LosesTheLeastAndIsTheBestAtThat) {
  agree_with_enumeration(7, {.most_tasks = 4, .most_variants = 4}, 400);
}

TEST(ExactDegradation, LosesTheLeastOnThreeProcessors) {
  agree_with_enumeration(
      8, {.most_tasks = 3, .most_variants = 4, .most_processors = 3, .least_processors = 3}, 300);
}

TEST(ExactDegradation, NeverLosesMoreThanTheStepRule) {
  RandomSnapshots snapshots(9);
  int better = 0;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    Snapshot snapshot = snapshots.next();
    const Plan exact = decide(snapshot);
    snapshot.degrade = Degrade::step;
    const Plan step = decide(snapshot);
    if (step.status == PlanStatus::infeasible) continue;
    ASSERT_NE(exact.status, PlanStatus::infeasible);
    expect_obeys(snapshot, exact);
    EXPECT_FALSE(loses_more(loss_of(exact), loss_of(step)));
    better += loses_more(loss_of(step), loss_of(exact)) ? 1 : 0;
  }
  EXPECT_GT(better, 10);
}

TEST(ExactDegradation, TakesFramesWhereTheyCostLeast) {
  Scene scene;
  scene.cpu();
  scene.task("slow", 10).variant("v", 0.9, 100);
  scene.task("quick", 10).variant("v", 0.9, 10);
  const Plan plan = decide(scene.snapshot);  // 1.1 needed: one slow frame or ten quick ones
  EXPECT_EQ(plan.tasks[0].granted, Fps(9.0));
  EXPECT_EQ(plan.tasks[1].granted, Fps(10.0));
  EXPECT_EQ(plan.loss_gap, 0.0);
}

// 5000 frames/s take the whole processor. The step rule takes 250 frames from each task; all 500 are best
// taken from the light one, but with 2500 steps only every third of its rates is offered.
Scene thinned(double light, double heavy) {
  Scene scene;
  scene.cpu("cpu", 500.0 / 5000.0);
  scene.task("light", 2500).variant("v", 0.9, 0.2).last().weight = light;
  scene.task("heavy", 2500).variant("v", 0.9, 0.2).last().weight = heavy;
  return scene;
}

TEST(ExactDegradation, RatesThatAreNotOfferedArePartOfTheGap) {
  const Plan plan = decide(thinned(1.0, 3.0).snapshot);
  ASSERT_EQ(plan.status, PlanStatus::degraded);
  const double lost = plan.loss.front().weighted_fps;
  EXPECT_GT(lost, 500.0 + 1e-6) << "the best plan is not offered";
  ASSERT_TRUE(plan.loss_gap);
  EXPECT_GE(*plan.loss_gap, (lost - 500.0) / lost - 1e-9);
  EXPECT_LE(*plan.loss_gap, 0.05);
}

TEST(ExactDegradation, AHigherClassWithAllItsRatesIsProven) {
  Scene scene = thinned(1.0, 3.0);
  scene.task("first", 10).variant("v", 0.9, 1).last().priority = 1;
  const Plan plan = decide(scene.snapshot);
  ASSERT_EQ(plan.status, PlanStatus::degraded);
  EXPECT_EQ(plan.loss.front().weighted_fps, 0.0);
  ASSERT_TRUE(plan.loss_gap);
  EXPECT_GT(*plan.loss_gap, 0.0) << "of the second class";
}

TEST(ExactDegradation, RatesThatMayNotBeLoweredLeaveNothingProven) {
  Scene scene = thinned(1.0, 3.0);
  for (Task& task : scene.snapshot.tasks) task.min_time_share = 0.01;
  EXPECT_NE(decide(scene.snapshot).loss_gap, 0.0);
}

TEST(ExactDegradation, AHigherClassLosesNothingThatALowerOneCanGive) {
  Scene scene;
  scene.cpu();
  scene.task("high", 10).variant("v", 0.9, 90).last().priority = 1;
  scene.task("low", 10).variant("v", 0.9, 10);
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.tasks[0].granted, Fps(10.0));
  EXPECT_EQ(plan.tasks[1].granted, Fps(10.0));
  scene.snapshot.processors[0].capacity = 0.95;
  EXPECT_EQ(decide(scene.snapshot).tasks[1].granted, Fps(5.0));
}

TEST(ExactDegradation, AFloorHoldsEvenAgainstAHigherClass) {
  Scene scene;
  scene.cpu();
  scene.task("high", 10).variant("v", 0.9, 100).last().priority = 1;
  scene.task("low", 10).variant("v", 0.9, 50).last().min_fps = Fps(4.0);
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.tasks[0].granted, Fps(8.0));
  EXPECT_EQ(plan.tasks[1].granted, Fps(4.0));
  scene.last().min_fps = Fps(0.0);
  const Plan off = decide(scene.snapshot);
  EXPECT_EQ(off.tasks[0].granted, Fps(10.0));
  EXPECT_FALSE(off.tasks[1].variant.has_value());
}

TEST(ExactDegradation, TheObjectiveDecidesAmongEqualLosses) {
  Scene scene;
  scene.cpu();
  scene.task("a", 10).variant("small", 0.8, 40).variant("big", 0.9, 55);
  scene.task("b", 10).variant("small", 0.5, 40).variant("big", 0.9, 55);
  scene.snapshot.processors[0].capacity = 0.78;  // 0.8 needed: one frame has to go, 0.02 s/s are left
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.totals.lost, Fps(1.0));
  EXPECT_EQ(plan.tasks[0].variant, 0U);
  EXPECT_EQ(plan.tasks[1].variant, 0U);
  EXPECT_EQ(plan.tasks[1].granted, Fps(9.0));  // 0.5 of 0.9: the cheaper frame
}

TEST(ExactDegradation, ThePenaltyIsLeftOutOfTheLossStages) {
  Scene scene;
  scene.cpu().task("gate", 30).variant("quick", 0.8, 40).variant("slow", 0.9, 50).last().running = 1;
  scene.snapshot.switch_penalty.max_accuracy = 100.0;
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.tasks[0].variant, 0U);  // 25 frames/s instead of 20
  EXPECT_EQ(plan.tasks[0].granted, Fps(25.0));
}

TEST(ExactDegradation, MinDwellHoldsATaskOnlyWhereThatCostsNoFrames) {
  for (const double slow_ms : {40.0, 50.0}) {
    Scene scene;
    scene.cpu().task("gate", 30).variant("quick", 0.9, 40).variant("held", 0.8, slow_ms).last().running = 1;
    scene.last().since_switch = Seconds(1.0);
    scene.snapshot.min_dwell = Seconds(5.0);
    const Plan plan = decide(scene.snapshot);
    EXPECT_EQ(plan.tasks[0].granted, Fps(25.0));
    EXPECT_EQ(plan.tasks[0].variant, slow_ms == 40.0 ? 1U : 0U);
  }
}

TEST(ExactDegradation, NamesTheLimitsThatOnlyTogetherConflictAtTheDemand) {
  Scene scene;
  scene.cpu();
  scene.snapshot.limits.memory = Bytes(100e6);
  scene.task("gate", 10).variant("quick", 0.9, 5, {.megabytes = 200});
  scene.variant("small", 0.95, 150, {.megabytes = 50});
  const ilp::CoreSolver solver;
  const Plan plan = make_policy(PolicyKind::transprecision, solver)->decide(scene.snapshot, {});
  ASSERT_EQ(plan.status, PlanStatus::degraded);
  EXPECT_EQ(plan.reasons[0].what, "time:cpu, memory conflict together at the demanded rates");
}

TEST(ExactDegradation, OffersALimitedNumberOfRates) {
  Scene scene;
  scene.cpu().task("flood", 1e7).variant("v", 0.9, 1);
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.status, PlanStatus::degraded);
  EXPECT_EQ(plan.tasks[0].granted, Fps(1000.0));  // where the step rule ends
}

// GLPK that is stopped after some calls, as by a deadline.
class StoppedSolver final : public ilp::ChoiceSolver {
 public:
  explicit StoppedSolver(int calls) : left_(calls) {}
  [[nodiscard]] const char* name() const override { return "stopped"; }
  [[nodiscard]] ilp::ChoiceResult solve(const ilp::ChoiceProblem& problem,
                                        const ilp::SolveLimits& limits) const override {
    return left_-- > 0 ? glpk_.solve(problem, limits) : ilp::ChoiceResult{};
  }

 private:
  ilp::GlpkSolver glpk_;
  mutable int left_;
};

TEST(ExactDegradation, IsNoWorseThanTheStepRuleWhereverItIsStopped) {
  RandomSnapshots snapshots(56);
  int early = 0;
  for (int i = 0; i < 150; ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    Snapshot snapshot = snapshots.next();
    const Plan whole = decide(snapshot);
    Snapshot by_steps = snapshot;
    by_steps.degrade = Degrade::step;
    const Plan step = decide(by_steps);
    for (int calls = 0; calls < whole.solver_calls; ++calls) {
      const Plan plan = decide(snapshot, StoppedSolver(calls));
      expect_obeys(snapshot, plan);
      if (plan.status != PlanStatus::degraded) continue;
      ++early;
      EXPECT_FALSE(loses_more(loss_of(whole), loss_of(plan)));
      const bool same = !loses_more(loss_of(plan), loss_of(whole));
      if (plan.loss_gap == 0.0) {
        EXPECT_TRUE(same);
      }
      const bool ladder_was_searched = calls > step.solver_calls;
      if (step.status == PlanStatus::degraded && ladder_was_searched) {
        EXPECT_FALSE(loses_more(loss_of(plan), loss_of(step)));
      }
    }
  }
  EXPECT_GT(early, 50);
}

}  // namespace
}  // namespace saccade::scheduler::exact_degradation_test
