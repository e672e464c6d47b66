// The check of plans must see what is wrong: every kind of damage done to a good plan, or a limit
// tightened under it, is found and named.
#include "scheduler/plan_check.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ilp/glpk_solver.hpp"
#include "scheduler/policy.hpp"
#include "tests/scheduler/scene.hpp"
#include "tests/support/random_snapshot.hpp"

namespace saccade::scheduler::plan_check_test {
namespace {

using test::Scene;

Plan decide(const Snapshot& snapshot) {
  const ilp::GlpkSolver glpk;
  return make_policy(PolicyKind::transprecision, glpk)->decide(snapshot, {});
}

bool names(const std::vector<Violation>& violations, const std::string& constraint) {
  for (const Violation& violation : violations) {
    if (violation.constraint == constraint) return true;
  }
  return false;
}

class GoodPlan : public ::testing::Test {
 protected:
  GoodPlan() {
    scene_.cpu("cpu");
    for (const char* id : {"gate", "belt"}) {
      scene_.task(id, 10).variant("a", 0.8, 20, {.megabytes = 10, .joules = 0.1, .watts = 4});
      scene_.variant("b", 0.9, 40, {.megabytes = 30, .joules = 0.3, .watts = 8});
    }
    snapshot_ = scene_.snapshot;
    plan_ = decide(snapshot_);
  }
  Scene scene_;
  Snapshot snapshot_;
  Plan plan_;
};

TEST_F(GoodPlan, PassesTheCheck) {
  EXPECT_EQ(plan_.status, PlanStatus::optimal);
  EXPECT_TRUE(check_plan(snapshot_, plan_).empty());
}

TEST_F(GoodPlan, IsSpoiledByAnyDamage) {
  struct Damage {
    const char* what;
    const char* found_as;
    std::function<void(Plan&)> apply;
  };
  const std::vector<Damage> damages = {
      {"rate above demand", "plan", [](Plan& p) { p.tasks[0].granted = Fps(11); }},
      {"rate below zero", "plan", [](Plan& p) { p.tasks[0].granted = Fps(-1); }},
      {"variant out of range", "plan", [](Plan& p) { p.tasks[0].variant = 2; }},
      {"off but granted", "plan", [](Plan& p) { p.tasks[0].variant.reset(); }},
      {"variant without frames", "plan", [](Plan& p) { p.tasks[0].granted = Fps(0); }},
      {"rate below the floor", "min_fps:gate", [](Plan& p) { p.tasks[0].granted = Fps(0.5); }},
      {"task missing", "plan", [](Plan& p) { p.tasks.pop_back(); }},
      {"tasks swapped", "plan", [](Plan& p) { std::swap(p.tasks[0], p.tasks[1]); }},
      {"demand of yesterday", "plan", [](Plan& p) { p.tasks[0].demand = Fps(12); }},
      {"wrong time share", "plan", [](Plan& p) { p.tasks[0].time_share[0] += 0.1; }},
      {"no time share", "plan", [](Plan& p) { p.tasks[0].time_share.clear(); }},
      {"wrong total", "plan", [](Plan& p) { p.totals.time_share[0] *= 0.9; }},
      {"wrong loss", "plan", [](Plan& p) { p.totals.lost = Fps(1); }},
      {"wrong memory", "plan", [](Plan& p) { p.totals.memory = Bytes(59e6); }},
      {"memory left out", "plan", [](Plan& p) { p.totals.memory.reset(); }},
      {"wrong energy", "plan", [](Plan& p) { p.totals.energy_per_second = Watts(5); }},
      {"wrong peak", "plan", [](Plan& p) { p.totals.peak_power = Watts(7); }},
      {"wrong class loss", "plan", [](Plan& p) { p.loss[0].weighted_fps = 1; }},
      {"no class loss", "plan", [](Plan& p) { p.loss.clear(); }},
      {"wrong value", "plan", [](Plan& p) { *p.objective_value *= 0.99; }},
      {"no value", "plan", [](Plan& p) { p.objective_value.reset(); }},
      {"other objective", "plan", [](Plan& p) { p.objective = Objective::min_energy; }},
      {"claims degradation", "plan", [](Plan& p) { p.status = PlanStatus::degraded; }},
      {"infeasible but running", "plan", [](Plan& p) { p.status = PlanStatus::infeasible; }},
      {"unknown but running", "plan", [](Plan& p) { p.status = PlanStatus::unknown; }},
  };
  for (const Damage& damage : damages) {
    Plan plan = plan_;
    damage.apply(plan);
    EXPECT_TRUE(names(check_plan(snapshot_, plan), damage.found_as)) << damage.what;
  }
}

TEST_F(GoodPlan, BreaksALimitThatIsTightenedUnderIt) {
  struct Tightening {
    const char* found_as;
    std::function<void(Snapshot&)> apply;
  };
  const std::vector<Tightening> tightenings = {
      {"time:cpu", [](Snapshot& s) { s.processors[0].guard = Seconds(0.21); }},
      {"time:cpu", [](Snapshot& s) { s.processors[0].correction = 1.3; }},
      {"memory", [](Snapshot& s) { s.limits.memory = Bytes(59e6); }},
      {"energy", [](Snapshot& s) { s.limits.energy_per_second = Watts(5.9); }},
      {"energy",
       [](Snapshot& s) {
         s.limits.energy_per_second = Watts(6);
         s.idle_power = Watts(1);
       }},
      {"power", [](Snapshot& s) { s.limits.peak_power = Watts(7.9); }},
      {"min_accuracy:gate", [](Snapshot& s) { s.tasks[0].min_accuracy = 0.91; }},
      {"max_frame_time:belt", [](Snapshot& s) { s.tasks[1].max_frame_time = Seconds(0.039); }},
      {"max_latency:belt", [](Snapshot& s) { s.tasks[1].max_latency = Seconds(0.039); }},
      {"max_power:gate", [](Snapshot& s) { s.tasks[0].max_power = Watts(7); }},
      {"max_memory:gate", [](Snapshot& s) { s.tasks[0].max_memory = Bytes(29e6); }},
      {"excluded:gate",
       [](Snapshot& s) {
         s.tasks[0].excluded = {false, true};
       }},
      {"processor:gate", [](Snapshot& s) { s.processors[0].id = ProcessorId("gpu"); }},
      {"plan", [](Snapshot& s) { s.tasks[0].demand = Fps(0); }},
  };
  for (const Tightening& tightening : tightenings) {
    Snapshot snapshot = snapshot_;
    tightening.apply(snapshot);
    EXPECT_TRUE(names(check_plan(snapshot, plan_), tightening.found_as)) << tightening.found_as;
  }
}

TEST_F(GoodPlan, IsJudgedByTimeAloneWhenAsked) {
  snapshot_.limits.memory = Bytes(1);
  snapshot_.tasks[0].min_accuracy = 0.95;
  EXPECT_TRUE(check_plan(snapshot_, plan_, CheckScope::time_only).empty());
  snapshot_.processors[0].guard = Seconds(0.5);
  EXPECT_TRUE(names(check_plan(snapshot_, plan_, CheckScope::time_only), "time:cpu"));
}

TEST_F(GoodPlan, IsNotTrustedOnWhatWasNotMeasured) {
  profiles::ProfileSet set = *snapshot_.tasks[0].profiles;
  set.variants[1].memory.reset();
  snapshot_.tasks[0].profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
  snapshot_.limits.memory = Bytes(1e9);
  EXPECT_TRUE(names(check_plan(snapshot_, plan_), "memory"));
}

TEST_F(GoodPlan, MayFillALimitToTheLastBit) {
  snapshot_.limits = {.peak_power = Watts(8), .energy_per_second = Watts(6), .memory = Bytes(60e6)};
  snapshot_.processors[0].guard = Seconds(0.2);
  EXPECT_TRUE(check_plan(snapshot_, plan_).empty());
}

TEST(JointPeak, AddsTheHungriestVariantOfEveryProcessor) {
  Scene scene;
  scene.cpu("cpu").cpu("gpu");
  scene.task("a", 1).variant("v", 0.9, 10, {.watts = 5}, "cpu");
  scene.task("b", 1).variant("v", 0.9, 10, {.watts = 4}, "gpu");
  scene.task("c", 1).variant("v", 0.9, 10, {.watts = 3}, "gpu");
  const Plan plan = decide(scene.snapshot);
  scene.snapshot.limits.peak_power = Watts(9);
  EXPECT_TRUE(check_plan(scene.snapshot, plan).empty());
  scene.snapshot.limits.peak_power = Watts(8.9);
  EXPECT_TRUE(names(check_plan(scene.snapshot, plan), "power"));
}

TEST(TimeFloor, IsBrokenByARateBelowTheProtectedShare) {
  Scene scene;
  scene.cpu().task("gate", 10).variant("v", 0.9, 50);
  Plan plan = decide(scene.snapshot);
  plan.tasks[0].granted = Fps(5);
  plan.status = PlanStatus::degraded;
  account(scene.snapshot, plan);
  EXPECT_TRUE(check_plan(scene.snapshot, plan).empty());
  scene.last().min_time_share = 0.3;
  EXPECT_TRUE(names(check_plan(scene.snapshot, plan), "min_time_share:gate"));
}

// Random plans, each spoiled in a way that its snapshot forbids.
TEST(RandomPlans, AreCaughtWhenSpoiled) {
  test::RandomSnapshots snapshots(77);
  int spoiled = 0;
  for (int i = 0; i < 400; ++i) {
    const Snapshot snapshot = snapshots.next();
    const Plan plan = decide(snapshot);
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      if (!plan.tasks[t].variant) continue;
      Plan above = plan;
      above.tasks[t].granted += Fps(snapshot.tasks[t].demand.value() * 0.01 + 1e-3);
      if (plan.tasks[t].granted == plan.tasks[t].demand) {
        EXPECT_TRUE(names(check_plan(snapshot, above), "plan"));
      }
      Plan unaccounted = plan;
      unaccounted.tasks[t].granted = unaccounted.tasks[t].granted * 0.5;
      EXPECT_FALSE(check_plan(snapshot, unaccounted).empty());
      for (std::size_t v = 0; v < snapshot.tasks[t].excluded.size(); ++v) {
        if (!snapshot.tasks[t].excluded[v]) continue;
        Plan excluded = plan;
        excluded.tasks[t].variant = v;
        EXPECT_TRUE(names(check_plan(snapshot, excluded), "excluded:" + snapshot.tasks[t].id.str()));
      }
      ++spoiled;
    }
  }
  EXPECT_GT(spoiled, 500);
}

}  // namespace
}  // namespace saccade::scheduler::plan_check_test
