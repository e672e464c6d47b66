// What a ChoiceSolver answers: the best picks, ties, verdicts, prices; the same on every thread.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "bench/solver/choice_instances.hpp"
#include "tests/conformance/choice_solver_fixture.hpp"

namespace saccade::test {

TEST_P(ChoiceSolverSuite, ThePicksHaveTheLargestValueThatTheRowsAllow) {
  expect_optimal(two_groups(), {0, 2});  // 1 + 9 with 2 + 8
}

TEST_P(ChoiceSolverSuite, EveryRowIsObeyed) {
  ChoiceProblem problem = two_groups();
  problem.capacities.push_back(3.0);
  for (Group& group : problem.groups) {
    for (std::size_t i = 0; i < 3; ++i) group.options[i].use.push_back(static_cast<double>(i));
  }
  problem.groups[1].options[2].use[1] = 3.5;  // the favourite no longer fits the second row
  expect_optimal(problem, {1, 1});
}

TEST_P(ChoiceSolverSuite, MinimisingIsMaximisingTheNegative) {
  ChoiceProblem problem = two_groups();
  for (Group& group : problem.groups) {
    for (Option& option : group.options) option.levels[0] = -option.levels[0];
  }
  expect_optimal(problem, {0, 0});
}

TEST_P(ChoiceSolverSuite, WithoutGroupsTheEmptySelectionIsOptimalWithValueZero) {
  expect_optimal(problem_of({1.0}, {}), {});
  expect_optimal(problem_of({0.0}, {}), {});
  expect_optimal(problem_of({}, {}), {});
  EXPECT_EQ(solve(problem_of({1.0}, {})).evaluation.levels, std::vector<double>{0.0});
}

TEST_P(ChoiceSolverSuite, WithoutRowsEveryGroupGetsItsBest) {
  expect_optimal(problem_of({}, {group_of({{1.0, {}}, {2.0, {}}}), group_of({{7.0, {}}, {5.0, {}}})}),
                 {1, 0});
}

TEST_P(ChoiceSolverSuite, AnEmptyGroupMakesTheProblemInfeasible) {
  expect_infeasible(problem_of({10.0}, {group_of({{1.0, {2.0}}}), Group{}}), {});
}

TEST_P(ChoiceSolverSuite, RowsThatCannotHoldEvenAloneAreTheCulprits) {
  expect_infeasible(problem_of({5.0, 1.0, 2.0}, {group_of({{1.0, {2.0, 1.0, 2.0}}, {2.0, {1.0, 2.0, 0.0}}}),
                                                 group_of({{1.0, {1.0, 0.5, 3.0}}})}),
                    {1, 2});
}

TEST_P(ChoiceSolverSuite, RowsThatConflictOnlyTogetherHaveNoCulprit) {
  expect_infeasible(problem_of({1.0, 1.0}, {group_of({{1.0, {1.0, 0.0}}, {1.0, {0.0, 1.0}}}),
                                            group_of({{1.0, {1.0, 0.0}}, {1.0, {0.0, 1.0}}}),
                                            group_of({{1.0, {1.0, 0.0}}, {1.0, {0.0, 1.0}}})}),
                    {});
}

TEST_P(ChoiceSolverSuite, EqualValuesGoToTheLaterLevels) {
  ChoiceProblem problem = two_groups();
  problem.level_count = 3;
  problem.capacities = {100.0};
  for (Group& group : problem.groups) {
    for (std::size_t i = 0; i < 3; ++i) {
      group.options[i].levels = {i == 0 ? 1.0 : 2.0, i == 0 ? 9.0 : 0.0, i == 2 ? 1.0 : 0.5};
    }
  }
  expect_optimal(problem, {2, 2});
}

TEST_P(ChoiceSolverSuite, WhenAllLevelsAreEqualTheSmallestIndexVectorWins) {
  expect_optimal(
      problem_of({1.0}, std::vector<Group>(4, group_of({{1.0, {0.1}}, {1.0, {0.1}}, {1.0, {0.1}}}))),
      {0, 0, 0, 0});
  // One of the two has to take the small option; the smallest vector has the first one do it.
  expect_optimal(problem_of({3.0}, std::vector<Group>(2, group_of({{1.0, {1.0}}, {2.0, {2.0}}}))), {0, 1});
}

TEST_P(ChoiceSolverSuite, PeaksCountTheirLargestAmountOnly) {
  ChoiceProblem problem;
  problem.peak_count = 2;
  problem.peak_capacity = 8.0;
  problem.groups = {Group{{{{1.0}, {}, {1.0, 0.0}}, {{5.0}, {}, {5.0, 0.0}}, {{9.0}, {}, {0.0, 8.0}}}},
                    Group{{{{1.0}, {}, {2.0, 0.0}}, {{4.0}, {}, {5.0, 0.0}}, {{6.0}, {}, {0.0, 4.0}}}}};
  expect_optimal(problem, {2, 2});  // 9 + 6 with max(8, 4) on the second peak
  problem.peak_capacity = 7.5;
  expect_optimal(problem, {1, 1});  // 5 + 4 with max(5, 5) on the first
  EXPECT_DOUBLE_EQ(solve(problem).evaluation.peak, 5.0);
  problem.peak_capacity = 1.9;
  const ChoiceResult result = solve(problem);
  EXPECT_EQ(result.verdict, Verdict::infeasible);
  EXPECT_TRUE(result.peak_is_culprit);
}

TEST_P(ChoiceSolverSuite, APeakCapacityWithoutPeaksHoldsUnlessNegative) {
  ChoiceProblem problem = two_groups();
  problem.peak_capacity = 0.0;
  expect_optimal(problem, {0, 2});
  problem.peak_capacity = -1.0;
  expect_infeasible(problem, {});
}

TEST_P(ChoiceSolverSuite, TheSameProblemGivesTheSameResult) {
  for (const auto& [family, name] : bench::kChoiceFamilies) {
    const ChoiceProblem problem = bench::random_choice_problem(family, {.tasks = 4, .variants = 4}, 7);
    const ChoiceResult first = solve(problem);
    const ChoiceResult second = solve(problem);
    EXPECT_EQ(first.verdict, second.verdict) << name;
    EXPECT_EQ(first.picks, second.picks) << name;
    EXPECT_EQ(first.bound, second.bound) << name;
    EXPECT_EQ(first.prices, second.prices) << name;
    EXPECT_EQ(first.stats.nodes, second.stats.nodes) << name;
  }
}

TEST_P(ChoiceSolverSuite, PricesAreNotNegativeAndThereIsOnePerRow) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ChoiceProblem problem =
        bench::random_choice_problem(bench::ChoiceFamily::standard, {.tasks = 4, .variants = 4}, seed);
    const ChoiceResult result = solve(problem);
    if (result.prices.empty()) continue;  // not computed
    EXPECT_EQ(result.prices.size(), problem.capacities.size());
    for (const double price : result.prices) EXPECT_GE(price, 0.0);
  }
}

TEST_P(ChoiceSolverSuite, AThousandSolvesOnFourThreadsAtOnceAgree) {
  constexpr std::size_t kThreads = 4, kSolves = 250, kProblems = 10;
  std::vector<ChoiceProblem> problems;
  std::vector<Picks> expected;
  for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
    problems.push_back(
        bench::random_choice_problem(bench::ChoiceFamily::standard, {.tasks = 4, .variants = 5}, seed));
    expected.push_back(solve(problems.back()).picks);
  }
  std::vector<std::size_t> agreed(kThreads, 0);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t i = 0; i < kSolves; ++i) {
        const std::size_t which = (i + thread) % kProblems;
        agreed[thread] += solve(problems[which]).picks == expected[which] ? 1U : 0U;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(agreed, std::vector<std::size_t>(kThreads, kSolves));
}

}  // namespace saccade::test
