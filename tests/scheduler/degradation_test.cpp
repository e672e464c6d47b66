// The step rule. The law: the searched plan has exactly the rates at which the plain rule (one step,
// one question, until something fits) ends, questions being answered by plain enumeration.
#include "scheduler/degradation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ilp/exhaustive_solver.hpp"
#include "ilp/glpk_solver.hpp"
#include "scheduler/plan_check.hpp"
#include "scheduler/policy.hpp"
#include "tests/scheduler/brute_force.hpp"
#include "tests/scheduler/scene.hpp"
#include "tests/support/random_snapshot.hpp"

namespace saccade::scheduler {
namespace {

using test::BruteForce;
using test::RandomSnapshots;
using test::Scene;

class PlainStepRule {
 public:
  explicit PlainStepRule(const Snapshot& snapshot) : snapshot_(snapshot), brute_(snapshot) {
    for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
      const Task& task = snapshot.tasks[i];
      // A task whose own filters leave nothing is off and has no steps to give.
      rates_.push_back(brute_.has_usable(i) ? task.demand.value() : 0.0);
      floors_.push_back(brute_.floor_of(i));
    }
  }

  // The rates at which something fits, or nothing when every task is at its floor before that.
  std::optional<std::vector<double>> run() {
    std::set<int> classes;
    for (const Task& task : snapshot_.tasks) classes.insert(task.priority);
    if (brute_.fits(rates_)) return rates_;
    for (const int priority : classes) {  // lowest class first
      bool moved = true;
      while (moved) {
        moved = false;
        for (std::size_t i = 0; i < rates_.size(); ++i) {
          if (snapshot_.tasks[i].priority != priority || rates_[i] <= floors_[i]) continue;
          rates_[i] = std::max(rates_[i] - 1.0, floors_[i]);
          moved = true;
          if (brute_.fits(rates_)) return rates_;
        }
      }
    }
    return std::nullopt;
  }

 private:
  const Snapshot& snapshot_;
  BruteForce brute_;
  std::vector<double> rates_;
  std::vector<double> floors_;
};

TEST(StepRule, EndsWhereThePlainRuleEnds) {
  const ilp::GlpkSolver glpk;
  const ilp::ExhaustiveSolver exhaustive;
  test::SnapshotShape shape;
  shape.most_tasks = 4;
  shape.most_variants = 5;
  RandomSnapshots snapshots(99, shape);
  int degraded = 0;
  int infeasible = 0;
  for (int i = 0; i < 600; ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    Snapshot snapshot = snapshots.next();
    snapshot.degrade = Degrade::step;
    const auto expected = PlainStepRule(snapshot).run();
    const bool use_glpk = i % 2 == 0;
    const Plan plan = (use_glpk ? make_policy(PolicyKind::transprecision, glpk)
                                : make_policy(PolicyKind::transprecision, exhaustive))
                          ->decide(snapshot, {});
    if (!expected) {
      EXPECT_EQ(plan.status, PlanStatus::infeasible);
      ++infeasible;
      continue;
    }
    ASSERT_NE(plan.status, PlanStatus::infeasible);
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      ASSERT_NEAR(plan.tasks[t].granted.value(), (*expected)[t], 1e-9) << plan.tasks[t].task.str();
    }
    degraded += plan.status == PlanStatus::degraded ? 1 : 0;
  }
  EXPECT_GT(degraded, 100);
  EXPECT_GT(infeasible, 10);
}

TEST(StepRule, AsksFarFewerQuestionsThanItTakesSteps) {
  Scene scene;
  scene.cpu();
  scene.snapshot.degrade = Degrade::step;
  for (const char* id : {"a", "b", "c", "d", "e"}) {
    scene.task(id, 100).variant("small", 0.8, 10).variant("big", 0.9, 20);
  }
  const ilp::GlpkSolver glpk;
  const Plan plan = make_policy(PolicyKind::transprecision, glpk)->decide(scene.snapshot, {});
  EXPECT_EQ(plan.status, PlanStatus::degraded);
  EXPECT_EQ(plan.totals.lost.value(), 400.0);  // 400 steps
  EXPECT_LE(plan.solver_calls, 4);
}

TEST(StepLadder, TakesFromTheLowestClassInTurnUntilItIsExhausted) {
  Scene scene;
  scene.cpu();
  scene.task("high", 5).variant("v", 0.9, 10).last().priority = 1;
  scene.task("low", 3).variant("v", 0.9, 10);
  scene.task("low too", 4.5).variant("v", 0.9, 10);
  const Menus menus(scene.snapshot);
  const StepLadder ladder(menus);
  const std::vector<std::vector<double>> expected = {{5, 3, 4.5}, {5, 2, 4.5}, {5, 2, 3.5}, {5, 1, 3.5},
                                                     {5, 1, 2.5}, {5, 1, 1.5}, {5, 1, 1},   {4, 1, 1},
                                                     {3, 1, 1},   {2, 1, 1},   {1, 1, 1}};
  ASSERT_EQ(ladder.steps(), expected.size() - 1);
  for (std::size_t step = 0; step < expected.size(); ++step) {
    std::vector<double> rates;
    for (const Fps rate : ladder.rates(step)) rates.push_back(rate.value());
    EXPECT_EQ(rates, expected[step]) << "step " << step;
  }
}

TEST(StepRule, StopsATaskAtItsLeastShareOfTime) {
  Scene scene;
  scene.snapshot.degrade = Degrade::step;
  scene.cpu();
  scene.task("kept", 40).variant("v", 0.9, 20).last().min_time_share = 0.6;
  scene.task("other", 40).variant("v", 0.9, 20).last().priority = 1;
  const ilp::GlpkSolver glpk;
  const Plan plan = make_policy(PolicyKind::transprecision, glpk)->decide(scene.snapshot, {});
  EXPECT_NEAR(plan.tasks[0].time_share[0], 0.6, 1e-12);
  EXPECT_NEAR(plan.tasks[1].granted.value(), 20.0, 1e-12);
}

TEST(StepRule, TurnsATaskOffWhoseFloorIsZero) {
  Scene scene;
  scene.snapshot.degrade = Degrade::step;
  scene.cpu();
  scene.snapshot.limits.memory = Bytes(10e6);
  scene.task("modest", 3).variant("v", 0.9, 1, {.megabytes = 10}).last().priority = 1;
  scene.task("spare", 3).variant("v", 0.9, 1, {.megabytes = 10}).last().min_fps = Fps(0.0);
  const ilp::GlpkSolver glpk;
  const Plan plan = make_policy(PolicyKind::transprecision, glpk)->decide(scene.snapshot, {});
  EXPECT_EQ(plan.status, PlanStatus::degraded);
  EXPECT_EQ(plan.tasks[0].granted.value(), 3.0);
  EXPECT_FALSE(plan.tasks[1].variant.has_value());
  EXPECT_EQ(plan.totals.memory->value(), 10e6);
}

TEST(Refuse, LowersNothing) {
  Scene scene;
  scene.cpu();
  scene.task("a", 60).variant("v", 0.9, 20);
  scene.snapshot.degrade = Degrade::refuse;
  const ilp::GlpkSolver glpk;
  const Plan plan = make_policy(PolicyKind::transprecision, glpk)->decide(scene.snapshot, {});
  EXPECT_EQ(plan.status, PlanStatus::infeasible);
  ASSERT_EQ(plan.relaxations.size(), 2U);
  EXPECT_EQ(plan.relaxations[0].what, "1.2 s/s needed, 1 s/s allowed");
  EXPECT_TRUE(plan.relaxations[0].proven);
  EXPECT_EQ(plan.relaxations[1].what, "`a` at 50 frames/s instead of 60");
  EXPECT_TRUE(plan.relaxations[1].proven);
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

TEST(StepRule, GivesAPlanThatHoldsOrNoneWhereverItIsStopped) {
  RandomSnapshots snapshots(55);
  const ilp::GlpkSolver glpk;
  int early = 0;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    Snapshot snapshot = snapshots.next();
    snapshot.degrade = Degrade::step;
    const Plan whole = make_policy(PolicyKind::transprecision, glpk)->decide(snapshot, {});
    for (int calls = 0; calls < whole.solver_calls; ++calls) {
      const StoppedSolver solver(calls);
      const Plan plan = make_policy(PolicyKind::transprecision, solver)->decide(snapshot, {});
      for (const Violation& violation : check_plan(snapshot, plan)) {
        ADD_FAILURE() << violation.constraint << ": " << violation.what;
      }
      if (plan.status == PlanStatus::infeasible) {
        EXPECT_EQ(whole.status, PlanStatus::infeasible);
      } else if (plan.status != PlanStatus::unknown) {
        EXPECT_GE(plan.totals.lost.value(), whole.totals.lost.value() - 1e-9);
        ++early;
      }
    }
  }
  EXPECT_GT(early, 50);
}

}  // namespace
}  // namespace saccade::scheduler
