// Plans with memories of devices. Oracles: the exhaustive solver behind the same formulation and plain
// enumeration of the snapshot (value, feasibility); examples by hand; and the check, which must refuse what
// exceeds a memory or charges one for another.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "ilp/glpk_solver.hpp"
#include "scheduler/heuristics.hpp"
#include "scheduler/plan_check.hpp"
#include "scheduler/policy.hpp"
#include "tests/scheduler/brute_force.hpp"
#include "tests/scheduler/scene.hpp"
#include "tests/support/random_snapshot.hpp"

namespace saccade::scheduler::memories_test {
namespace {

using test::BruteForce;
using test::RandomSnapshots;
using test::Scene;

// Names memories for some processors, draws what variants take of them, and limits.
Snapshot with_memories(Snapshot snapshot, RandomSnapshots& random) {
  for (Processor& processor : snapshot.processors) {
    if (random.chance(0.6)) processor.memory = random.chance(0.5) ? "gpu0" : "gpu1";
    if (random.chance(0.3)) processor.context = Bytes(random.between(0, 8e6, 1e6));
    if (!processor.memory.empty() && random.chance(0.5)) {
      processor.device_context = Bytes(random.between(0, 20e6, 2e6));
    }
  }
  for (Task& task : snapshot.tasks) {
    profiles::ProfileSet set = *task.profiles;
    for (profiles::Variant& variant : set.variants)
      variant.device_memory = Bytes(random.between(5e6, 60e6, 5e6));
    task.profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
  }
  for (const DeviceMemory& memory : device_memories(snapshot)) {
    if (!random.chance(0.8)) continue;
    snapshot.limits.memories[memory.name] = memory.context + Bytes(random.between(10e6, 120e6, 10e6));
  }
  if (snapshot.limits.memory) *snapshot.limits.memory += host_context(snapshot) + Bytes(1.0);
  return snapshot;
}

std::vector<double> rates_of(const Plan& plan) {
  std::vector<double> rates;
  for (const Assignment& assignment : plan.tasks) rates.push_back(assignment.granted.value());
  return rates;
}

// The objective, larger is better, less the penalty per switched task.
double value_of(const Snapshot& snapshot, const Plan& plan) {
  const bool accuracy = snapshot.objective == Objective::max_accuracy;
  const SwitchPenalty& all = snapshot.switch_penalty;
  const double penalty = accuracy                                      ? all.max_accuracy
                         : snapshot.objective == Objective::min_energy ? all.min_energy
                                                                       : all.min_memory;
  double value = accuracy ? *plan.objective_value : -*plan.objective_value;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const auto running = snapshot.tasks[i].running;
    if (plan.tasks[i].variant && running && *running != *plan.tasks[i].variant) value -= penalty;
  }
  return value;
}

void expect_obeys_memories(const Snapshot& snapshot, const Plan& plan) {
  for (const Violation& violation : check_plan(snapshot, plan))
    ADD_FAILURE() << violation.constraint << ": " << violation.what;
}

TEST(Memories, PlansAreThoseOfTheOracles) {
  constexpr int kInstances = 1000;
  const ilp::CoreSolver core;
  const ilp::GlpkSolver glpk;
  const ilp::ExhaustiveSolver exhaustive;
  const auto by_core = make_policy(PolicyKind::transprecision, core);
  const auto by_glpk = make_policy(PolicyKind::transprecision, glpk);
  const auto oracle = make_policy(PolicyKind::transprecision, exhaustive);
  RandomSnapshots random(20261125,
                         {.most_tasks = 4, .most_variants = 5, .most_processors = 3, .least_processors = 2});
  int optimal = 0, bound = 0, degraded = 0;
  for (int i = 0; i < kInstances && !HasFailure(); ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    Snapshot snapshot = with_memories(random.next(), random);
    snapshot.degrade = Degrade::step;
    snapshot.min_dwell = Seconds(0.0);
    ASSERT_EQ(to_string(validate(snapshot)), "");
    const Plan expected = oracle->decide(snapshot, {});
    for (const Policy* policy : {by_core.get(), by_glpk.get()}) {
      const Plan plan = policy->decide(snapshot, {});
      ASSERT_STREQ(to_string(plan.status), to_string(expected.status));
      for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
        EXPECT_EQ(plan.tasks[t].variant, expected.tasks[t].variant) << plan.tasks[t].task.str();
        EXPECT_EQ(plan.tasks[t].granted, expected.tasks[t].granted) << plan.tasks[t].task.str();
      }
      expect_obeys_memories(snapshot, plan);
    }
    optimal += expected.status == PlanStatus::optimal ? 1 : 0;
    degraded += expected.status == PlanStatus::degraded ? 1 : 0;
    if (expected.status == PlanStatus::infeasible || !expected.objective_value) continue;
    const std::optional<double> best = BruteForce(snapshot).best(rates_of(expected));
    ASSERT_TRUE(best.has_value());
    EXPECT_NEAR(value_of(snapshot, expected), *best, 2e-9 * std::max(1.0, std::abs(*best)));
    Snapshot unlimited = snapshot;
    unlimited.limits.memories.clear();
    const Plan free = by_core->decide(unlimited, {});
    bound += free.status != expected.status ||
                     std::abs(value_of(unlimited, free) - value_of(snapshot, expected)) > 1e-9
                 ? 1
                 : 0;
  }
  EXPECT_GT(optimal, kInstances / 10);
  EXPECT_GT(degraded, kInstances / 20);
  EXPECT_GT(bound, kInstances / 40) << "plans that memories of devices change";
}

TEST(Memories, WhatIsLostWhenADevicesMemoryIsFullIsTheLeast) {
  constexpr int kInstances = 150;
  const ilp::CoreSolver core;
  const auto policy = make_policy(PolicyKind::transprecision, core);
  RandomSnapshots random(
      11,
      {.most_tasks = 3, .most_variants = 3, .most_processors = 2, .least_processors = 2, .penalty = false});
  int compared = 0;
  for (int i = 0; i < kInstances && !HasFailure(); ++i) {
    SCOPED_TRACE("instance " + std::to_string(i));
    Snapshot snapshot = with_memories(random.next(), random);
    snapshot.min_dwell = Seconds(0.0);
    const Plan plan = policy->decide(snapshot, {});
    expect_obeys_memories(snapshot, plan);
    const auto best = BruteForce(snapshot).best_degraded();
    ASSERT_EQ(plan.status == PlanStatus::infeasible, !best.has_value());
    if (!best || plan.loss.empty()) continue;
    ++compared;
    for (std::size_t c = 0; c < plan.loss.size(); ++c) {
      EXPECT_NEAR(plan.loss[c].weight_off, best->loss[2 * c], 1e-6);
      EXPECT_NEAR(plan.loss[c].weighted_fps, best->loss[2 * c + 1], 1e-6);
    }
  }
  EXPECT_GT(compared, kInstances / 2);
}

// A card with room for one large and one small engine of two tasks, on a host with little memory.
Snapshot card() {
  Scene scene;
  scene.cpu("gpu").cpu("cpu");
  scene.snapshot.processors[0].memory = "gpu0";
  for (const char* id : {"a", "b"}) {
    scene.task(id, 10);
    scene.variant("large", 0.9, 5, {.megabytes = 20}, "gpu")
        .variant("small", 0.8, 2, {.megabytes = 20}, "gpu");
    scene.variant("host", 0.5, 20, {.megabytes = 20}, "cpu");
    profiles::ProfileSet set = *scene.last().profiles;
    set.variants[0].device_memory = Bytes(300e6);
    set.variants[1].device_memory = Bytes(100e6);
    scene.last().profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
  }
  return scene.snapshot;
}

Plan decide(const Snapshot& snapshot) {
  const ilp::CoreSolver solver;
  return make_policy(PolicyKind::transprecision, solver)->decide(snapshot, {});
}

TEST(Memories, DeviceMemoryIsNotChargedToTheHost) {
  Snapshot snapshot = card();
  snapshot.limits.memory = Bytes(40e6);
  snapshot.limits.memories["gpu0"] = Bytes(600e6);
  const Plan plan = decide(snapshot);
  EXPECT_STREQ(to_string(plan.status), "optimal");
  EXPECT_EQ(plan.tasks[0].variant, 0U);
  EXPECT_EQ(plan.tasks[1].variant, 0U);
  EXPECT_EQ(plan.totals.memory, Bytes(40e6));
  EXPECT_EQ(plan.totals.device_memory.at(0), Bytes(600e6));
  expect_obeys_memories(snapshot, plan);
  Plan wrong = plan;  // the accounting of such a mistake
  wrong.totals.memory = Bytes(640e6);
  EXPECT_FALSE(check_plan(snapshot, wrong).empty());
  wrong = plan;
  wrong.totals.device_memory = {Bytes(0.0)};
  EXPECT_FALSE(check_plan(snapshot, wrong).empty());
}

TEST(Memories, AnEngineOfTheHostTakesNothingOfTheDevice) {
  Snapshot snapshot = card();
  snapshot.limits.memories["gpu0"] = Bytes(50e6);
  const Plan plan = decide(snapshot);
  EXPECT_EQ(plan.tasks[0].variant, 2U);
  EXPECT_EQ(plan.tasks[1].variant, 2U);
  EXPECT_EQ(plan.totals.device_memory.at(0), Bytes(0.0));
}

TEST(Memories, ContextsCountOncePerMemory) {
  Snapshot snapshot = card();
  Processor second = snapshot.processors[0];
  second.id = ProcessorId("gpu-second");
  second.context = Bytes(30e6);
  second.device_context = Bytes(150e6);
  snapshot.processors.push_back(second);
  snapshot.processors[0].device_context = Bytes(200e6);
  EXPECT_EQ(host_context(snapshot), Bytes(30e6));
  ASSERT_EQ(device_memories(snapshot).size(), 1U);
  EXPECT_EQ(device_memories(snapshot)[0].context, Bytes(200e6));
  snapshot.limits.memories["gpu0"] = Bytes(600e6);
  const Plan plan = decide(snapshot);
  EXPECT_EQ(plan.totals.device_memory.at(0), Bytes(600e6)) << "200 of context, a large one and a small one";
  EXPECT_EQ(plan.totals.memory, Bytes(70e6));
  expect_obeys_memories(snapshot, plan);
}

TEST(Memories, TheSmallestChangeIsNamed) {
  Snapshot snapshot = card();
  for (Task& task : snapshot.tasks) {
    task.min_accuracy = 0.85;
    task.min_fps = task.demand;
  }
  snapshot.limits.memories["gpu0"] = Bytes(500e6);
  const Plan plan = decide(snapshot);
  EXPECT_STREQ(to_string(plan.status), "infeasible");
  const auto found = std::find_if(plan.relaxations.begin(), plan.relaxations.end(),
                                  [](const Relaxation& each) { return each.resource == "memory:gpu0"; });
  ASSERT_NE(found, plan.relaxations.end());
  EXPECT_TRUE(found->enough && found->proven);
  EXPECT_EQ(found->needed, 600e6);
  ASSERT_NE(plan.fallback, nullptr);
  EXPECT_LE(*plan.fallback->totals.device_memory.at(0), Bytes(500e6)) << "the fallback obeys it, too";
}

TEST(Memories, TheCheckRefusesWhatExceedsAMemory) {
  Snapshot snapshot = card();
  const Plan plan = decide(snapshot);
  snapshot.limits.memories["gpu0"] = Bytes(599e6);
  const std::vector<Violation> violations = check_plan(snapshot, plan);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].constraint, "memory:gpu0");
}

TEST(Memories, ALimitNeedsAProcessorAndMeasures) {
  Snapshot snapshot = card();
  snapshot.limits.memories["gpu7"] = Bytes(1e9);
  EXPECT_NE(to_string(validate(snapshot)).find("no processor uses a memory"), std::string::npos);
  snapshot.limits.memories = {{"gpu0", Bytes(1e9)}};
  snapshot.processors[0].device_context = Bytes(1e9);
  EXPECT_NE(to_string(validate(snapshot)).find("leaves no engine anything"), std::string::npos);
  snapshot.processors[0].device_context = Bytes(0.0);
  EXPECT_TRUE(validate(snapshot).empty()) << "what runs on the host needs no device memory";
  profiles::ProfileSet set = *snapshot.tasks[0].profiles;
  set.variants[1].device_memory.reset();
  snapshot.tasks[0].profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
  const Errors errors = validate(snapshot);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].where, "/limits/memories/gpu0");
  EXPECT_NE(errors[0].what.find("device memory"), std::string::npos);
}

TEST(Memories, ProcessorsOfOneKindAreEqualOnlyWithTheSameMemory) {
  Snapshot snapshot = card();
  for (Processor& processor : snapshot.processors) processor.kind = ProcessorId("k");
  EXPECT_TRUE(equal_processors(snapshot).empty());
  snapshot.processors[1].memory = "gpu0";
  EXPECT_EQ(equal_processors(snapshot).size(), 1U);
}

}  // namespace
}  // namespace saccade::scheduler::memories_test
