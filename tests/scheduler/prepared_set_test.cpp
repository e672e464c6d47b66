// What is prepared of a profile set changes no cost, no front and no plan.
#include "scheduler/prepared_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ilp/core_solver.hpp"
#include "scheduler/menus.hpp"
#include "scheduler/policy.hpp"
#include "tests/scheduler/scene.hpp"
#include "tests/scheduler/whole_problems.hpp"
#include "tests/support/random_snapshot.hpp"

namespace saccade::scheduler {
namespace {

using test::RandomSnapshots;
using test::Scene;

Snapshot with_prepared_sets(Snapshot snapshot) {
  std::map<profiles::ProfileSetPtr, profiles::ProfileSetPtr> known;
  for (Task& task : snapshot.tasks) {
    profiles::ProfileSetPtr& set = known[task.profiles];
    if (!set) set = prepare(*task.profiles);
    task.profiles = set;
  }
  return snapshot;
}

// Snapshots as they are met: corrections, few filters, several tasks of one set.
Snapshot next_of(RandomSnapshots& snapshots) {
  Snapshot snapshot = snapshots.next();
  for (Processor& processor : snapshot.processors) {
    if (snapshots.chance(0.5)) processor.correction = snapshots.between(0.8, 1.2, 0.01);
  }
  for (Task& task : snapshot.tasks) {
    if (snapshots.chance(0.5)) task.regions = 1;
    if (snapshots.chance(0.3)) task.running.reset();
  }
  return snapshot;
}

void expect_same_plan(const Plan& plan, const Plan& expected) {
  EXPECT_EQ(plan.status, expected.status);
  EXPECT_EQ(plan.objective_value, expected.objective_value);
  EXPECT_EQ(plan.bound, expected.bound);
  EXPECT_EQ(plan.loss_gap, expected.loss_gap);
  EXPECT_EQ(plan.totals.memory, expected.totals.memory);
  EXPECT_EQ(plan.totals.energy_per_second, expected.totals.energy_per_second);
  EXPECT_EQ(plan.totals.peak_power, expected.totals.peak_power);
  ASSERT_EQ(plan.tasks.size(), expected.tasks.size());
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    EXPECT_EQ(plan.tasks[i].variant, expected.tasks[i].variant);
    EXPECT_EQ(plan.tasks[i].granted, expected.tasks[i].granted);
    EXPECT_EQ(plan.tasks[i].time_share, expected.tasks[i].time_share);
  }
  ASSERT_EQ(plan.reasons.size(), expected.reasons.size());
  for (std::size_t i = 0; i < plan.reasons.size(); ++i) {
    EXPECT_EQ(plan.reasons[i].what, expected.reasons[i].what);
  }
  ASSERT_EQ(plan.considered.size(), expected.considered.size());
  for (std::size_t i = 0; i < plan.considered.size(); ++i) {
    EXPECT_EQ(plan.considered[i].removed, expected.considered[i].removed);
    EXPECT_EQ(plan.considered[i].considered, expected.considered[i].considered);
  }
}

TEST(PreparedSet, ChangesNoPlan) {
  RandomSnapshots snapshots(81);
  const ilp::CoreSolver solver;
  const std::unique_ptr<Policy> policy = make_policy(PolicyKind::transprecision, solver);
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(i);
    const Snapshot snapshot = next_of(snapshots);
    expect_same_plan(policy->decide(with_prepared_sets(snapshot), {}), policy->decide(snapshot, {}));
  }
}

// So many tasks that their problem is framed wherever it may be, some of one set; some with limits on
// latency, on the memory of a device, or on the power of two processors together.
Snapshot next_of_many(RandomSnapshots& snapshots) {
  Snapshot snapshot = next_of(snapshots);
  const bool latency = snapshots.chance(0.4), device = snapshots.chance(0.3);
  const std::string memory = device ? "gpu" : "";
  snapshot.processors.back().memory = memory;
  if (device) snapshot.limits.memories[memory] = Bytes(snapshots.between(2e8, 1e9, 1e8));
  for (std::size_t i = 0; i < snapshot.tasks.size(); ++i) {
    Task& task = snapshot.tasks[i];
    if (latency && snapshots.chance(0.5)) task.max_latency = Seconds(snapshots.between(0.005, 0.1, 0.005));
    if (i > 0 && snapshots.chance(0.3)) {
      task.profiles = snapshot.tasks[i - 1].profiles;
      task.running.reset();
      task.excluded.clear();
    } else if (device) {
      profiles::ProfileSet set = *task.profiles;
      for (profiles::Variant& variant : set.variants)
        variant.device_memory = Bytes(snapshots.between(5e6, 60e6, 5e6));
      task.profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
    }
  }
  return snapshot;
}

TEST(PreparedSet, OfAFramedProblemChangesNoPlan) {
  RandomSnapshots snapshots(83, {.most_tasks = 60, .most_variants = 5, .most_load = 1.5});
  const ilp::CoreSolver core;
  const test::WholeProblems whole;
  const std::unique_ptr<Policy> policy = make_policy(PolicyKind::transprecision, core);
  const std::unique_ptr<Policy> plain = make_policy(PolicyKind::transprecision, whole);
  int latency = 0, device = 0, power = 0;
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE(i);
    Snapshot snapshot = next_of_many(snapshots);
    snapshot.degrade = i % 2 == 0 ? Degrade::refuse : Degrade::step;
    const int framed = whole.framed();
    const Plan expected = plain->decide(snapshot, {});
    expect_same_plan(policy->decide(with_prepared_sets(snapshot), {}), expected);
    if (!expected.objective_value) continue;
    const bool was_framed = whole.framed() > framed;
    const auto limited = [](const Task& task) { return task.max_latency.has_value(); };
    latency += was_framed && std::any_of(snapshot.tasks.begin(), snapshot.tasks.end(), limited) ? 1 : 0;
    device += snapshot.limits.memories.empty() ? 0 : 1;
    power += snapshot.processors.size() > 1 && snapshot.limits.peak_power ? 1 : 0;
  }
  EXPECT_GT(whole.framed(), 40);
  EXPECT_GT(latency, 10);
  EXPECT_GT(device, 10);
  EXPECT_GT(power, 5);
}

TEST(PreparedSet, HasTheCostsAndTheFrontsOfItsVariants) {
  RandomSnapshots snapshots(82);
  std::size_t known = 0;
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(i);
    const Snapshot snapshot = next_of(snapshots);
    const Snapshot of_prepared = with_prepared_sets(snapshot);
    const Menus menus(of_prepared), expected(snapshot);
    ASSERT_EQ(menus.choices().size(), expected.choices().size());
    for (std::size_t c = 0; c < menus.choices().size(); ++c) {
      const Choice& choice = menus.choices()[c];
      EXPECT_EQ(choice.usable, expected.choices()[c].usable);
      EXPECT_EQ(choice.front, expected.choices()[c].front);
      const CostTable& costs = *choice.costs;
      const CostTable& others = *expected.choices()[c].costs;
      known += costs.known_front(false, false) != nullptr ? 1U : 0U;
      EXPECT_EQ(others.known_front(false, false), nullptr);
      EXPECT_EQ(costs.all_run_here(), others.all_run_here());
      EXPECT_EQ(costs.all_have_energy(), others.all_have_energy());
      EXPECT_EQ(costs.all_have_memory(), others.all_have_memory());
      for (std::size_t v = 0; v < costs.size(); ++v) {
        for (std::size_t p = 0; p < snapshot.processors.size(); ++p) {
          EXPECT_EQ(costs.time(v, p), others.time(v, p));
        }
        EXPECT_EQ(costs.accuracy(v), others.accuracy(v));
        EXPECT_EQ(costs.relative_accuracy(v), others.relative_accuracy(v));
        if (costs.has_energy(v)) {
          EXPECT_EQ(costs.energy(v), others.energy(v));
        }
        if (costs.has_memory(v)) {
          EXPECT_EQ(costs.memory(v), others.memory(v));
        }
      }
    }
  }
  EXPECT_GT(known, 100U);  // the law is not empty
}

TEST(PreparedSet, IsNoneOfACopy) {
  Scene scene;
  scene.cpu().task("gate", 10).variant("a", 0.8, 10).variant("b", 0.9, 20);
  const profiles::ProfileSetPtr set = prepare(*scene.last().profiles);
  ASSERT_NE(prepared(set), nullptr);
  EXPECT_TRUE(*set == *scene.last().profiles);
  EXPECT_EQ(prepared(scene.last().profiles), nullptr);
  EXPECT_EQ(prepared(std::make_shared<const profiles::ProfileSet>(*set)), nullptr);
  EXPECT_EQ(prepared(nullptr), nullptr);
  const profiles::ProfileSetPtr same = set;
  EXPECT_EQ(prepared(same), prepared(set));
}

// Two times that differ by a rounding error may be equal once they are corrected: then one variant more is
// dominated.
TEST(PreparedSet, DoesNotKnowAFrontWhoseTimesTheCorrectionMakesEqual) {
  const double quick = 10e-3;
  double slow = quick, factor = 0.8;
  for (; factor < 0.9; factor += 0.001) {
    slow = std::nextafter(quick, 1.0);
    if (quick * factor == slow * factor) break;
  }
  ASSERT_EQ(quick * factor, slow * factor);
  Scene scene;
  scene.cpu().task("gate", 10).variant("a", 0.8, 0.0).variant("b", 0.9, 0.0);
  profiles::ProfileSet set = *scene.last().profiles;
  set.variants[0].frame_time[ProcessorId("cpu")] = Seconds(quick);
  set.variants[1].frame_time[ProcessorId("cpu")] = Seconds(slow);
  scene.last().profiles = prepare(std::move(set));
  EXPECT_EQ(Menus(scene.snapshot).choices()[0].front, (std::vector<std::size_t>{0, 1}));
  scene.snapshot.processors[0].correction = factor;
  EXPECT_EQ(Menus(scene.snapshot).choices()[0].front, std::vector<std::size_t>{1});
}

TEST(PreparedSet, IsNotSoundIfAVariantIsNot) {
  Scene scene;
  scene.cpu().task("gate", 10).variant("a", 0.8, 10).variant("b", 1.5, 20);
  const Snapshot snapshot = with_prepared_sets(scene.snapshot);
  EXPECT_FALSE(prepared(snapshot.tasks[0].profiles)->all_plausible);
  EXPECT_FALSE(sound(snapshot, snapshot.tasks[0].profiles));
  const ilp::CoreSolver solver;
  EXPECT_EQ(make_policy(PolicyKind::transprecision, solver)->decide(snapshot, {}).status,
            PlanStatus::infeasible);
}

}  // namespace
}  // namespace saccade::scheduler
