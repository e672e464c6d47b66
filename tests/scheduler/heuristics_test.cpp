// The policies Saccade is compared with. Laws, for the most accurate variant's time t_p and demand f:
//   fair_fps   g = min(phi, f) with one phi; phi cannot grow: all demand is met or a processor is full
//   fair_time  g = min(f, min_p (U_p / N) / t_p)
//   greedy     in order, g = min(f, min_p left_p / t_p)
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "ilp/glpk_solver.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/shares.hpp"
#include "tests/scheduler/scene.hpp"
#include "tests/support/random_snapshot.hpp"

namespace saccade::scheduler::heuristics_test {
namespace {

using test::RandomSnapshots;
using test::Scene;

Plan decide(PolicyKind kind, const Snapshot& snapshot) {
  const ilp::GlpkSolver glpk;
  return make_policy(kind, glpk)->decide(snapshot, {});
}

struct Instance {
  std::vector<double> budgets;
  std::vector<Load> loads;
};

Instance random_instance(RandomSnapshots& random) {
  Instance instance;
  const std::size_t processors = 1 + random.below(3);
  for (std::size_t p = 0; p < processors; ++p) instance.budgets.push_back(random.between(0.3, 2.0, 0.05));
  const std::size_t tasks = 1 + random.below(8);
  for (std::size_t i = 0; i < tasks; ++i) {
    Load load;
    for (std::size_t p = 0; p < processors; ++p) {
      load.time.push_back(Seconds(random.chance(0.7) ? random.between(0.001, 0.05, 0.001) : 0.0));
    }
    load.time[random.below(processors)] = Seconds(random.between(0.001, 0.05, 0.001));
    load.demand = Fps(random.between(1, 30, 1));
    instance.loads.push_back(std::move(load));
  }
  return instance;
}

double used(const Instance& instance, const std::vector<Fps>& rates, std::size_t processor) {
  double sum = 0.0;
  for (std::size_t i = 0; i < rates.size(); ++i) sum += instance.loads[i].time[processor] * rates[i];
  return sum;
}

void expect_within(const Instance& instance, const std::vector<Fps>& rates) {
  for (std::size_t p = 0; p < instance.budgets.size(); ++p) {
    EXPECT_LE(used(instance, rates, p), instance.budgets[p] * (1 + 1e-9));
  }
  for (std::size_t i = 0; i < rates.size(); ++i) EXPECT_LE(rates[i], instance.loads[i].demand);
}

TEST(FairFps, GivesOneCommonRateThatCannotGrow) {
  RandomSnapshots random(1);
  int held_back = 0;
  for (int n = 0; n < 2000; ++n) {
    const Instance instance = random_instance(random);
    const std::vector<Fps> rates = fair_fps_rates(instance.budgets, instance.loads);
    expect_within(instance, rates);
    const Fps common = *std::max_element(rates.begin(), rates.end());
    bool all_met = true;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      EXPECT_TRUE(rates[i] == instance.loads[i].demand || rates[i] == common);
      all_met = all_met && rates[i] == instance.loads[i].demand;
    }
    if (all_met) continue;
    ++held_back;
    bool full = false;
    for (std::size_t p = 0; p < instance.budgets.size(); ++p) {
      full = full || used(instance, rates, p) >= instance.budgets[p] * (1 - 1e-9);
    }
    EXPECT_TRUE(full);
  }
  EXPECT_GT(held_back, 500);
}

TEST(FairTime, GivesEveryTaskTheSameSlotOfEachProcessor) {
  RandomSnapshots random(2);
  for (int n = 0; n < 2000; ++n) {
    const Instance instance = random_instance(random);
    const std::vector<Fps> rates = fair_time_rates(instance.budgets, instance.loads, false);
    expect_within(instance, rates);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      double expected = instance.loads[i].demand.value();
      for (std::size_t p = 0; p < instance.budgets.size(); ++p) {
        const double slot = instance.budgets[p] / static_cast<double>(rates.size());
        if (instance.loads[i].time[p] > Seconds(0.0)) {
          expected = std::min(expected, slot / instance.loads[i].time[p].value());
        }
      }
      EXPECT_NEAR(rates[i].value(), expected, 1e-9 * expected);
    }
  }
}

TEST(FairTime, RedistributingLowersNoOne) {
  RandomSnapshots random(3);
  int gained = 0;
  for (int n = 0; n < 2000; ++n) {
    const Instance instance = random_instance(random);
    const std::vector<Fps> plain = fair_time_rates(instance.budgets, instance.loads, false);
    const std::vector<Fps> shared = fair_time_rates(instance.budgets, instance.loads, true);
    expect_within(instance, shared);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_GE(shared[i].value(), plain[i].value() * (1 - 1e-9));
      gained += shared[i].value() > plain[i].value() * (1 + 1e-6) ? 1 : 0;
    }
  }
  EXPECT_GT(gained, 500);
}

TEST(Greedy, ServesTheTasksInOrderWithWhatIsLeft) {
  RandomSnapshots random(4);
  for (int n = 0; n < 2000; ++n) {
    const Instance instance = random_instance(random);
    const std::vector<Fps> rates = greedy_rates(instance.budgets, instance.loads);
    expect_within(instance, rates);
    std::vector<double> left = instance.budgets;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const Load& load = instance.loads[i];
      if (rates[i] < load.demand) {  // a processor it uses is full after it
        bool full = false;
        for (std::size_t p = 0; p < left.size(); ++p) {
          full = full || (load.time[p] > Seconds(0.0) && load.time[p] * rates[i] >= left[p] - 1e-9);
        }
        EXPECT_TRUE(full);
      }
      for (std::size_t p = 0; p < left.size(); ++p) left[p] -= load.time[p] * rates[i];
    }
  }
}

TEST(Heuristics, RunTheMostAccurateVariantAndListWhatTheyBreak) {
  Scene scene;
  scene.cpu().task("gate", 30).variant("small", 0.8, 10, {.megabytes = 10});
  scene.variant("slow", 0.9, 60, {.megabytes = 50}).variant("big", 0.9, 50, {.megabytes = 50});
  scene.variant("same", 0.9, 50, {.megabytes = 50}).last().max_memory = Bytes(20e6);
  scene.snapshot.limits.memory = Bytes(20e6);
  for (const PolicyKind kind : {PolicyKind::fair_fps, PolicyKind::fair_time, PolicyKind::greedy}) {
    const Plan plan = decide(kind, scene.snapshot);
    SCOPED_TRACE(plan.policy);
    EXPECT_EQ(plan.status, PlanStatus::degraded);
    EXPECT_EQ(plan.tasks[0].variant, 2U);
    EXPECT_NEAR(plan.tasks[0].granted.value(), 20.0, 1e-9);
    EXPECT_EQ(plan.violated_limits, (std::vector<std::string>{"max_memory:gate", "memory"}));
    scene.snapshot.heuristics.within_limits = true;
    const Plan within = decide(kind, scene.snapshot);
    EXPECT_EQ(within.tasks[0].variant, 0U);
    EXPECT_EQ(within.status, PlanStatus::feasible);
    EXPECT_TRUE(within.violated_limits.empty());
    scene.snapshot.heuristics.within_limits = false;
  }
}

TEST(Heuristics, NeverRunAnExcludedVariant) {
  Scene scene;
  scene.cpu().task("gate", 10).variant("small", 0.8, 10).variant("big", 0.9, 50).last().excluded = {false,
                                                                                                    true};
  EXPECT_EQ(decide(PolicyKind::greedy, scene.snapshot).tasks[0].variant, 0U);
}

TEST(Greedy, TurnsATaskOffForWhichNothingIsLeft) {
  Scene scene;
  scene.cpu().task("first", 30).variant("v", 0.9, 50);
  scene.task("second", 30).variant("v", 0.9, 50);
  const Plan plan = decide(PolicyKind::greedy, scene.snapshot);
  EXPECT_EQ(plan.tasks[0].granted.value(), 20.0);
  EXPECT_FALSE(plan.tasks[1].variant.has_value());
  EXPECT_EQ(plan.reasons.back().task, "second");
}

TEST(Heuristics, AreOptimalWithoutAValueWhenNothingIsDemanded) {
  Scene scene;
  scene.cpu().task("gate", 0).variant("v", 0.9, 50);
  for (const PolicyKind kind : {PolicyKind::fair_fps, PolicyKind::fair_time, PolicyKind::greedy}) {
    const Plan plan = decide(kind, scene.snapshot);
    EXPECT_EQ(plan.status, PlanStatus::optimal);
    EXPECT_FALSE(plan.objective_value.has_value());
  }
}

TEST(Heuristics, RefuseAnInvalidSnapshot) {
  Scene scene;
  scene.cpu().task("gate", 10);
  EXPECT_EQ(decide(PolicyKind::fair_fps, scene.snapshot).status, PlanStatus::infeasible);
}

TEST(PolicyNames, AreReadBackAsTheyAreWritten) {
  const ilp::GlpkSolver glpk;
  for (const PolicyKind kind : kPolicyKinds) {
    EXPECT_EQ(policy_from(to_string(kind)), kind);
    EXPECT_STREQ(make_policy(kind, glpk)->name(), to_string(kind));
  }
  EXPECT_FALSE(policy_from("round_robin").has_value());
}

}  // namespace
}  // namespace saccade::scheduler::heuristics_test
