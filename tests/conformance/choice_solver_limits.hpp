// What a ChoiceSolver does when it may not go on: stops, work limits, gaps, selections to start from.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "bench/solver/choice_instances.hpp"
#include "tests/conformance/choice_solver_fixture.hpp"

namespace saccade::test {

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
    const ChoiceProblem problem =
        bench::random_choice_problem(bench::ChoiceFamily::standard, {.tasks = 5, .variants = 5}, seed);
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
    const ChoiceProblem problem =
        bench::random_choice_problem(bench::ChoiceFamily::standard, {.tasks = 5, .variants = 6}, seed);
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
  const ChoiceProblem problem =
      bench::random_choice_problem(bench::ChoiceFamily::identical, {.tasks = 5, .variants = 5}, 3);
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
    const ChoiceProblem problem =
        bench::random_choice_problem(bench::ChoiceFamily::standard, {.tasks = 5, .variants = 5}, seed);
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

}  // namespace saccade::test
