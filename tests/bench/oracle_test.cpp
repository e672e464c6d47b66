// The oracle that knows the future, against brute force and against the planner.
#include "bench/paper/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "bench/paper/bed.hpp"
#include "ilp/core_solver.hpp"
#include "runtime/simulation/dice.hpp"
#include "scheduler/transprecision.hpp"

namespace saccade::bench {
namespace {

// Every way through the steps.
std::size_t brute_force(const std::vector<std::vector<Choice>>& steps, std::size_t step, const Choice* last) {
  if (step == steps.size()) return 0;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const Choice& choice : steps[step]) {
    const std::size_t now = last == nullptr ? 0 : switches_between(*last, choice);
    least = std::min(least, now + brute_force(steps, step + 1, &choice));
  }
  return least;
}

TEST(Oracle, FewestSwitchesAreThoseOfBruteForce) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    runtime::Dice dice(seed);
    std::vector<std::vector<Choice>> steps(1 + dice.below(5));
    for (auto& choices : steps) {
      choices.resize(1 + dice.below(4));
      for (Choice& choice : choices) {
        for (int task = 0; task < 3; ++task) choice.push_back(dice.below(3));
      }
    }
    EXPECT_EQ(fewest_switches(steps), brute_force(steps, 0, nullptr)) << "seed " << seed;
  }
  EXPECT_EQ(fewest_switches({}), 0U);
}

TEST(Oracle, ThePlanIsAmongTheBestChoices) {
  const Result<Bed> bed =
      open_bed(std::filesystem::path(SACCADE_SOURCE_DIR) / "bench/paper/experiments.json");
  ASSERT_TRUE(bed.ok());
  RandomRanges ranges = bed.value().scenario.random;
  ranges.steps = 40;
  const ilp::CoreSolver solver;
  const scheduler::Transprecision policy(solver);
  int fit = 0;
  for (const runtime::TimelineState& state : draw_steps(bed.value(), ranges, 11)) {
    scheduler::Snapshot snapshot = state.snapshot;
    snapshot.degrade = scheduler::Degrade::refuse;
    const scheduler::Plan plan = policy.decide(snapshot, {});
    if (plan.status != scheduler::PlanStatus::optimal) continue;
    ++fit;
    Choice choice;
    for (const scheduler::Assignment& task : plan.tasks) choice.push_back(*task.variant);
    const std::vector<Choice> best = best_choices(snapshot, *plan.objective_value);
    EXPECT_NE(std::find(best.begin(), best.end(), choice), best.end());
    EXPECT_TRUE(best_choices(snapshot, *plan.objective_value + 1e-6).empty()) << "something is better";
  }
  EXPECT_GT(fit, 20);
}

}  // namespace
}  // namespace saccade::bench
