// What is GLPK's own: its traps, its limits, its duals.
#include "ilp/glpk_solver.hpp"
#include "bench/solver/random.hpp"

#include <gtest/gtest.h>

#include "bench/solver/choice_instances.hpp"
#include "ilp/exhaustive_solver.hpp"

namespace saccade::ilp {
namespace {

using bench::ChoiceFamily;
using bench::random_choice_problem;

TEST(GlpkSolver, WhenGlpkAbortsTheProcessLivesAndTheNextSolveWorks) {
  const ChoiceProblem large = random_choice_problem(ChoiceFamily::standard, {.tasks = 60, .variants = 60}, 1);
  const ChoiceResult result = GlpkSolver({.memory_limit_megabytes = 1}).solve(large, {});
  EXPECT_EQ(result.limit, Limit::numerical);
  EXPECT_NE(result.verdict, Verdict::optimal);
  EXPECT_NE(result.verdict, Verdict::infeasible);
  EXPECT_NE(result.message.find("memory"), std::string::npos) << result.message;

  const ChoiceProblem small = random_choice_problem(ChoiceFamily::standard, {.tasks = 4, .variants = 5}, 1);
  const ChoiceResult next = GlpkSolver().solve(small, {});
  EXPECT_EQ(next.verdict, Verdict::optimal);
  EXPECT_EQ(next.picks, ExhaustiveSolver().solve(small, {}).picks);
}

// The best selection passes the capacity by 5e-8 relative, which GLPK's simplex takes for feasible.
TEST(GlpkSolver, AnAnswerThatBreaksARowIsNeverReturned) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    ChoiceProblem problem =
        random_choice_problem(ChoiceFamily::standard, {.tasks = 4, .variants = 5, .rows = 1}, seed);
    const ChoiceResult before = GlpkSolver().solve(problem, {});
    ASSERT_EQ(before.verdict, Verdict::optimal);
    problem.capacities[0] = before.evaluation.used[0] / (1.0 + 5e-8);
    const ChoiceResult after = GlpkSolver().solve(problem, {});
    const ChoiceResult expected = ExhaustiveSolver().solve(problem, {});
    EXPECT_EQ(after.verdict, expected.verdict);
    EXPECT_EQ(after.picks, expected.picks);
    EXPECT_NE(after.picks, before.picks);
  }
}

// Values that differ by less than GLPK resolves but by more than counts as equal.
TEST(GlpkSolver, DifferencesBelowGlpksToleranceDecide) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    bench::Random random(seed);
    ChoiceProblem problem = random_choice_problem(ChoiceFamily::standard, {.tasks = 4, .variants = 5}, seed);
    for (Group& group : problem.groups) {
      for (Option& option : group.options) option.levels[0] = 100.0 * (1.0 + 1e-8 * random.uniform());
    }
    const ChoiceResult actual = GlpkSolver().solve(problem, {});
    EXPECT_EQ(actual.verdict, Verdict::optimal);
    EXPECT_EQ(actual.picks, ExhaustiveSolver().solve(problem, {}).picks);
  }
}

// Values a million times as large as their sum, and uses of which only a millionth is at stake.
TEST(GlpkSolver, ValuesAndUsesThatCancelAreStillComparedExactly) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    ChoiceProblem problem = random_choice_problem(ChoiceFamily::standard, {.tasks = 4, .variants = 5}, seed);
    problem.level_count = 1;
    for (std::size_t group = 0; group < problem.groups.size(); ++group) {
      for (Option& option : problem.groups[group].options) {
        option.levels = {option.levels[0] * 1e-3 + (group % 2 == 0 ? 1e6 : -1e6)};
        if (group == 0) option.use[0] += 1e6 * problem.capacities[0];
      }
    }
    problem.capacities[0] *= 1.0 + 1e6;
    const ChoiceResult actual = GlpkSolver().solve(problem, {});
    const ChoiceResult expected = ExhaustiveSolver().solve(problem, {});
    EXPECT_EQ(actual.verdict, expected.verdict);
    EXPECT_EQ(actual.picks, expected.picks) << "seed " << seed;
  }
}

// Two groups on a processor each, all of both is 0.5 too much: each unit less costs 2 of value.
TEST(GlpkSolver, ThePriceOfAPeakIsItsDualInTheRelaxation) {
  ChoiceProblem problem;
  problem.peak_count = 2;
  problem.peak_capacity = 3.5;
  problem.groups = {Group{{{{1.0}, {}, {1.0, 0.0}}, {{3.0}, {}, {2.0, 0.0}}}},
                    Group{{{{1.0}, {}, {0.0, 1.0}}, {{3.0}, {}, {0.0, 2.0}}}}};
  const ChoiceResult tight = GlpkSolver().solve(problem, {});
  EXPECT_EQ(tight.evaluation.levels.front(), 4.0);
  EXPECT_NEAR(tight.peak_price, 2.0, 1e-9);
  problem.peak_capacity = 4.5;
  EXPECT_EQ(GlpkSolver().solve(problem, {}).peak_price, 0.0);
}

// One group, two options: the LP mixes them, and the price is the slope between them.
TEST(GlpkSolver, ThePriceOfARowIsTheSlopeOfTheRelaxation) {
  ChoiceProblem problem;
  problem.capacities = {300e6, 7.0};
  problem.groups = {Group{{Option{{0.5}, {200e6, 1.0}, {}}, Option{{0.9}, {400e6, 1.0}, {}}}}};
  const ChoiceResult result = GlpkSolver().solve(problem, {});
  EXPECT_EQ(result.picks, Picks{0});
  ASSERT_EQ(result.prices.size(), 2U);
  EXPECT_NEAR(result.prices[0], 0.4 / 200e6, 1e-15);
  EXPECT_EQ(result.prices[1], 0.0);
}

TEST(GlpkSolver, AWorkLimitInTheMidstLeavesPicksWithABoundAndAGap) {
  int feasible = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ChoiceProblem problem =
        random_choice_problem(ChoiceFamily::correlated, {.tasks = 12, .variants = 20}, seed);
    const ChoiceResult result = GlpkSolver().solve(problem, {.stop = {}, .max_nodes = 40});
    EXPECT_LE(result.stats.nodes, 40);
    if (result.verdict != Verdict::feasible) continue;
    ++feasible;
    EXPECT_EQ(result.limit, Limit::work);
    EXPECT_TRUE(result.evaluation.feasible);
    ASSERT_TRUE(result.gap().has_value());
    EXPECT_LT(*result.gap(), 0.1);
  }
  EXPECT_GT(feasible, 0);
}

}  // namespace
}  // namespace saccade::ilp
