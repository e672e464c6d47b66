// GLPK with its settling against the oracle that looks at every selection: same verdict, same level
// values, same picks, on the families of instances shrunk to what can be enumerated.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "bench/solver/choice_instances.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "ilp/glpk_solver.hpp"

namespace saccade::ilp {
namespace {

using bench::ChoiceFamily;
using bench::ChoiceShape;

struct OracleTest : ::testing::TestWithParam<std::pair<ChoiceFamily, const char*>> {};

// 400 instances for each of the eight families.
TEST_P(OracleTest, GlpkAndTheOracleAgreeOnVerdictValuesAndPicks) {
  const GlpkSolver glpk;
  const ExhaustiveSolver exhaustive;
  int optimal = 0, infeasible = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const ChoiceShape shape{.tasks = 1 + seed % 5,
                            .variants = GetParam().first == ChoiceFamily::elastic ? 2 : 2 + seed % 5,
                            .rows = 1 + seed / 5 % 3,
                            .tightness = seed % 4 == 0   ? 0.15
                                         : seed % 4 == 1 ? 0.85
                                                         : 0.5};
    const ChoiceProblem problem = bench::random_choice_problem(GetParam().first, shape, seed);
    ASSERT_EQ(validate(problem), "");
    const ChoiceResult expected = exhaustive.solve(problem, {});
    const ChoiceResult actual = glpk.solve(problem, {});
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + actual.message);
    ASSERT_STREQ(to_string(actual.verdict), to_string(expected.verdict));
    ASSERT_EQ(actual.picks, expected.picks);
    ASSERT_EQ(actual.evaluation.levels, expected.evaluation.levels);
    ASSERT_EQ(actual.culprits, expected.culprits);
    ASSERT_EQ(actual.limit, Limit::none);
    if (expected.verdict == Verdict::optimal) {
      ++optimal;
      ASSERT_TRUE(actual.evaluation.feasible);
      ASSERT_TRUE(equal_value(*actual.bound, *expected.bound));
    } else {
      ++infeasible;
    }
  }
  EXPECT_GT(optimal, 20);
  if (GetParam().first == ChoiceFamily::infeasible) {
    EXPECT_GT(infeasible, 20);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, OracleTest, ::testing::ValuesIn(bench::kChoiceFamilies),
                         [](const auto& family) {
                           std::string name = family.param.second;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace saccade::ilp
