// The latency of variants and its limit: by hand, against the second computation of the plan check, and in
// plans against plain enumeration.
#include "scheduler/latency.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ilp/glpk_solver.hpp"
#include "scheduler/cost_table.hpp"
#include "scheduler/filter.hpp"
#include "scheduler/plan_check.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/recomputed_cost.hpp"
#include "tests/scheduler/brute_force.hpp"
#include "tests/scheduler/scene.hpp"
#include "tests/support/random_snapshot.hpp"

namespace saccade::scheduler {
namespace {

using test::Scene;

// In stages, one on each processor, as `saccade place` writes them.
void put_in_stages(profiles::Variant& variant, int max_in_flight, double share_of_max_fps = 1.0) {
  Seconds longest{0.0};
  for (const auto& [processor, time] : variant.frame_time) {
    profiles::Stage stage;
    stage.kind = processor;
    stage.frame_time = time;
    variant.staging.stages.push_back(stage);
    variant.staging.latency += time;
    longest = std::max(longest, time);
  }
  variant.staging.max_fps = Fps(share_of_max_fps / longest.value());
  variant.staging.max_in_flight = max_in_flight;
}

void add(profiles::Variant variant, Task& task) {
  profiles::ProfileSet set = *task.profiles;
  set.variants.push_back(std::move(variant));
  task.profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
}

// 9 ms on the CPU, 7 ms on the GPU, up to 3 frames under way: alone 16 ms, full 27 ms, which begins above
// 80 % of 1 / 9 ms.
profiles::Variant cut(double accuracy = 0.9) {
  profiles::Variant variant;
  variant.id = VariantId("cut");
  variant.accuracy = accuracy;
  variant.frame_time = {{ProcessorId("cpu"), Seconds(9e-3)}, {ProcessorId("gpu"), Seconds(7e-3)}};
  put_in_stages(variant, 3);
  return variant;
}

Scene two_processors(double fps) {
  Scene scene;
  scene.cpu("cpu").cpu("gpu").task("gate", fps);
  return scene;
}

Plan decide(const Snapshot& snapshot) {
  const ilp::GlpkSolver glpk;
  return make_policy(PolicyKind::transprecision, glpk)->decide(snapshot, {});
}

std::string reasons_of(const Plan& plan) {
  std::string text;
  for (const Reason& reason : plan.reasons) text += reason.what + '\n';
  return text;
}

// By both computations, in milliseconds.
void expect_latency(const Snapshot& snapshot, double milliseconds) {
  const Task& task = snapshot.tasks[0];
  const VariantCost cost = variant_cost(snapshot, task, 0);
  const Seconds planned =
      frame_latency(task.profiles->variants[0], cost.total_time(), longest_time(cost), task.demand);
  EXPECT_NEAR(planned.value() * 1e3, milliseconds, 1e-9);
  EXPECT_NEAR(recompute_cost(snapshot, task, 0).latency * 1e3, milliseconds, 1e-9);
}

TEST(Latency, OfAWholeNetworkIsItsFrameTimeAtAnyRate) {
  Scene scene = two_processors(30);
  scene.variant("whole", 0.9, 12, {}, "gpu");
  expect_latency(scene.snapshot, 12);
  scene.last().demand = Fps(80);
  scene.last().regions = 2;
  scene.snapshot.processors[1].correction = 1.5;
  expect_latency(scene.snapshot, 36);
}

TEST(Latency, OfStagesIsThatOfAFrameAloneUpToFourFifthsOfTheMaximum) {
  Scene scene = two_processors(1);
  add(cut(), scene.last());
  expect_latency(scene.snapshot, 16);
  scene.last().demand = Fps(0.8 / 9e-3);
  expect_latency(scene.snapshot, 16);
  scene.last().demand = Fps(0.8001 / 9e-3);
  expect_latency(scene.snapshot, 27);
  scene.last().demand = Fps(1000);
  expect_latency(scene.snapshot, 27);
}

TEST(Latency, FollowsTheCorrectionsOfTheProcessors) {
  Scene scene = two_processors(44);
  add(cut(), scene.last());
  scene.snapshot.processors[0].correction = 2.0;  // 18 and 7 ms, at most 55.6 frames/s
  expect_latency(scene.snapshot, 25);
  scene.last().demand = Fps(45);
  expect_latency(scene.snapshot, 54);
}

TEST(Latency, OfAFullPipelineIsNeverBelowThatOfAFrameAlone) {
  Scene scene = two_processors(100);
  profiles::Variant one_at_a_time = cut();
  one_at_a_time.staging.max_in_flight = 1;
  add(one_at_a_time, scene.last());
  expect_latency(scene.snapshot, 16);
}

TEST(MaxLatency, KeepsOutWhatIsTooSlowAtTheDemandedRateAndReportsIt) {
  Scene scene = two_processors(100);
  add(cut(0.9), scene.last());
  scene.variant("quick", 0.8, 5);
  scene.last().max_latency = Seconds(0.02);
  const Plan full = decide(scene.snapshot);
  EXPECT_EQ(full.status, PlanStatus::optimal);
  EXPECT_EQ(full.tasks[0].variant, 1U);
  EXPECT_NE(reasons_of(full).find("max_latency keeps out `cut`, which would fit and be better"),
            std::string::npos)
      << reasons_of(full);
  ASSERT_EQ(full.considered[0].removed.size(), 1U);
  EXPECT_EQ(full.considered[0].removed[0].first, "max_latency");
  EXPECT_TRUE(check_plan(scene.snapshot, full).empty());
  scene.last().demand = Fps(80);
  EXPECT_EQ(decide(scene.snapshot).tasks[0].variant, 0U);
}

TEST(MaxLatency, WithoutAVariantThatIsQuickEnoughTheLeastPossibleIsNamed) {
  Scene scene = two_processors(50);
  add(cut(), scene.last());
  scene.variant("whole", 0.8, 15);
  scene.last().max_latency = Seconds(0.0149);
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.status, PlanStatus::degraded);
  EXPECT_FALSE(plan.tasks[0].variant);
  EXPECT_EQ(reasons_of(plan),
            "off: no variant passes its limits (max_latency removes 2); the least possible latency at 50 "
            "frames/s is 0.015 s\n");
  EXPECT_EQ(unmet_latency(scene.snapshot, scene.last()), Seconds(0.015));
}

TEST(MaxLatency, WhatIsNamedAsTheLeastPossibleIsEnough) {
  for (const double milliseconds : {12.3454321, 12.3456789, 3.00000049, 1.0 / 3.0}) {
    Scene scene = two_processors(1);
    scene.variant("whole", 0.9, milliseconds);
    scene.last().max_latency = Seconds(1e-6);
    const std::string reasons = reasons_of(decide(scene.snapshot));
    const std::string before = "frames/s is ";
    const std::size_t at = reasons.find(before);
    ASSERT_NE(at, std::string::npos) << reasons;
    scene.last().max_latency = Seconds(std::stod(reasons.substr(at + before.size())));
    EXPECT_TRUE(decide(scene.snapshot).tasks[0].variant) << reasons;
    EXPECT_FALSE(unmet_latency(scene.snapshot, scene.last()));
  }
}

TEST(MaxLatency, IsNotBlamedWhereOtherLimitsLeaveNothing) {
  Scene scene = two_processors(50);
  add(cut(), scene.last());
  scene.last().max_latency = Seconds(0.001);
  EXPECT_EQ(unmet_latency(scene.snapshot, scene.last()), Seconds(0.016));
  scene.last().min_accuracy = 0.95;
  EXPECT_FALSE(unmet_latency(scene.snapshot, scene.last()));
  scene.last().min_accuracy.reset();
  scene.last().max_latency = Seconds(0.016);
  EXPECT_FALSE(unmet_latency(scene.snapshot, scene.last()));
  scene.last().max_latency.reset();
  EXPECT_FALSE(unmet_latency(scene.snapshot, scene.last()));
}

// Tasks with equal limits share what filters leave; here the demand decides.
TEST(MaxLatency, IsThatOfEachTasksOwnDemand) {
  Scene scene = two_processors(100);
  add(cut(0.9), scene.last());
  scene.variant("quick", 0.8, 1);
  scene.last().max_latency = Seconds(0.02);
  scene.snapshot.tasks.push_back(scene.last());
  scene.last().id = TaskId("belt");
  scene.last().demand = Fps(8);
  const Plan plan = decide(scene.snapshot);
  EXPECT_EQ(plan.tasks[0].variant, 1U);
  EXPECT_EQ(plan.tasks[1].variant, 0U);
}

// With less demand the cut network would do, up to 88 frames/s.
TEST(MaxLatency, TheDemandThatWouldFitIsNotProvenTheHighest) {
  Scene scene = two_processors(100);
  add(cut(), scene.last());
  scene.variant("whole", 0.8, 15);
  scene.last().max_latency = Seconds(0.02);
  scene.snapshot.degrade = Degrade::refuse;
  const Plan plan = decide(scene.snapshot);
  ASSERT_EQ(plan.status, PlanStatus::infeasible);
  bool found = false;
  for (const Relaxation& relaxation : plan.relaxations) {
    if (relaxation.resource != "fps:gate") continue;
    found = true;
    EXPECT_EQ(relaxation.needed, 66.0);
    EXPECT_FALSE(relaxation.proven);
  }
  EXPECT_TRUE(found);
}

// Random snapshots whose variants on several processors are in stages, with limits.
class StagedSnapshots {
 public:
  explicit StagedSnapshots(std::uint64_t seed)
      : snapshots_(seed, {.most_tasks = 4, .most_processors = 3, .least_processors = 2, .penalty = false}) {}

  Snapshot next() {
    Snapshot snapshot = snapshots_.next();
    for (Task& task : snapshot.tasks) {
      profiles::ProfileSet set = *task.profiles;
      for (profiles::Variant& variant : set.variants) {
        if (variant.frame_time.size() < 2) continue;
        put_in_stages(variant, static_cast<int>(1 + snapshots_.below(5)), snapshots_.between(0.8, 1.0, 0.1));
        ++staged_;
      }
      task.profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
      if (snapshots_.chance(0.6)) task.max_latency = Seconds(snapshots_.between(0.01, 0.3, 0.01));
    }
    return snapshot;
  }
  [[nodiscard]] int staged() const { return staged_; }

 private:
  test::RandomSnapshots snapshots_;
  int staged_ = 0;
};

TEST(MaxLatency, FiltersExactlyWhatTheSecondComputationFindsTooSlow) {
  StagedSnapshots snapshots(51);
  std::size_t removed = 0;
  for (int i = 0; i < 500; ++i) {
    const Snapshot snapshot = snapshots.next();
    const test::BruteForce brute(snapshot);
    for (std::size_t t = 0; t < snapshot.tasks.size(); ++t) {
      const Task& task = snapshot.tasks[t];
      if (!task.active()) continue;
      std::vector<std::size_t> expected;
      for (std::size_t v = 0; v < task.profiles->variants.size(); ++v) {
        if (brute.usable(t, v)) expected.push_back(v);
      }
      const Filtered listed = filter_variants(snapshot, task, variant_costs(snapshot, task));
      const MemoryPlaces places = memory_places(snapshot);
      EXPECT_EQ(listed.kept, expected);
      EXPECT_EQ(filter_variants(snapshot, task, CostTable(snapshot, task, places, false)).kept, expected);
      for (const Removed& each : listed.removed) removed += each.filter == Filter::max_latency ? 1 : 0;
    }
  }
  EXPECT_GT(snapshots.staged(), 200);
  EXPECT_GT(removed, 100U);
}

TEST(MaxLatency, PlansAreTheBestOfPlainEnumerationAndPassTheCheck) {
  StagedSnapshots snapshots(52);
  int limited = 0;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    const Snapshot snapshot = snapshots.next();
    const Plan plan = decide(snapshot);
    for (const Violation& violation : check_plan(snapshot, plan)) {
      ADD_FAILURE() << violation.constraint << ": " << violation.what;
    }
    if (plan.status == PlanStatus::infeasible || !plan.objective_value) continue;
    std::vector<double> granted;
    for (const Assignment& assignment : plan.tasks) granted.push_back(assignment.granted.value());
    test::BruteForce brute(snapshot);
    const std::optional<double> best = brute.best(granted);
    ASSERT_TRUE(best);
    const double sign = snapshot.objective == Objective::max_accuracy ? 1.0 : -1.0;
    EXPECT_NEAR(sign * *plan.objective_value, *best, 2e-9 * std::max(1.0, std::abs(*best)));
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      const Task& task = snapshot.tasks[t];
      if (!plan.tasks[t].variant || !task.max_latency) continue;
      ++limited;
      // What is promised at the demand is kept at the rate that is granted.
      const VariantCost cost = variant_cost(snapshot, task, *plan.tasks[t].variant);
      EXPECT_LE(frame_latency(task.profiles->variants[*plan.tasks[t].variant], cost.total_time(),
                              longest_time(cost), plan.tasks[t].granted)
                    .value(),
                task.max_latency->value() * (1.0 + 1e-9));
    }
  }
  EXPECT_GT(limited, 100);
}

TEST(MaxLatency, GrowsWithTheRate) {
  StagedSnapshots snapshots(53);
  for (int i = 0; i < 200; ++i) {
    const Snapshot snapshot = snapshots.next();
    for (const Task& task : snapshot.tasks) {
      for (std::size_t v = 0; v < task.profiles->variants.size(); ++v) {
        const VariantCost cost = variant_cost(snapshot, task, v);
        if (cost.total_time() <= Seconds(0.0)) continue;  // runs on no processor of the snapshot
        Seconds before{0.0};
        for (double fps = 0.5; fps < 200.0; fps *= 1.3) {
          const Seconds latency =
              frame_latency(task.profiles->variants[v], cost.total_time(), longest_time(cost), Fps(fps));
          EXPECT_GE(latency, before);
          before = latency;
        }
      }
    }
  }
}

}  // namespace
}  // namespace saccade::scheduler
