// What every ChoiceSolver owes its callers. To hold a solver to it, include this header in one test
// file of its room and write
//   INSTANTIATE_TEST_SUITE_P(Glpk, ChoiceSolverSuite, ::testing::Values(&make_glpk));
// where make_glpk() returns a std::unique_ptr<ChoiceSolver>.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "ilp/choice_solver.hpp"
#include "tests/support/choice_instances.hpp"

namespace saccade::test {

using ilp::ChoiceProblem;
using ilp::ChoiceResult;
using ilp::Group;
using ilp::Limit;
using ilp::Option;
using ilp::Picks;
using ilp::SolveLimits;
using ilp::Verdict;

// Groups of options with one level and amounts, in a few words: {{value, {uses}}, ...}.
struct ValueAndUse {
  double value;
  std::vector<double> use;
};
inline Group group_of(const std::vector<ValueAndUse>& options) {
  Group group;
  for (const ValueAndUse& option : options) group.options.push_back({{option.value}, option.use, {}});
  return group;
}
inline ChoiceProblem problem_of(std::vector<double> capacities, std::vector<Group> groups) {
  ChoiceProblem problem;
  problem.capacities = std::move(capacities);
  problem.groups = std::move(groups);
  return problem;
}

class ChoiceSolverSuite : public ::testing::TestWithParam<std::unique_ptr<ilp::ChoiceSolver> (*)()> {
 protected:
  [[nodiscard]] ChoiceResult solve(const ChoiceProblem& problem, const SolveLimits& limits = {}) const {
    return solver_->solve(problem, limits);
  }
  void expect_optimal(const ChoiceProblem& problem, const Picks& picks) const {
    const ChoiceResult result = solve(problem);
    EXPECT_EQ(result.verdict, Verdict::optimal) << result.message;
    EXPECT_EQ(result.limit, Limit::none);
    EXPECT_EQ(result.picks, picks);
    if (result.verdict != Verdict::optimal) return;
    EXPECT_EQ(result.evaluation.levels, evaluate(problem, picks).levels);
    EXPECT_EQ(result.evaluation.used, evaluate(problem, picks).used);
    EXPECT_LE(result.gap().value(), 1e-9);
  }
  void expect_infeasible(const ChoiceProblem& problem, const std::vector<std::size_t>& culprits) const {
    const ChoiceResult result = solve(problem);
    EXPECT_EQ(result.verdict, Verdict::infeasible) << result.message;
    EXPECT_EQ(result.culprits, culprits);
    EXPECT_TRUE(result.picks.empty());
    EXPECT_FALSE(result.gap().has_value());
  }
  void expect_refused(const ChoiceProblem& problem) const {
    const ChoiceResult result = solve(problem);
    EXPECT_EQ(result.verdict, Verdict::unknown);
    EXPECT_NE(result.message, "");
    EXPECT_TRUE(result.picks.empty());
  }

  std::unique_ptr<ilp::ChoiceSolver> solver_ = GetParam()();
};

// Two tasks, three variants each; a row of 10 allows the middle variant of both or the extremes.
inline ChoiceProblem two_groups() {
  return problem_of({10.0}, {group_of({{1.0, {2.0}}, {3.0, {5.0}}, {4.0, {8.0}}}),
                             group_of({{2.0, {1.0}}, {4.0, {4.0}}, {9.0, {8.0}}})});
}

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

TEST_P(ChoiceSolverSuite, AValueWithinTheToleranceOfTheBestCountsAsEqual) {
  ChoiceProblem problem = problem_of({1.0}, {group_of({{1.0, {0.0}}, {1.0 + 0.5e-9, {0.0}}})});
  expect_optimal(problem, {0});
  problem.groups[0].options[1].levels[0] = 1.0 + 2e-9;
  expect_optimal(problem, {1});
}

TEST_P(ChoiceSolverSuite, EqualityIsMeasuredFromTheBestValueAndNotFromNeighbourToNeighbour) {
  ChoiceProblem problem =
      problem_of({1.0}, {group_of({{1.0 - 1.6e-9, {0.0}}, {1.0 - 0.8e-9, {0.0}}, {1.0, {0.0}}})});
  problem.level_count = 2;
  for (std::size_t i = 0; i < 3; ++i) problem.groups[0].options[i].levels.push_back(-static_cast<double>(i));
  expect_optimal(problem, {1});  // option 0 equals option 1 but not the best
}

TEST_P(ChoiceSolverSuite, WhenAllLevelsAreEqualTheSmallestIndexVectorWins) {
  expect_optimal(
      problem_of({1.0}, std::vector<Group>(4, group_of({{1.0, {0.1}}, {1.0, {0.1}}, {1.0, {0.1}}}))),
      {0, 0, 0, 0});
  // One of the two has to take the small option; the smallest vector has the first one do it.
  expect_optimal(problem_of({3.0}, std::vector<Group>(2, group_of({{1.0, {1.0}}, {2.0, {2.0}}}))), {0, 1});
}

TEST_P(ChoiceSolverSuite, ARowHoldsUpToItsToleranceAndNoFurther) {
  for (const double capacity : {1e-12, 1e-6, 1.0, 300e6, 1e12}) {
    const double third = capacity / 3.0;
    const auto with = [&](double excess) {
      return problem_of({capacity}, {group_of({{1.0, {third}}, {2.0, {third * (1.0 + 3.0 * excess)}}}),
                                     group_of({{1.0, {2.0 * third}}})});
    };
    SCOPED_TRACE(capacity);
    expect_optimal(with(0.0), {1, 0});
    expect_optimal(with(0.5e-9), {1, 0});
    expect_optimal(with(2e-9), {0, 0});
    expect_optimal(with(5e-8), {0, 0});  // below what an LP code resolves
    expect_optimal(with(1e-6), {0, 0});
  }
}

TEST_P(ChoiceSolverSuite, TinyAndHugeCapacitiesBehaveAlike) {
  for (const double scale : {1e-12, 1e-3, 1e12}) {
    ChoiceProblem problem = two_groups();
    problem.capacities[0] *= scale;
    for (Group& group : problem.groups) {
      for (Option& option : group.options) option.use[0] *= scale;
    }
    SCOPED_TRACE(scale);
    expect_optimal(problem, {0, 2});
    const ChoiceResult result = solve(problem);
    if (!result.prices.empty()) {
      const double price = solve(two_groups()).prices[0];
      EXPECT_GT(price, 0.0);
      EXPECT_NEAR(result.prices[0] * scale, price, 1e-6 * price);
    }
  }
  expect_optimal(
      problem_of({1e-12, 1e12}, {group_of({{1.0, {1e-12, 0.0}}, {2.0, {1.0, 1.0}}, {3.0, {0.0, 1e13}}}),
                                 group_of({{1.0, {0.0, 1e12}}})}),
      {0, 0});
}

TEST_P(ChoiceSolverSuite, ValuesOfAnyMagnitudeAreCompared) {
  for (const double scale : {1e-12, 1.0, 1e12}) {
    ChoiceProblem problem = two_groups();
    for (Group& group : problem.groups) {
      for (Option& option : group.options) option.levels[0] *= scale;
    }
    SCOPED_TRACE(scale);
    expect_optimal(problem, {0, 2});
  }
}

TEST_P(ChoiceSolverSuite, ACapacityOfZeroAllowsExactlyNothing) {
  expect_optimal(problem_of({0.0}, {group_of({{5.0, {1e-15}}, {1.0, {0.0}}})}), {1});
  expect_infeasible(problem_of({0.0}, {group_of({{5.0, {1e-15}}})}), {0});
}

TEST_P(ChoiceSolverSuite, NothingFitsANegativeCapacity) {
  expect_infeasible(problem_of({1.0, -1e-12}, {group_of({{5.0, {0.0, 0.0}}})}), {1});
  expect_infeasible(problem_of({-1.0}, {}), {0});
}

TEST_P(ChoiceSolverSuite, ACapacityAHairFromAVertexIsNoTrap) {
  // Both middle options together use 9, and 1.7e-7 more or less decides whether they fit.
  for (const double hair : {1.7e-7, -1.7e-7}) {
    const ChoiceProblem problem =
        problem_of({9.0 + hair}, {group_of({{1.0, {2.0}}, {6.2, {5.0}}, {6.5, {8.0}}}),
                                  group_of({{2.0, {1.0}}, {7.0, {4.0}}, {7.5, {8.0}}})});
    expect_optimal(problem, hair > 0.0 ? Picks{1, 1} : Picks{1, 0});
  }
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ChoiceProblem problem = random_problem(Family::correlated, {.tasks = 4, .variants = 5, .rows = 3}, seed);
    const Picks vertex = solve(problem).picks;
    problem.capacities = evaluate(problem, vertex).used;
    for (double& capacity : problem.capacities) capacity -= 1.7e-7;
    const ChoiceResult result = solve(problem);
    EXPECT_NE(result.verdict, Verdict::unknown);
    EXPECT_NE(result.picks, vertex);
    if (result.verdict == Verdict::optimal) {
      EXPECT_TRUE(evaluate(problem, result.picks).feasible);
    }
  }
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

TEST_P(ChoiceSolverSuite, NumbersThatAreNotFiniteAreRefused) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(), 1e101}) {
    ChoiceProblem problem = two_groups();
    problem.groups[1].options[2].levels[0] = bad;
    expect_refused(problem);
    problem = two_groups();
    problem.groups[0].options[0].use[0] = bad;
    expect_refused(problem);
    problem = two_groups();
    problem.capacities[0] = bad;
    expect_refused(problem);
    problem = two_groups();
    problem.peak_capacity = bad;
    expect_refused(problem);
  }
}

TEST_P(ChoiceSolverSuite, MalformedProblemsAreRefused) {
  ChoiceProblem problem = two_groups();
  problem.groups[0].options[1].use.push_back(1.0);
  expect_refused(problem);
  problem = two_groups();
  problem.groups[0].options[1].use[0] = -1.0;
  expect_refused(problem);
  problem = two_groups();
  problem.level_count = 2;
  expect_refused(problem);
  problem = two_groups();
  problem.level_count = 0;
  expect_refused(problem);
  problem = two_groups();
  problem.peak_count = 1;
  expect_refused(problem);
}

TEST_P(ChoiceSolverSuite, TheSameProblemGivesTheSameResult) {
  for (const auto& [family, name] : kFamilies) {
    const ChoiceProblem problem = random_problem(family, {.tasks = 4, .variants = 4}, 7);
    const ChoiceResult first = solve(problem);
    const ChoiceResult second = solve(problem);
    EXPECT_EQ(first.verdict, second.verdict) << name;
    EXPECT_EQ(first.picks, second.picks) << name;
    EXPECT_EQ(first.bound, second.bound) << name;
    EXPECT_EQ(first.prices, second.prices) << name;
    EXPECT_EQ(first.stats.nodes, second.stats.nodes) << name;
  }
}

TEST_P(ChoiceSolverSuite, AStopAtOnceEndsWithNothingProven) {
  const ChoiceResult result = solve(two_groups(), {.stop = [] { return true; }});
  EXPECT_EQ(result.limit, Limit::stop);
  if (result.verdict == Verdict::feasible) {  // what a quick heuristic finds may come back
    EXPECT_TRUE(evaluate(two_groups(), result.picks).feasible);
    return;
  }
  EXPECT_EQ(result.verdict, Verdict::unknown);
  EXPECT_TRUE(result.picks.empty());
}

TEST_P(ChoiceSolverSuite, AFeasibleStartIsNeverLost) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ChoiceProblem problem = random_problem(Family::standard, {.tasks = 5, .variants = 5}, seed);
    const ChoiceResult best = solve(problem);
    ASSERT_EQ(best.verdict, Verdict::optimal);
    for (const bool stopped : {true, false}) {
      SolveLimits limits{.stop = [stopped] { return stopped; }, .max_nodes = stopped ? 1'000'000 : 0};
      limits.start = best.picks;
      const ChoiceResult result = solve(problem, limits);
      ASSERT_FALSE(result.picks.empty());
      EXPECT_TRUE(result.evaluation.feasible);
      EXPECT_TRUE(ilp::equal_value(result.evaluation.levels[0], best.evaluation.levels[0]));
      EXPECT_GE(*result.bound, best.evaluation.levels[0] * (1.0 - 1e-9));
    }
    SolveLimits limits;
    limits.start = best.picks;
    EXPECT_EQ(solve(problem, limits).picks, best.picks);
  }
}

TEST_P(ChoiceSolverSuite, AStartThatIsNoSelectionOrDoesNotHoldIsIgnored) {
  for (const Picks& start : {Picks{}, Picks{0}, Picks{0, 3}, Picks{2, 2}, Picks{0, 0, 0}}) {
    SolveLimits limits;
    limits.start = start;
    const ChoiceResult result = solve(two_groups(), limits);
    EXPECT_EQ(result.verdict, Verdict::optimal);
    EXPECT_EQ(result.picks, (Picks{0, 2}));
  }
}

TEST_P(ChoiceSolverSuite, WithAGapTheSearchMayEndWithinIt) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ChoiceProblem problem = random_problem(Family::standard, {.tasks = 5, .variants = 6}, seed);
    const double best = solve(problem).evaluation.levels[0];
    for (const double gap : {0.1, 1e-3, 1e-6}) {
      SolveLimits limits;
      limits.gap = gap;
      const ChoiceResult result = solve(problem, limits);
      EXPECT_EQ(result.limit, Limit::none);
      ASSERT_TRUE(result.gap().has_value());
      EXPECT_LE(*result.gap(), gap);
      EXPECT_GE(*result.bound, best * (1.0 - 1e-9));
      EXPECT_GE(result.evaluation.levels[0], best * (1.0 - gap - 1e-9));
      EXPECT_EQ(result.verdict == Verdict::optimal, *result.gap() <= 1e-9);
    }
  }
}

TEST_P(ChoiceSolverSuite, AStopAtAnyPollLeavesAnHonestResult) {
  const ChoiceProblem problem = random_problem(Family::identical, {.tasks = 5, .variants = 5}, 3);
  const ChoiceResult complete = solve(problem);
  ASSERT_EQ(complete.verdict, Verdict::optimal);
  const double best = complete.evaluation.levels[0];
  int polls = 1;
  for (bool stopped = true; stopped; ++polls) {
    ASSERT_LT(polls, 100'000);
    int left = polls;
    const ChoiceResult result = solve(problem, {.stop = [&left] { return --left <= 0; }});
    stopped = left <= 0;
    if (result.limit == Limit::none) {
      EXPECT_EQ(result.picks, complete.picks);
      continue;
    }
    EXPECT_EQ(result.limit, Limit::stop);
    EXPECT_NE(result.verdict, Verdict::infeasible);
    if (result.bound) {
      EXPECT_GE(*result.bound, best - 1e-9 * std::abs(best));
    }
    if (result.verdict == Verdict::unknown) continue;
    EXPECT_TRUE(evaluate(problem, result.picks).feasible);
    if (result.verdict == Verdict::optimal) {
      EXPECT_TRUE(ilp::equal_value(result.evaluation.levels[0], best));
    }
  }
  EXPECT_GT(polls, 2);
}

// Unless it is seen without any search, then that is what is said.
TEST_P(ChoiceSolverSuite, WithoutWorkNothingIsSearched) {
  const ChoiceResult result = solve(two_groups(), {.stop = {}, .max_nodes = 0});
  EXPECT_EQ(result.stats.nodes, 0);
  if (result.verdict == Verdict::optimal) {
    EXPECT_EQ(result.picks, (Picks{0, 2}));
    return;
  }
  EXPECT_EQ(result.limit, Limit::work);
  EXPECT_NE(result.verdict, Verdict::infeasible);
}

TEST_P(ChoiceSolverSuite, AWorkLimitIsObeyedAndWhatWasFoundIsHonest) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ChoiceProblem problem = random_problem(Family::standard, {.tasks = 5, .variants = 5}, seed);
    const double best = solve(problem).evaluation.levels[0];
    for (const std::int64_t nodes : {1, 2, 5, 100}) {
      const ChoiceResult result = solve(problem, {.stop = {}, .max_nodes = nodes});
      EXPECT_LE(result.stats.nodes, nodes);
      if (result.bound) {
        EXPECT_GE(*result.bound, best - 1e-9 * std::abs(best));
      }
      if (result.verdict == Verdict::optimal) {
        EXPECT_TRUE(ilp::equal_value(result.evaluation.levels[0], best));
      } else {
        EXPECT_EQ(result.limit, Limit::work);
        EXPECT_NE(result.verdict, Verdict::infeasible);
      }
      if (!result.picks.empty()) {
        EXPECT_TRUE(evaluate(problem, result.picks).feasible);
      }
    }
  }
}

TEST_P(ChoiceSolverSuite, PricesAreNotNegativeAndThereIsOnePerRow) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ChoiceProblem problem = random_problem(Family::standard, {.tasks = 4, .variants = 4}, seed);
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
    problems.push_back(random_problem(Family::standard, {.tasks = 4, .variants = 5}, seed));
    expected.push_back(solve(problems.back()).picks);
  }
  std::vector<std::size_t> agreed(kThreads, 0);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t i = 0; i < kSolves; ++i) {
        const std::size_t which = (i + thread) % kProblems;
        agreed[thread] += solve(problems[which]).picks == expected[which] ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(agreed, std::vector<std::size_t>(kThreads, kSolves));
}

}  // namespace saccade::test
