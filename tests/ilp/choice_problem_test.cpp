// The words of a choice problem: when a row holds, when values are equal, which selection is better.
#include "ilp/choice_problem.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ilp/choice_result.hpp"
#include "ilp/screening.hpp"

namespace saccade::ilp {
namespace {

TEST(ChoiceProblem, ARowHoldsUpToOnePartInABillion) {
  EXPECT_TRUE(holds(1.0, 1.0));
  EXPECT_TRUE(holds(1.0 + 0.9e-9, 1.0));
  EXPECT_FALSE(holds(1.0 + 1.1e-9, 1.0));
  EXPECT_TRUE(holds(0.0, 0.0));
  EXPECT_FALSE(holds(std::numeric_limits<double>::denorm_min(), 0.0));
  EXPECT_FALSE(holds(0.0, -1.0));
}

TEST(ChoiceProblem, ValuesAreEqualWithinOnePartInABillion) {
  EXPECT_TRUE(equal_value(5.0, 5.0 + 4.9e-9));
  EXPECT_FALSE(equal_value(5.0, 5.0 + 5.1e-9));
  EXPECT_TRUE(equal_value(-5.0, -5.0 - 4.9e-9));
  EXPECT_FALSE(equal_value(1.0, -1.0));
  EXPECT_TRUE(equal_value(0.0, 0.9e-18));  // the least magnitude is 1e-9
  EXPECT_FALSE(equal_value(0.0, 1.1e-18));
}

ChoiceProblem two_levels() {
  ChoiceProblem problem;
  problem.level_count = 2;
  problem.capacities = {3.0};
  problem.groups = {Group{{{{1.0, 0.0}, {1.0}, {}}, {{2.0, 1.0}, {2.0}, {}}}},
                    Group{{{{1.0, 0.0}, {1.0}, {}}, {{2.0, 0.0}, {2.0}, {}}}}};
  return problem;
}

TEST(ChoiceProblem, ASelectionAmountsToThePlainSums) {
  const Evaluation evaluation = evaluate(two_levels(), Picks{1, 0});
  EXPECT_EQ(evaluation.levels, (std::vector<double>{3.0, 1.0}));
  EXPECT_EQ(evaluation.used, std::vector<double>{3.0});
  EXPECT_TRUE(evaluation.feasible);
  EXPECT_FALSE(evaluate(two_levels(), Picks{1, 1}).feasible);
}

TEST(ChoiceProblem, BetterIsFeasibleThenTheLevelsThenTheIndexVector) {
  const ChoiceProblem problem = two_levels();
  const auto is_better = [&problem](const Picks& a, const Picks& b) {
    return better(evaluate(problem, a), a, evaluate(problem, b), b);
  };
  EXPECT_TRUE(is_better({0, 0}, {1, 1}));  // 1, 1 does not fit
  EXPECT_TRUE(is_better({0, 1}, {0, 0}));
  EXPECT_TRUE(is_better({1, 0}, {0, 1}));  // equal value, better second level
  EXPECT_FALSE(is_better({0, 1}, {1, 0}));
  EXPECT_FALSE(is_better({0, 0}, {0, 0}));

  ChoiceProblem flat = problem;
  flat.groups[0].options[1].levels[1] = 0.0;
  const Picks first{0, 1}, second{1, 0};
  EXPECT_TRUE(better(evaluate(flat, first), first, evaluate(flat, second), second));
}

TEST(ChoiceProblem, AComplaintNamesGroupAndOption) {
  ChoiceProblem problem = two_levels();
  EXPECT_EQ(validate(problem), "");
  problem.groups[1].options[0].use[0] = -1.0;
  EXPECT_EQ(validate(problem), "group 1, option 0: an amount is negative, not finite or too large");
}

TEST(ChoiceResult, TheGapIsRelativeToTheValueAndAbsentWithoutPicksOrBound) {
  ChoiceResult result;
  EXPECT_FALSE(result.gap().has_value());
  result.verdict = Verdict::feasible;
  result.evaluation.levels = {-4.0};
  EXPECT_FALSE(result.gap().has_value());
  result.bound = -3.0;
  EXPECT_DOUBLE_EQ(*result.gap(), 0.25);
  result.evaluation.levels = {0.0};
  result.bound = 1e-9;
  EXPECT_DOUBLE_EQ(*result.gap(), 1.0);
  result.verdict = Verdict::unknown;
  EXPECT_FALSE(result.gap().has_value());
}

TEST(Screening, LeavesOutWhatNoFeasibleSelectionContains) {
  ChoiceProblem problem = two_levels();
  problem.groups[0].options.push_back({{9.0, 0.0},
                                       {
                                           2.5,
                                       },
                                       {}});                     // 2.5 and the least of the other: 3.5
  problem.groups[1].options.push_back({{9.0, 0.0}, {4.0}, {}});  // does not fit alone
  const Screening screening = screen(problem);
  EXPECT_FALSE(screening.infeasible);
  EXPECT_EQ(screening.open, (OpenOptions{{0, 1}, {0, 1}}));
}

}  // namespace
}  // namespace saccade::ilp
