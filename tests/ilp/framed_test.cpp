// A problem that is framed, with its options computed when they are asked for, has the answers of the whole.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bench/solver/choice_instances.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "ilp/flat_problem.hpp"
#include "tests/ilp/tabled.hpp"

namespace saccade::ilp::framed_test {
namespace {

// Refers to the problem, which has to outlive it.
struct Framed {
  ChoiceProblem frame;
  FlatProblem flat;
  explicit Framed(const ChoiceProblem& problem) : frame(problem), flat(flatten(problem)) {
    frame.groups.clear();
    flat.problem = &frame;
    flat.option_of = [&problem](std::size_t group, std::size_t option) {
      return problem.groups[group].options[option];
    };
  }
  Framed(const Framed&) = delete;
  Framed& operator=(const Framed&) = delete;
};

void expect_same(const ChoiceResult& result, const ChoiceResult& expected) {
  EXPECT_EQ(result.verdict, expected.verdict);
  EXPECT_EQ(result.limit, expected.limit);
  EXPECT_EQ(result.picks, expected.picks);
  ASSERT_EQ(result.evaluation.levels.empty(), expected.evaluation.levels.empty());
  if (!expected.evaluation.levels.empty()) {
    EXPECT_EQ(result.evaluation.levels.front(), expected.evaluation.levels.front());
  }
  EXPECT_EQ(result.evaluation.used, expected.evaluation.used);
  EXPECT_EQ(result.evaluation.feasible, expected.evaluation.feasible);
  EXPECT_EQ(result.bound, expected.bound);
  EXPECT_EQ(result.prices, expected.prices);
  EXPECT_EQ(result.culprits, expected.culprits);
  EXPECT_EQ(result.conflict, expected.conflict);
  EXPECT_EQ(result.stats.nodes, expected.stats.nodes);
}

void expect_same_answer(const ChoiceProblem& problem, const SolveLimits& limits) {
  const Framed framed(problem);
  const CoreSolver solver;
  expect_same(solver.solve_framed(framed.flat, limits), solver.solve(problem, limits));
}

TEST(Framed, HasTheAnswersOfTheWholeProblem) {
  for (const auto& [family, name] : bench::kChoiceFamilies) {
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
      SCOPED_TRACE(std::string(name) + " seed " + std::to_string(seed));
      const ChoiceProblem problem =
          bench::random_choice_problem(family, {.tasks = 2 + seed % 9, .variants = 3 + seed % 7}, seed);
      expect_same_answer(problem, {});
      expect_same_answer(problem, {.gap = 1e-4});
      expect_same_answer(problem, {.start = Picks(problem.groups.size(), 0)});
    }
  }
}

TEST(Framed, HasTheAnswersOfLargeProblems) {
  for (const bench::Family family : {bench::Family::standard, bench::Family::identical,
                                     bench::Family::infeasible_relaxation, bench::Family::infeasible_row}) {
    const ChoiceProblem problem = bench::make_instance(family, 400, 60, 3, 0.5, 1);
    expect_same_answer(problem, {.gap = 1e-6});
    expect_same_answer(problem, {.gap = 1e-6, .start = Picks(problem.groups.size(), 1000)});
  }
}

// Groups that differ in a later level alone are not the same.
TEST(Framed, TellsGroupsApartByEveryLevel) {
  ChoiceProblem problem;
  problem.level_count = 2;
  problem.capacities = {2.0};
  for (const double later : {1.0, 2.0, 1.0}) {
    Group& group = problem.groups.emplace_back();
    group.options.push_back({{1.0, 0.0}, {0.0}, {}});
    group.options.push_back({{1.0, later}, {1.0}, {}});
  }
  expect_same_answer(problem, {});
  const Framed framed(problem);
  EXPECT_EQ(CoreSolver().solve_framed(framed.flat, {}).picks, (Picks{0, 1, 1}));
}

// How often an option of the problem is computed while it is solved, framed.
std::size_t options_computed(const ChoiceProblem& problem, const SolveLimits& limits) {
  Framed framed(problem);
  std::size_t computed = 0;
  framed.flat.option_of = [&](std::size_t group, std::size_t option) {
    ++computed;
    return problem.groups[group].options[option];
  };
  EXPECT_NE(CoreSolver().solve_framed(framed.flat, limits).verdict, Verdict::unknown);
  return computed;
}

TEST(Framed, ComputesTheOptionsOfEqualGroupsOnce) {
  const ChoiceProblem problem = bench::make_instance(bench::Family::identical, 100, 60, 3, 0.5, 1);
  const std::size_t computed = options_computed(problem, {.gap = 1e-2});  // proven no further
  EXPECT_GT(computed, 0U);
  EXPECT_LE(computed, std::size_t{100 * 60});
}

TEST(Framed, ComputesOnlyTheOptionsAmongWhichTiesAreBroken) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ChoiceProblem problem = bench::make_instance(bench::Family::standard, 30, 60, 3, 0.5, seed);
    ASSERT_EQ(CoreSolver().solve(problem, {}).verdict, Verdict::optimal);
    EXPECT_LT(options_computed(problem, {}), std::size_t{30 * 60 / 2}) << "seed " << seed;
  }
}

TEST(Framed, IsRefusedIfANumberIsNotUsable) {
  const ChoiceProblem problem = bench::make_instance(bench::Family::standard, 5, 6, 3, 0.5, 1);
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), -1.0, 1e200}) {
    ChoiceProblem broken = problem;
    broken.groups[2].options[3].use[1] = wrong;
    Framed framed(broken);
    framed.flat = flatten(problem);  // as if another had made the arrays
    framed.flat.problem = &framed.frame;
    framed.flat.use[(framed.flat.first[2] + 3) * framed.flat.rows + 1] = wrong;
    framed.flat.option_of = [&broken](std::size_t group, std::size_t option) {
      return broken.groups[group].options[option];
    };
    EXPECT_FALSE(flat_well_formed(framed.flat));
    const ChoiceResult result = CoreSolver().solve_framed(framed.flat, {});
    EXPECT_EQ(result.verdict, Verdict::unknown);
    EXPECT_EQ(result.message, validate(broken));
  }
}

TEST(Framed, IsMadeWholeForSolversThatReadOptions) {
  each_small_instance(3, [](const ChoiceProblem& problem) {
    const Framed framed(problem);
    const ExhaustiveSolver solver;
    expect_same(solver.solve_framed(framed.flat, {}), solver.solve(problem, {}));
    const Picks picks(problem.groups.size(), 0);
    const Evaluation evaluation = evaluate(framed.flat, picks), expected = evaluate(problem, picks);
    EXPECT_EQ(evaluation.levels, std::vector<double>{expected.levels.front()});
    EXPECT_EQ(evaluation.used, expected.used);
    EXPECT_EQ(evaluation.feasible, expected.feasible);
  });
}

}  // namespace
}  // namespace saccade::ilp::framed_test
