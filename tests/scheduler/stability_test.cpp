// Plans hold still: with a switch penalty nothing switches for less than it, small changes of demand do
// not flap, and the same input gives the same plan, lowered or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ilp/core_solver.hpp"
#include "scheduler/plan_check.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/problem_builder.hpp"
#include "tests/scheduler/brute_force.hpp"
#include "tests/scheduler/scene.hpp"
#include "tests/support/random_snapshot.hpp"

namespace saccade::scheduler::stability_test {
namespace {

using test::RandomSnapshots;
using test::Scene;

Plan decide(const Snapshot& snapshot) {
  const ilp::CoreSolver solver;
  return make_policy(PolicyKind::transprecision, solver)->decide(snapshot, {});
}

bool switches(const Task& task, const Assignment& assignment) {
  return assignment.variant && task.running && *task.running != *assignment.variant;
}

int switches_of(const Snapshot& snapshot, const Plan& plan) {
  int count = 0;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    count += switches(snapshot.tasks[i], plan.tasks[i]) ? 1 : 0;
  }
  return count;
}

// The objective, larger is better, less the penalty per switched task.
double comparison(const Snapshot& snapshot, const Plan& plan) {
  const double value = *plan.objective_value;
  return (snapshot.objective == Objective::max_accuracy ? value : -value) -
         switch_penalty(snapshot) * switches_of(snapshot, plan);
}

// The plan with some tasks back at the variant that runs, at the rates of the plan.
Plan reverted(const Snapshot& snapshot, Plan plan, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    if (switches(snapshot.tasks[i], plan.tasks[i])) plan.tasks[i].variant = snapshot.tasks[i].running;
  }
  account(snapshot, plan);
  return plan;
}

TEST(SwitchPenalty, GoingBackToWhatRunsIsNeverBetterByMoreThanThePenalty) {
  RandomSnapshots snapshots(61);
  int compared = 0;
  int degraded = 0;
  for (int i = 0; i < 600; ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    Snapshot snapshot = snapshots.next();
    snapshot.min_dwell = Seconds(0.0);
    snapshot.switch_penalty = {.max_accuracy = 0.02, .min_energy = 0.5, .min_memory = 5e6};
    const Plan plan = decide(snapshot);
    if (runnable(plan) != &plan || !plan.objective_value) continue;
    const std::size_t count = plan.tasks.size();
    for (std::size_t first = 0; first <= count; ++first) {  // each task alone, then all together
      const bool all = first == count;
      const Plan back = reverted(snapshot, plan, all ? 0 : first, all ? count : first + 1);
      if (switches_of(snapshot, back) == switches_of(snapshot, plan)) continue;
      if (!check_plan(snapshot, back).empty()) continue;
      ++compared;
      degraded += plan.status == PlanStatus::degraded ? 1 : 0;
      const double value = comparison(snapshot, plan);
      EXPECT_LE(comparison(snapshot, back), value + 2e-9 * std::max(1.0, std::abs(value)));
    }
  }
  EXPECT_GT(compared, 100);
  EXPECT_GT(degraded, 5);
}

// Demands that wander by a few per cent; every plan becomes what runs. Switches over all sequences.
int switches_while_wandering(double penalty) {
  RandomSnapshots snapshots(62, {.floors = false, .penalty = false});
  int count = 0;
  for (int sequence = 0; sequence < 40; ++sequence) {
    Snapshot snapshot = snapshots.next();
    snapshot.objective = Objective::max_accuracy;
    snapshot.switch_penalty.max_accuracy = penalty;
    std::vector<Fps> demands;
    for (Task& task : snapshot.tasks) {
      task.running.reset();
      demands.push_back(task.demand);
    }
    for (int step = 0; step < 8; ++step) {
      const Plan plan = decide(snapshot);
      count += switches_of(snapshot, plan);
      if (runnable(plan) != &plan) break;
      for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
        snapshot.tasks[i].running = plan.tasks[i].variant;
        snapshot.tasks[i].running_rate = plan.tasks[i].granted;
        snapshot.tasks[i].demand = demands[i] * (step % 2 == 0 ? 1.04 : 0.98);
      }
    }
  }
  return count;
}

TEST(SwitchPenalty, SmallChangesOfDemandDoNotFlap) {
  const int free = switches_while_wandering(0.0);
  const int held = switches_while_wandering(0.05);
  EXPECT_GT(free, 20);
  EXPECT_LT(held, free / 2);
}

TEST(SameInput, GivesTheSamePlanAlsoWhenLowered) {
  RandomSnapshots snapshots(63);
  for (int i = 0; i < 150; ++i) {
    const Snapshot snapshot = snapshots.next();
    const Plan one = decide(snapshot);
    const Plan two = decide(snapshot);
    ASSERT_EQ(one.status, two.status);
    for (std::size_t t = 0; t < one.tasks.size(); ++t) {
      EXPECT_EQ(one.tasks[t].variant, two.tasks[t].variant);
      EXPECT_EQ(one.tasks[t].granted, two.tasks[t].granted);
    }
  }
}

TEST(ThreeProcessors, FitTheLimitsAndAreTheBestOfPlainEnumeration) {
  RandomSnapshots snapshots(64, {.most_processors = 3, .least_processors = 3, .most_load = 2});
  int several = 0;
  int joint_peak = 0;
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    Snapshot snapshot = snapshots.next();
    snapshot.min_dwell = Seconds(0.0);
    const Plan plan = decide(snapshot);
    for (const Violation& violation : check_plan(snapshot, plan)) {
      ADD_FAILURE() << violation.constraint << ": " << violation.what;
    }
    if (plan.status == PlanStatus::infeasible || !plan.objective_value) continue;
    std::vector<double> rates;
    for (const Assignment& assignment : plan.tasks) {
      rates.push_back(assignment.granted.value());
      several += std::count_if(assignment.time_share.begin(), assignment.time_share.end(),
                               [](double share) { return share > 0.0; }) > 1
                     ? 1
                     : 0;
    }
    joint_peak += snapshot.limits.peak_power ? 1 : 0;
    const std::optional<double> best = test::BruteForce(snapshot).best(rates);
    ASSERT_TRUE(best.has_value());
    EXPECT_NEAR(comparison(snapshot, plan), *best, 2e-9 * std::max(1.0, std::abs(*best)));
    if (HasFailure()) return;
  }
  EXPECT_GT(several, 50);
  EXPECT_GT(joint_peak, 20);
}

}  // namespace
}  // namespace saccade::scheduler::stability_test
