// The instance families are what their names say.
#include "bench/solver/families.hpp"

#include <gtest/gtest.h>

#include "ilp/choice_problem.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "ilp/glpk_solver.hpp"
#include "ilp/screening.hpp"

namespace saccade::bench {
namespace {

TEST(Families, AreValidAndDependOnTheSeedAlone) {
  for (const auto& [family, name] : kFamilies) {
    EXPECT_EQ(family_from(name), family);
    for (const std::size_t rows : {1U, 3U, 5U}) {
      const ilp::ChoiceProblem problem = make_instance(family, 4, 12, rows, 0.5, 7);
      EXPECT_EQ(ilp::validate(problem), "") << name;
      EXPECT_EQ(problem.groups.size(), 4U);
      const ilp::ChoiceProblem again = make_instance(family, 4, 12, rows, 0.5, 7);
      EXPECT_EQ(problem.capacities, again.capacities) << name;
      EXPECT_NE(problem.capacities, make_instance(family, 4, 12, rows, 0.5, 8).capacities) << name;
    }
  }
  EXPECT_FALSE(family_from("nonsense").has_value());
}

TEST(Families, InfeasibleOnesAreAndForTheReasonTheyName) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ilp::Screening by_row = ilp::screen(make_instance(Family::infeasible_row, 5, 8, 3, 0.5, seed));
    EXPECT_EQ(by_row.culprits, std::vector<std::size_t>{0});
    for (const Family family : {Family::infeasible_relaxation, Family::infeasible_integer}) {
      const ilp::ChoiceProblem problem = make_instance(family, 5, 8, 2, 0.5, seed);
      EXPECT_TRUE(ilp::screen(problem).culprits.empty()) << to_string(family) << " seed " << seed;
      EXPECT_EQ(ilp::ExhaustiveSolver().solve(problem, {}).verdict, ilp::Verdict::infeasible)
          << to_string(family) << " seed " << seed;
    }
  }
}

TEST(Families, TheElasticDemandNeedsHalfMoreTimeThanThereIs) {
  const Instance instance = make_tables(Family::elastic, {.groups = 5, .options = 12}, 3);
  double quickest = 0.0;
  for (const TaskTable& task : instance.tasks) {
    double least = 1e9;
    for (const VariantRow& variant : task.variants) least = std::min(least, variant.time_ms);
    quickest += least / 1000.0 * task.rate;
  }
  EXPECT_NEAR(quickest, 1.5 * instance.time_budgets.front(), 1e-9);
}

}  // namespace
}  // namespace saccade::bench
