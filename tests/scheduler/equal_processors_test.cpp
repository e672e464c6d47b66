// Plans on several processors of one kind. Oracles: the exhaustive solver behind the same formulation (picks,
// ties, status) and plain enumeration of the snapshot (value). Random snapshots of one processor are put on
// one to three equal ones, whose corrections and guards differ as they do while a service runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "profiles/processor_kinds.hpp"
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

// `running` and `excluded` of the measured variants, on the processor of that index.
Task on(const Task& task, std::span<const profiles::KindOfProcessor> kinds, std::size_t processor) {
  Task placed = task;
  placed.profiles =
      std::make_shared<const profiles::ProfileSet>(profiles::on_processors(*task.profiles, kinds));
  placed.running.reset();
  placed.excluded.clear();
  for (std::size_t v = 0; v < placed.profiles->variants.size(); ++v) {
    const auto measured = task.profiles->index_of(profiles::measured_id(placed.profiles->variants[v]));
    if (!task.excluded.empty()) placed.excluded.push_back(task.excluded[*measured]);
    if (!task.running || *task.running != *measured) continue;
    const auto same = profiles::same_measured(*placed.profiles, v);
    placed.running = same[std::min(processor, same.size() - 1)];
  }
  return placed;
}

Snapshot on_equal_processors(Snapshot snapshot, std::size_t count, RandomSnapshots& random) {
  const Processor kind = snapshot.processors.front();
  std::vector<profiles::KindOfProcessor> kinds;
  snapshot.processors.clear();
  for (std::size_t p = 0; p < count; ++p) {
    Processor processor = kind;
    processor.id = ProcessorId("core" + std::to_string(p));
    processor.kind = kind.id;
    if (random.chance(0.3)) processor.correction = random.between(0.8, 1.4, 0.1);
    if (random.chance(0.3)) processor.guard = Seconds(random.between(0.0, 0.3, 0.05));
    kinds.push_back({processor.id, kind.id});
    snapshot.processors.push_back(std::move(processor));
  }
  for (Task& task : snapshot.tasks) task = on(task, kinds, random.below(count));
  return snapshot;
}

double penalty_of(const Snapshot& snapshot) {
  switch (snapshot.objective) {
    case Objective::max_accuracy:
      return snapshot.switch_penalty.max_accuracy;
    case Objective::min_energy:
      return snapshot.switch_penalty.min_energy;
    case Objective::min_memory:
      return snapshot.switch_penalty.min_memory;
  }
  return 0.0;
}

// The objective, larger is better, less the penalty per switched task.
double comparison(const Snapshot& snapshot, const Plan& plan) {
  double value = *plan.objective_value * (snapshot.objective == Objective::max_accuracy ? 1.0 : -1.0);
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const auto running = snapshot.tasks[i].running;
    if (plan.tasks[i].variant && running && *running != *plan.tasks[i].variant) value -= penalty_of(snapshot);
  }
  return value;
}

TEST(EqualProcessors, PlansAreThoseOfTheOracles) {
  constexpr int kInstances = 1000;
  const ilp::CoreSolver core;
  const ilp::ExhaustiveSolver exhaustive;
  const auto policy = make_policy(PolicyKind::transprecision, core);
  const auto oracle = make_policy(PolicyKind::transprecision, exhaustive);
  RandomSnapshots random(20261124,
                         {.most_tasks = 4, .most_variants = 4, .most_processors = 1, .most_load = 5});
  int optimal = 0, moved = 0, degraded = 0;
  for (int i = 0; i < kInstances && !HasFailure(); ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    Snapshot snapshot = random.next();
    snapshot.degrade = Degrade::step;
    snapshot.min_dwell = Seconds(0.0);
    snapshot = on_equal_processors(std::move(snapshot), 1 + random.below(3), random);
    ASSERT_EQ(to_string(validate(snapshot)), "");
    const Plan plan = policy->decide(snapshot, {});
    const Plan expected = oracle->decide(snapshot, {});
    ASSERT_STREQ(to_string(plan.status), to_string(expected.status));
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      EXPECT_EQ(plan.tasks[t].variant, expected.tasks[t].variant) << plan.tasks[t].task.str();
      EXPECT_EQ(plan.tasks[t].granted, expected.tasks[t].granted) << plan.tasks[t].task.str();
      const auto running = snapshot.tasks[t].running;
      if (!running || !plan.tasks[t].variant || *running == *plan.tasks[t].variant) continue;
      const auto same = profiles::same_measured(*snapshot.tasks[t].profiles, *running);
      moved += std::count(same.begin(), same.end(), *plan.tasks[t].variant) > 0 ? 1 : 0;
    }
    for (const Violation& violation : check_plan(snapshot, plan)) {
      ADD_FAILURE() << violation.constraint << ": " << violation.what;
    }
    optimal += plan.status == PlanStatus::optimal ? 1 : 0;
    degraded += plan.status == PlanStatus::degraded ? 1 : 0;
    if (plan.status == PlanStatus::infeasible || !plan.objective_value) continue;
    std::vector<double> rates;
    for (const Assignment& assignment : plan.tasks) rates.push_back(assignment.granted.value());
    const std::optional<double> best = BruteForce(snapshot).best(rates);
    ASSERT_TRUE(best.has_value());
    EXPECT_NEAR(comparison(snapshot, plan), *best, 2e-9 * std::max(1.0, std::abs(*best)));
  }
  EXPECT_GT(optimal, kInstances / 5);
  EXPECT_GT(degraded, kInstances / 10);
  EXPECT_GT(moved, 0) << "tasks that keep their variant and change the processor";
}

// Twelve tasks that fill two processors evenly: no single processor holds them.
TEST(EqualProcessors, TheHeuristicsUseAllOfThem) {
  const std::vector<profiles::KindOfProcessor> kinds{{ProcessorId("core0"), ProcessorId("cpu")},
                                                     {ProcessorId("core1"), ProcessorId("cpu")}};
  Scene scene;
  scene.cpu("core0").cpu("core1");
  for (Processor& processor : scene.snapshot.processors) processor.kind = ProcessorId("cpu");
  for (int i = 0; i < 12; ++i) {
    scene.task("t" + std::to_string(i), 10).variant("big", 0.9, 16).variant("small", 0.8, 4);
    scene.last() = on(scene.last(), kinds, 0);
  }
  const ilp::CoreSolver solver;
  for (const PolicyKind kind : {PolicyKind::fair_fps, PolicyKind::fair_time, PolicyKind::greedy}) {
    SCOPED_TRACE(to_string(kind));
    const Plan plan = make_policy(kind, solver)->decide(scene.snapshot, {});
    ASSERT_EQ(plan.totals.time_share.size(), 2u);
    EXPECT_NEAR(plan.totals.time_share[0], 0.96, 1e-9);
    EXPECT_NEAR(plan.totals.time_share[1], 0.96, 1e-9);
    EXPECT_NEAR(plan.totals.lost.value(), 0.0, 1e-9);
  }
}

}  // namespace
}  // namespace saccade::scheduler
