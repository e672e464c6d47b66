// The core solver against the oracle on instances that can be enumerated: same verdict, same picks.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "bench/solver/choice_instances.hpp"
#include "bench/solver/families.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"

namespace saccade::ilp {
namespace {

void expect_agreement(const ChoiceProblem& problem) {
  const ChoiceResult expected = ExhaustiveSolver().solve(problem, {});
  const ChoiceResult actual = CoreSolver().solve(problem, {});
  ASSERT_STREQ(to_string(actual.verdict), to_string(expected.verdict)) << actual.message;
  ASSERT_EQ(actual.limit, Limit::none);
  ASSERT_EQ(actual.picks, expected.picks);
  ASSERT_EQ(actual.evaluation.levels, expected.evaluation.levels);
  ASSERT_EQ(actual.culprits, expected.culprits);
  if (expected.verdict == Verdict::optimal) {
    ASSERT_TRUE(equal_value(*actual.bound, *expected.bound));
  }
}

TEST(CoreOracle, AgreesOnSmallInstancesWithThreeLevels) {
  for (const auto& [family, name] : bench::kChoiceFamilies) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      const bench::ChoiceShape shape{.tasks = 1 + seed % 5,
                                     .variants = family == bench::ChoiceFamily::elastic ? 2 : 2 + seed % 5,
                                     .rows = 1 + seed / 5 % 3,
                                     .tightness = seed % 4 == 0   ? 0.15
                                                  : seed % 4 == 1 ? 0.85
                                                                  : 0.5};
      SCOPED_TRACE(std::string(name) + " seed " + std::to_string(seed));
      ASSERT_NO_FATAL_FAILURE(expect_agreement(bench::random_choice_problem(family, shape, seed)));
    }
  }
}

TEST(CoreOracle, AgreesOnTheNamedFamilies) {
  for (const auto& [family, name] : bench::kFamilies) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const double tightness = seed % 3 == 0 ? 0.15 : seed % 3 == 1 ? 0.5 : 0.85;
      const std::size_t options = family == bench::Family::elastic ? 1 : 6;
      const std::size_t groups = family == bench::Family::elastic ? 3 : 1 + seed % 5;
      SCOPED_TRACE(std::string(name) + " seed " + std::to_string(seed));
      ASSERT_NO_FATAL_FAILURE(
          expect_agreement(bench::make_instance(family, groups, options, 1 + seed % 5, tightness, seed)));
    }
  }
}

}  // namespace
}  // namespace saccade::ilp
