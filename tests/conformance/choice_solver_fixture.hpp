// The fixture of the suite that every ChoiceSolver is held to (choice_solver_suite.hpp), and problems in a
// few words.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "ilp/choice_solver.hpp"

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

}  // namespace saccade::test
