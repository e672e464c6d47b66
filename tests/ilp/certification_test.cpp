// Certification is exact from any multipliers and any start; they only decide how long it takes.
#include "ilp/certification.hpp"
#include "bench/solver/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "bench/solver/choice_instances.hpp"
#include "ilp/exhaustive_solver.hpp"

namespace saccade::ilp::certification_test {
namespace {

using bench::ChoiceFamily;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

Multipliers random_multipliers(const ChoiceProblem& problem, bench::Random& random) {
  Multipliers multipliers;
  for (const double capacity : problem.capacities) {
    multipliers.rows.push_back(random.below(3) == 0 ? 0.0
                                                    : random.uniform() * 100.0 / std::max(capacity, 1e-3));
  }
  for (std::size_t i = 0; random.below(2) == 1 && i < problem.groups.size() * problem.peak_count; ++i) {
    multipliers.peaks.push_back(random.uniform() * 10.0);
  }
  if (multipliers.peaks.size() != problem.groups.size() * problem.peak_count) multipliers.peaks.clear();
  return multipliers;
}

Picks random_picks(const ChoiceProblem& problem, bench::Random& random) {
  Picks picks;
  for (const Group& group : problem.groups) picks.push_back(random.below(group.options.size()));
  return picks;
}

TEST(Certification, AgreesWithTheOracleFromAnyMultipliersAndAnyStart) {
  for (const auto& [family, name] : bench::kChoiceFamilies) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const ChoiceProblem problem = bench::random_choice_problem(
          family, {.tasks = 1 + seed % 4, .variants = family == ChoiceFamily::elastic ? 2U : 4U}, seed);
      const Screening screening = screen(problem);
      if (screening.infeasible) continue;
      bench::Random random(seed);
      const Multipliers multipliers = random_multipliers(problem, random);
      const Picks start = random_picks(problem, random);
      const bool usable = evaluate(problem, start).feasible;
      const Certified settled = certify(problem, screening.open, multipliers,
                                        usable ? std::optional(start) : std::nullopt, {nullptr, kNoLimit});
      const ChoiceResult expected = ExhaustiveSolver().solve(problem, {});
      ASSERT_EQ(settled.limit, Limit::none);
      ASSERT_EQ(settled.picks.value_or(Picks{}), expected.picks) << name << " seed " << seed;
      if (!settled.picks) continue;
      ASSERT_TRUE(equal_value(*settled.best_value, *expected.bound));
      ASSERT_GE(lagrangian_bound(problem, screening.open, multipliers), *expected.bound);
    }
  }
}

TEST(Certification, AWorkLimitLeavesAFeasibleSelectionNoWorseThanTheStart) {
  const ChoiceProblem problem =
      bench::random_choice_problem(ChoiceFamily::standard, {.tasks = 5, .variants = 6}, 5);
  const Picks best = ExhaustiveSolver().solve(problem, {}).picks;
  const Multipliers none{std::vector<double>(problem.capacities.size(), 0.0), {}};
  const Screening screening = screen(problem);
  std::optional<Picks> start;
  double value = -std::numeric_limits<double>::infinity();
  for (std::int64_t nodes = 1; nodes < 5'000; nodes += 7) {
    const Certified settled = certify(problem, screening.open, none, start, {nullptr, nodes});
    EXPECT_LE(settled.nodes, nodes);
    if (!settled.picks) continue;
    const Evaluation evaluation = evaluate(problem, *settled.picks);
    ASSERT_TRUE(evaluation.feasible);
    ASSERT_GE(evaluation.levels[0], value * (1.0 - kTolerance));
    if (settled.limit == Limit::none) {
      ASSERT_EQ(*settled.picks, best);
    }
    value = evaluation.levels[0];
    start = settled.picks;
  }
  EXPECT_TRUE(start.has_value());
}

TEST(Certification, WhenOnlyTiesAreLeftOverLevelZeroIsProvenAllTheSame) {
  // Eight groups of alternatives that differ in the second level only, where no bound helps.
  ChoiceProblem problem;
  problem.level_count = 2;
  problem.capacities = {30.0};
  for (std::size_t group = 0; group < 8; ++group) {
    Group& options = problem.groups.emplace_back();
    for (std::size_t i = 0; i < 8; ++i) {
      const double x = static_cast<double>(i);
      options.options.push_back({{1.0, x + 0.01 * static_cast<double>((group * 5 + i * 3) % 7)}, {x}, {}});
    }
  }
  const Multipliers none{{0.0}, {}};
  const Certified settled = certify(problem, screen(problem).open, none, Picks(8, 0), {nullptr, 2'000});
  EXPECT_EQ(settled.limit, Limit::work);
  ASSERT_TRUE(settled.best_value.has_value());
  EXPECT_DOUBLE_EQ(*settled.best_value, 8.0);
  EXPECT_GT(evaluate(problem, *settled.picks).levels[1], 0.0);
}

}  // namespace
}  // namespace saccade::ilp::certification_test
