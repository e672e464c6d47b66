// Rows that the core solver names when only together they cannot hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/solver/choice_instances.hpp"
#include "bench/solver/families.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"

namespace saccade::ilp {
namespace {

// The problem with these rows and no others; peaks are left out.
ChoiceProblem restricted(ChoiceProblem problem, const std::vector<std::size_t>& rows) {
  const auto restrict = [&rows](auto& amounts) {
    std::vector<double> kept;
    for (const std::size_t row : rows) kept.push_back(amounts[row]);
    amounts = kept;
  };
  restrict(problem.capacities);
  problem.peak_capacity.reset();
  problem.peak_count = 0;
  for (Group& group : problem.groups) {
    for (Option& option : group.options) {
      restrict(option.use);
      option.peak.clear();
    }
  }
  return problem;
}

struct Seen {
  int infeasible = 0;  // no row fails alone
  int named = 0;
  int some = 0;  // fewer rows than there are
};

void look_at(const ChoiceProblem& problem, Seen& seen) {
  const ChoiceResult result = CoreSolver().solve(problem, {});
  if (result.verdict != Verdict::infeasible || !result.culprits.empty()) {
    ASSERT_TRUE(result.conflict.empty());
    return;
  }
  ++seen.infeasible;
  if (result.conflict.empty()) return;
  ++seen.named;
  seen.some += result.conflict.size() < problem.capacities.size() ? 1 : 0;
  ASSERT_GE(result.conflict.size(), 2U);
  ASSERT_TRUE(std::is_sorted(result.conflict.begin(), result.conflict.end()));
  ASSERT_EQ(ExhaustiveSolver().solve(restricted(problem, result.conflict), {}).verdict, Verdict::infeasible);
}

// Two tasks that are either quick or small; a third row that always holds.
ChoiceProblem quick_or_small(std::size_t tasks, double most) {
  Group group;
  group.options.push_back({{0.0}, {1.0, 9.0, 0.5}, {}});
  group.options.push_back({{1.0}, {9.0, 1.0, 0.7}, {}});
  group.options.push_back({{2.0}, {5.0, 5.0, 0.1}, {}});
  ChoiceProblem problem;
  problem.groups.assign(tasks, group);
  problem.capacities = {most, most, 100.0};
  return problem;
}

TEST(Conflict, NamesTheTwoRowsOfWhichEachHoldsAlone) {
  for (const std::size_t tasks : {1U, 5U, 400U}) {
    const ChoiceProblem problem = quick_or_small(tasks, 4.5 * static_cast<double>(tasks));
    for (const std::size_t row : {0U, 1U, 2U}) {
      EXPECT_EQ(CoreSolver().solve(restricted(problem, {row}), {}).verdict, Verdict::optimal);
    }
    const ChoiceResult result = CoreSolver().solve(problem, {});
    EXPECT_EQ(result.verdict, Verdict::infeasible);
    EXPECT_TRUE(result.culprits.empty());
    EXPECT_EQ(result.conflict, (std::vector<std::size_t>{0, 1})) << tasks << " tasks";
  }
}

TEST(Conflict, ARowThatOnlyPutsOptionsOutIsPartOfIt) {
  // The way out of the first two rows is open but for the third, which is out of the relaxation then.
  ChoiceProblem problem = quick_or_small(2, 9.0);
  problem.groups.front().options.push_back({{0.0}, {0.0, 0.0, 200.0}, {}});
  problem.groups.back().options.push_back({{0.0}, {0.0, 0.0, 200.0}, {}});
  EXPECT_EQ(CoreSolver().solve(restricted(problem, {0, 1}), {}).verdict, Verdict::optimal);
  const ChoiceResult result = CoreSolver().solve(problem, {});
  EXPECT_EQ(result.verdict, Verdict::infeasible);
  EXPECT_EQ(result.conflict, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Conflict, TheNamedRowsAloneAreInfeasibleForTheOracle) {
  Seen seen;
  for (const auto& [family, name] : bench::kChoiceFamilies) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const bench::ChoiceShape shape{.tasks = 1 + seed % 5,
                                     .variants = family == bench::ChoiceFamily::elastic ? 2 : 2 + seed % 5,
                                     .rows = 1 + seed / 5 % 4,
                                     .tightness = seed % 3 == 0 ? 0.05 : 0.15};
      SCOPED_TRACE(std::string(name) + " seed " + std::to_string(seed));
      ASSERT_NO_FATAL_FAILURE(look_at(bench::random_choice_problem(family, shape, seed), seen));
    }
  }
  EXPECT_GT(seen.named, 50);
  EXPECT_GT(seen.some, 20);
}

TEST(Conflict, InfeasibleRelaxationsAreAlwaysNamed) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_NO_FATAL_FAILURE(look_at(
        bench::make_instance(bench::Family::infeasible_relaxation, 4, 6, 2 + seed % 3, 0.5, seed), seen));
  }
  EXPECT_GT(seen.infeasible, 50);
  EXPECT_EQ(seen.named, seen.infeasible);
}

}  // namespace
}  // namespace saccade::ilp
