// Rows that stand for each other: merged, packed, and as a hint. Laws: the merged problem is a relaxation; a
// packing obeys every row; the hint, right or wrong, changes no answer (compared with the exhaustive solver,
// to the last pick). And at a size that branching does not reach, a gap of 1e-4 under the solver's own work
// limits.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "bench/solver/families.hpp"
#include "ilp/core/packing.hpp"
#include "ilp/core/row_merging.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"

namespace saccade::ilp {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return engine_() % count; }
  double grain(std::size_t count, double size) { return size * static_cast<double>(below(count)); }

 private:
  std::mt19937_64 engine_;
};

// The first row of `one` as several equal rows of the given shares of its capacity and scales; the first of
// three levels is worth `penalty` less on all rows but the one that the group runs on.
ChoiceProblem on_equal_rows(const ChoiceProblem& one, const std::vector<double>& shares,
                            const std::vector<double>& scales, double penalty, Random& random) {
  ChoiceProblem problem;
  problem.level_count = 2;
  problem.equal_rows.emplace_back();
  for (std::size_t k = 0; k < shares.size(); ++k) {
    problem.equal_rows[0].push_back({k, scales[k]});
    problem.capacities.push_back(one.capacities[0] * shares[k]);
  }
  problem.capacities.insert(problem.capacities.end(), one.capacities.begin() + 1, one.capacities.end());
  for (const Group& group : one.groups) {
    Group& wide = problem.groups.emplace_back();
    const std::size_t runs_on = random.below(shares.size());
    for (const Option& option : group.options) {
      for (std::size_t k = 0; k < shares.size(); ++k) {
        Option& copy = wide.options.emplace_back();
        copy.levels = {option.levels[0] - (k == runs_on ? 0.0 : penalty), k == runs_on ? 0.0 : -1.0};
        copy.use.assign(problem.capacities.size(), 0.0);
        copy.use[k] = option.use[0] * scales[k];
        for (std::size_t row = 1; row < one.capacities.size(); ++row) {
          copy.use[shares.size() + row - 1] = option.use[row];
        }
      }
    }
  }
  return problem;
}

// Coarse numbers, so that ties happen.
ChoiceProblem small_problem(Random& random) {
  ChoiceProblem one;
  one.capacities = {4.0 + random.grain(16, 0.5), 10.0 + random.grain(10, 2.0)};
  const std::size_t groups = 2 + random.below(4);
  for (std::size_t g = 0; g < groups; ++g) {
    Group& group = one.groups.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      Option& option = group.options.emplace_back();
      option.levels = {1.0 + random.grain(8, 1.0)};
      option.use = {0.5 + random.grain(8, 0.5), 1.0 + random.grain(6, 1.0)};
    }
  }
  return one;
}

ChoiceProblem small_equal_problem(Random& random) {
  const std::size_t rows = 2 + random.below(2);
  std::vector<double> shares, scales;
  for (std::size_t k = 0; k < rows; ++k) {
    shares.push_back((random.below(3) == 0 ? 0.75 : 1.0) / static_cast<double>(rows));
    scales.push_back(random.below(3) == 0 ? 1.25 : 1.0);
  }
  return on_equal_rows(small_problem(random), shares, scales, random.below(2) == 0 ? 0.0 : 0.5, random);
}

void expect_same(const ChoiceResult& a, const ChoiceResult& b) {
  ASSERT_STREQ(to_string(a.verdict), to_string(b.verdict));
  EXPECT_EQ(a.picks, b.picks);
}

TEST(EqualRows, AnswersAreThoseOfTheExhaustiveSolver) {
  Random random(1);
  int optimal = 0;
  for (int i = 0; i < 400 && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const ChoiceProblem problem = small_equal_problem(random);
    const ChoiceResult answer = CoreSolver().solve(problem, {});
    expect_same(answer, ExhaustiveSolver().solve(problem, {}));
    optimal += answer.verdict == Verdict::optimal ? 1 : 0;
  }
  EXPECT_GT(optimal, 200);
  EXPECT_LT(optimal, 400);
}

TEST(EqualRows, AWrongHintChangesNoAnswer) {
  Random random(2);
  for (int i = 0; i < 200 && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    ChoiceProblem problem = small_problem(random);
    const ChoiceResult without = CoreSolver().solve(problem, {});
    problem.equal_rows = {{{0, 1.0 + random.grain(3, 1.0)}, {1, 1.0}}};
    expect_same(CoreSolver().solve(problem, {}), without);
  }
}

TEST(EqualRows, TheMergedProblemIsARelaxation) {
  Random random(3);
  int packed = 0, feasible_ones = 0;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const ChoiceProblem problem = small_equal_problem(random);
    const ChoiceResult best = ExhaustiveSolver().solve(problem, {});
    if (best.picks.empty()) continue;
    ++feasible_ones;
    const Screening screening = screen(problem);
    const auto merged = merge_rows(problem, screening.open);
    ASSERT_TRUE(merged.has_value());
    const ChoiceResult relaxed = ExhaustiveSolver().solve(merged->problem, {});
    ASSERT_FALSE(relaxed.picks.empty());
    EXPECT_GE(relaxed.evaluation.levels[0], best.evaluation.levels[0] - 1e-9);
    const auto picks = pack(problem, *merged, relaxed.picks);
    if (!picks) continue;
    ++packed;
    EXPECT_TRUE(feasible(problem, *picks));
  }
  EXPECT_GT(packed, feasible_ones / 3);
}

TEST(EqualRows, OptionsThatDifferInTheRowAloneAreOne) {
  Random random(4);
  const ChoiceProblem problem = small_equal_problem(random);
  const auto merged = merge_rows(problem, screen(problem).open);
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(merged->problem.capacities.size(), 2U);
  for (const Group& group : merged->problem.groups) EXPECT_LE(group.options.size(), 3U);
}

TEST(EqualRows, PackingKeepsWhatRunsWhereItRuns) {
  ChoiceProblem problem;
  problem.capacities = {4.0, 4.0};
  problem.level_count = 2;
  problem.equal_rows = {{{0, 1.0}, {1, 1.0}}};
  for (const std::size_t runs_on : {1U, 1U, 0U, 0U}) {
    Group& group = problem.groups.emplace_back();
    for (const std::size_t row : {0U, 1U}) {
      Option& option = group.options.emplace_back();
      option.levels = {1.0, row == runs_on ? 0.0 : -1.0};
      option.use = {row == 0 ? 2.0 : 0.0, row == 1 ? 2.0 : 0.0};
    }
  }
  const auto merged = merge_rows(problem, screen(problem).open);
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(pack(problem, *merged, Picks(4, 0)), (Picks{1, 1, 0, 0}));
  problem.capacities = {3.0, 5.0};  // two of 2 do not fit in the first any more, nor three in the second
  EXPECT_EQ(pack(problem, *merge_rows(problem, screen(problem).open), Picks(4, 0)), std::nullopt);
}

// 100 groups of 60 options on four rows, equal or nearly so.
TEST(EqualRows, ManyGroupsAreSolvedToAGapOfOneInTenThousand) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const ChoiceProblem one =
        bench::make_instance(bench::Family::standard, 100, 60, seed % 2 == 0 ? 3 : 1, 0.5, seed);
    const ChoiceProblem problem =
        on_equal_rows(one, {0.25, 0.26, 0.24, 0.25}, {1.0, 1.0, 1.02, 0.97}, 0.0, random);
    const ChoiceResult result = CoreSolver().solve(problem, {.gap = 1e-4});
    ASSERT_TRUE(result.gap().has_value());
    EXPECT_LE(*result.gap(), 1e-4);
    EXPECT_TRUE(feasible(problem, result.picks));
    EXPECT_EQ(result.prices.size(), problem.capacities.size());
  }
}

TEST(EqualRows, AreRefusedWhereTheyNameNoRowOrOneTwice) {
  Random random(5);
  for (const auto& rows :
       {std::vector<EqualRow>{{0, 1.0}, {7, 1.0}}, {{0, 1.0}, {0, 1.0}}, {{0, 0.0}, {1, 1.0}}}) {
    ChoiceProblem problem = small_problem(random);
    problem.equal_rows = {rows};
    EXPECT_NE(validate(problem), "");
    EXPECT_EQ(CoreSolver().solve(problem, {}).verdict, Verdict::unknown);
  }
}

}  // namespace
}  // namespace saccade::ilp
