// Transprecision against oracles on random snapshots: the exhaustive solver behind the same
// formulation (picks, ties, status), and plain enumeration of the snapshot (value, feasibility).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ilp/exhaustive_solver.hpp"
#include "ilp/glpk_solver.hpp"
#include "scheduler/plan_check.hpp"
#include "scheduler/policy.hpp"
#include "tests/scheduler/brute_force.hpp"
#include "tests/support/random_snapshot.hpp"

namespace saccade::scheduler::oracle_test {
namespace {

using test::BruteForce;
using test::RandomSnapshots;

constexpr int kInstances = 1000;

void expect_same(const Plan& a, const Plan& b) {
  EXPECT_STREQ(to_string(a.status), to_string(b.status));
  ASSERT_EQ(a.objective_value.has_value(), b.objective_value.has_value());
  if (a.objective_value) {
    EXPECT_NEAR(*a.objective_value, *b.objective_value, 1e-9 * std::abs(*b.objective_value));
  }
  for (std::size_t i = 0; i < a.tasks.size(); ++i) {
    EXPECT_EQ(a.tasks[i].variant, b.tasks[i].variant) << a.tasks[i].task.str();
    EXPECT_EQ(a.tasks[i].granted.value(), b.tasks[i].granted.value()) << a.tasks[i].task.str();
  }
  ASSERT_EQ(a.relaxations.size(), b.relaxations.size());
  for (std::size_t i = 0; i < a.relaxations.size(); ++i) {
    EXPECT_EQ(a.relaxations[i].what, b.relaxations[i].what);
    EXPECT_EQ(a.relaxations[i].proven, b.relaxations[i].proven);
  }
}

void expect_obeys(const Snapshot& snapshot, const Plan& plan, CheckScope scope = CheckScope::all) {
  for (const Violation& violation : check_plan(snapshot, plan, scope)) {
    ADD_FAILURE() << violation.constraint << ": " << violation.what;
  }
}

std::vector<double> granted(const Plan& plan) {
  std::vector<double> rates;
  for (const Assignment& assignment : plan.tasks) rates.push_back(assignment.granted.value());
  return rates;
}

std::vector<double> demanded(const Snapshot& snapshot) {
  std::vector<double> rates;
  for (const Task& task : snapshot.tasks) rates.push_back(task.demand.value());
  return rates;
}

// The comparison value of a plan: the objective, larger is better, less the penalty.
double comparison(const Snapshot& snapshot, const Plan& plan) {
  double penalty = snapshot.switch_penalty.max_accuracy;
  double value = *plan.objective_value;
  if (snapshot.objective == Objective::min_energy) {
    value = -value;
    penalty = snapshot.switch_penalty.min_energy;
  } else if (snapshot.objective == Objective::min_memory) {
    value = -value;
    penalty = snapshot.switch_penalty.min_memory;
  }
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const auto running = snapshot.tasks[i].running;
    if (plan.tasks[i].variant && running && *running != *plan.tasks[i].variant) value -= penalty;
  }
  return value;
}

TEST(Transprecision, AgreesWithTheExhaustiveOracleAndPassesTheCheck) {
  const ilp::GlpkSolver glpk;
  const ilp::ExhaustiveSolver exhaustive;
  const auto fast = make_policy(PolicyKind::transprecision, glpk);
  const auto oracle = make_policy(PolicyKind::transprecision, exhaustive);
  RandomSnapshots snapshots(20261120);
  std::vector<int> seen(5, 0);
  for (int i = 0; i < kInstances; ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    Snapshot snapshot = snapshots.next();
    snapshot.degrade = Degrade::step;  // too many selections otherwise; exact_degradation_test has an oracle
    ASSERT_EQ(to_string(validate(snapshot)), "");
    const Plan plan = fast->decide(snapshot, {});
    ++seen[static_cast<std::size_t>(plan.status)];
    expect_same(plan, oracle->decide(snapshot, {}));
    expect_obeys(snapshot, plan);
    if (HasFailure()) return;
  }
  EXPECT_GT(seen[static_cast<std::size_t>(PlanStatus::optimal)], kInstances / 5);
  EXPECT_GT(seen[static_cast<std::size_t>(PlanStatus::degraded)], kInstances / 10);
  EXPECT_GT(seen[static_cast<std::size_t>(PlanStatus::infeasible)], kInstances / 50);
}

TEST(Transprecision, FindsTheBestValueOfPlainEnumeration) {
  const ilp::GlpkSolver glpk;
  const auto policy = make_policy(PolicyKind::transprecision, glpk);
  RandomSnapshots snapshots(7);
  for (int i = 0; i < kInstances; ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    Snapshot snapshot = snapshots.next();
    snapshot.min_dwell = Seconds(0.0);
    BruteForce brute(snapshot);
    const Plan plan = policy->decide(snapshot, {});
    const bool all_fits = brute.fits(demanded(snapshot));
    if (plan.status == PlanStatus::infeasible) {
      EXPECT_FALSE(all_fits);
      continue;
    }
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      if (all_fits && brute.has_usable(t)) {
        EXPECT_EQ(plan.tasks[t].granted, plan.tasks[t].demand);
      }
    }
    if (!plan.objective_value) continue;
    const std::optional<double> best = brute.best(granted(plan));
    ASSERT_TRUE(best.has_value());
    EXPECT_NEAR(comparison(snapshot, plan), *best, 2e-9 * std::max(1.0, std::abs(*best)));
    if (HasFailure()) return;
  }
}

TEST(Transprecision, DecidesTheSameTwice) {
  const ilp::GlpkSolver glpk;
  const auto policy = make_policy(PolicyKind::transprecision, glpk);
  RandomSnapshots snapshots(3);
  for (int i = 0; i < 200; ++i) {
    const Snapshot snapshot = snapshots.next();
    expect_same(policy->decide(snapshot, {}), policy->decide(snapshot, {}));
  }
}

TEST(Transprecision, KeepsItsOwnPlanWhenAskedAgain) {
  const ilp::GlpkSolver glpk;
  const auto policy = make_policy(PolicyKind::transprecision, glpk);
  RandomSnapshots snapshots(4);
  int kept = 0;
  for (int i = 0; i < 300; ++i) {
    Snapshot snapshot = snapshots.next();
    const Plan first = policy->decide(snapshot, {});
    if (runnable(first) != &first) continue;
    for (std::size_t t = 0; t < snapshot.tasks.size(); ++t) {
      snapshot.tasks[t].running = first.tasks[t].variant;
      snapshot.tasks[t].running_rate = first.tasks[t].granted;
    }
    expect_same(first, policy->decide(snapshot, {}));
    ++kept;
    if (HasFailure()) return;
  }
  EXPECT_GT(kept, 100);
}

// The optimum value over the front is the optimum value over all variants.
TEST(Transprecision, LosesNoValueToTheActiveFrontWhateverIsLimited) {
  const ilp::GlpkSolver glpk;
  const auto policy = make_policy(PolicyKind::transprecision, glpk);
  test::SnapshotShape shape;
  shape.most_tasks = 4;
  for (unsigned combination = 0; combination < 8; ++combination) {
    SCOPED_TRACE("energy " + std::to_string(combination & 1U) + " memory " +
                 std::to_string((combination >> 1U) & 1U) + " power " + std::to_string(combination >> 2U));
    RandomSnapshots snapshots(100 + combination, shape);
    int compared = 0;
    while (compared < kInstances) {
      Snapshot snapshot = snapshots.next();
      const bool energy = snapshot.limits.energy_per_second || snapshot.objective == Objective::min_energy;
      const bool memory = snapshot.limits.memory || snapshot.objective == Objective::min_memory;
      const bool power = snapshot.limits.peak_power.has_value();
      if (energy != ((combination & 1U) != 0) || memory != ((combination & 2U) != 0) ||
          power != ((combination & 4U) != 0)) {
        continue;
      }
      ++compared;
      snapshot.selection = pareto::Selection::active;
      const Plan with_front = policy->decide(snapshot, {});
      snapshot.selection = pareto::Selection::none;
      const Plan without = policy->decide(snapshot, {});
      ASSERT_STREQ(to_string(with_front.status), to_string(without.status));
      ASSERT_EQ(granted(with_front), granted(without));
      ASSERT_EQ(with_front.objective_value.has_value(), without.objective_value.has_value());
      if (without.objective_value) {
        const double best = comparison(snapshot, without);
        ASSERT_NEAR(comparison(snapshot, with_front), best, 2e-9 * std::max(1.0, std::abs(best)));
      }
    }
  }
}

TEST(Transprecision, NeverGetsMoreOutOfThePapersSelections) {
  const ilp::GlpkSolver glpk;
  const auto policy = make_policy(PolicyKind::transprecision, glpk);
  RandomSnapshots snapshots(11);
  int worse = 0;
  for (int i = 0; i < 300; ++i) {
    Snapshot snapshot = snapshots.next();
    snapshot.min_dwell = Seconds(0.0);
    snapshot.degrade = Degrade::refuse;
    const Plan active = policy->decide(snapshot, {});
    for (const auto selection :
         {pareto::Selection::time, pareto::Selection::memory, pareto::Selection::energy,
          pareto::Selection::time_memory, pareto::Selection::time_energy}) {
      snapshot.selection = selection;
      const Plan plan = policy->decide(snapshot, {});
      expect_obeys(snapshot, plan);
      if (!plan.objective_value) {
        worse += active.objective_value ? 1 : 0;
        continue;
      }
      ASSERT_TRUE(active.objective_value.has_value());
      const double best = comparison(snapshot, active);
      EXPECT_LE(comparison(snapshot, plan), best + 2e-9 * std::max(1.0, std::abs(best)));
      if (comparison(snapshot, plan) < best - 1e-6 * std::abs(best)) ++worse;
    }
  }
  EXPECT_GT(worse, 0);  // they can lose the optimum, which is why `active` is the default
}

TEST(EveryPolicy, KeepsProcessorTimeAndTellsWhatItBreaks) {
  const ilp::GlpkSolver glpk;
  RandomSnapshots snapshots(21);
  for (int i = 0; i < 300; ++i) {
    const Snapshot snapshot = snapshots.next();
    for (const PolicyKind kind : {PolicyKind::fair_fps, PolicyKind::fair_time, PolicyKind::greedy}) {
      const Plan plan = make_policy(kind, glpk)->decide(snapshot, {});
      SCOPED_TRACE(plan.policy + ", instance " + std::to_string(i));
      expect_obeys(snapshot, plan, CheckScope::time_only);
      for (const Violation& violation : check_plan(snapshot, plan)) {
        EXPECT_EQ(std::count(plan.violated_limits.begin(), plan.violated_limits.end(), violation.constraint),
                  1);
      }
      EXPECT_FALSE(plan.bound || plan.gap);
    }
  }
}

TEST(InfeasiblePlans, CarryAFallbackThatObeysEveryLimitButFloors) {
  const ilp::GlpkSolver glpk;
  const auto policy = make_policy(PolicyKind::transprecision, glpk);
  RandomSnapshots snapshots(31);
  int infeasible = 0;
  for (int i = 0; i < 600; ++i) {
    const Snapshot snapshot = snapshots.next();
    const Plan plan = policy->decide(snapshot, {});
    if (plan.status != PlanStatus::infeasible) continue;
    ++infeasible;
    EXPECT_FALSE(plan.relaxations.empty());
    EXPECT_FALSE(plan.reasons.empty());
    ASSERT_NE(plan.fallback, nullptr);
    EXPECT_EQ(runnable(plan), plan.fallback.get());
    for (const Violation& violation : check_plan(snapshot, *plan.fallback)) {
      EXPECT_TRUE(violation.constraint.starts_with("min_fps:") ||
                  violation.constraint.starts_with("min_time_share:"))
          << violation.constraint << ": " << violation.what;
    }
  }
  EXPECT_GT(infeasible, 20);
}

// The snapshot with one limit or floor changed to `value`.
Snapshot changed(Snapshot snapshot, const std::string& resource, double value) {
  for (Processor& processor : snapshot.processors) {
    if (resource == "time:" + processor.id.str()) processor.capacity = value + processor.guard.value();
  }
  if (resource == "energy") snapshot.limits.energy_per_second = Watts(value);
  if (resource == "memory") snapshot.limits.memory = Bytes(value);
  if (resource == "power") snapshot.limits.peak_power = Watts(value);
  for (Task& task : snapshot.tasks) {
    if (resource == "min_accuracy:" + task.id.str()) task.min_accuracy = value;
    if (resource == "min_relative_accuracy:" + task.id.str()) task.min_relative_accuracy = value;
    if (resource == "min_time_share:" + task.id.str()) task.min_time_share = value;
    if (resource == "min_fps:" + task.id.str()) task.min_fps = Fps(value);
    if (resource == "fps:" + task.id.str()) task.demand = Fps(value);
  }
  return snapshot;
}

TEST(Relaxations, AreEnoughAndNothingLessIsWhenProven) {
  const ilp::GlpkSolver glpk;
  const auto policy = make_policy(PolicyKind::transprecision, glpk);
  RandomSnapshots snapshots(41);
  int enough = 0;
  for (int i = 0; i < 800; ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    const Snapshot snapshot = snapshots.next();
    const Plan plan = policy->decide(snapshot, {});
    for (const Relaxation& relaxation : plan.relaxations) {
      if (!relaxation.needed) continue;
      SCOPED_TRACE(relaxation.resource + ": " + relaxation.what);
      const double needed = *relaxation.needed;
      const bool rate = relaxation.resource.find("fps:") != std::string::npos;
      const bool floor = relaxation.resource.starts_with("min_");
      const double less = rate ? needed + 1.0 : floor ? needed + 1e-6 : needed * (1 - 1e-6);
      if (relaxation.enough) {
        ++enough;
        EXPECT_NE(policy->decide(changed(snapshot, relaxation.resource, needed), {}).status,
                  PlanStatus::infeasible);
      }
      if (relaxation.proven && less > 0.0) {
        EXPECT_EQ(policy->decide(changed(snapshot, relaxation.resource, less), {}).status,
                  PlanStatus::infeasible);
      }
    }
  }
  EXPECT_GT(enough, 20);
}

}  // namespace
}  // namespace saccade::scheduler::oracle_test
