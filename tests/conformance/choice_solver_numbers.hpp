// What a ChoiceSolver makes of numbers: tolerances, magnitudes, capacities a hair from a vertex, refusals.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bench/solver/choice_instances.hpp"
#include "tests/conformance/choice_solver_fixture.hpp"

namespace saccade::test {

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
    ChoiceProblem problem = bench::random_choice_problem(bench::ChoiceFamily::correlated,
                                                         {.tasks = 4, .variants = 5, .rows = 3}, seed);
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

}  // namespace saccade::test
