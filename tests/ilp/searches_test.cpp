// The searches that prove an optimum, each alone and from nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bench/solver/families.hpp"
#include "bench/solver/random.hpp"
#include "ilp/core/branch_and_bound.hpp"
#include "ilp/core/count_search.hpp"
#include "ilp/core/depth_first_search.hpp"
#include "ilp/core/list_search.hpp"
#include "ilp/core/lp_relaxation.hpp"
#include "ilp/core/selection.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "tests/ilp/tabled.hpp"

namespace saccade::ilp {
namespace {

using bench::Family;

enum class Engine { depth_first, counts, list, branch };

std::optional<double> best_by(Engine engine, const Tabled& tabled) {
  const LpRelaxation relaxation = relax(tabled.table, {}, nullptr);
  if (relaxation.infeasible) return -kInfinite;
  double best = -kInfinite;
  const auto accept = [&](const Selection& selection) {
    const Evaluation evaluation = evaluate(tabled.problem, picks_of(tabled.table, selection));
    if (evaluation.feasible) best = std::max(best, evaluation.levels[0]);
    return tabled.table.value_below(best);
  };
  const Selection base = round_lp(tabled.table, relaxation);
  if (engine == Engine::depth_first) {
    EXPECT_EQ(
        search_depth_first(tabled.table, relaxation, base, -kInfinite, accept, {nullptr, kNoLimit}).limit,
        Limit::none);
  } else if (engine == Engine::counts) {
    const SearchOutcome outcome =
        search_counts(tabled.table, relaxation, -kInfinite, accept, {nullptr, kNoLimit});
    if (outcome.limit != Limit::none) return std::nullopt;  // the relaxation determines no mixture
  } else if (engine == Engine::list) {
    EXPECT_EQ(search_by_list(tabled.table, relaxation, base, -kInfinite, accept, {nullptr, kNoLimit}).limit,
              Limit::none);
  } else {
    EXPECT_EQ(branch_and_bound(tabled.table, relaxation, -kInfinite, accept, {nullptr, kNoLimit}).limit,
              Limit::none);
  }
  return best;
}

// Gives how many instances were searched to the end.
int expect_optimum(Engine engine, std::size_t rows) {
  int ended = 0;
  each_small_instance(rows, [&ended, engine](const ChoiceProblem& problem) {
    if (screen(problem).infeasible) return;
    const Tabled tabled(problem);
    if (engine == Engine::list && tabled.table.rows != 1) return;
    const ChoiceResult best = ExhaustiveSolver().solve(problem, {});
    const std::optional<double> found = best_by(engine, tabled);
    ended += found ? 1 : 0;
    if (!found) return;
    if (best.verdict == Verdict::infeasible) {
      ASSERT_EQ(*found, -kInfinite);
    } else {
      ASSERT_TRUE(equal_value(*found, *best.bound)) << *found << " instead of " << *best.bound;
    }
  });
  return ended;
}

TEST(DepthFirstSearch, FindsTheOptimum) { expect_optimum(Engine::depth_first, 3); }
TEST(CountSearch, FindsTheOptimum) {
  EXPECT_GT(expect_optimum(Engine::counts, 3), 100);
  EXPECT_GT(expect_optimum(Engine::counts, 5), 100);
}
TEST(ListSearch, FindsTheOptimum) { expect_optimum(Engine::list, 1); }
// Every candidate is refused by plain arithmetic: states that were not considered prove nothing.
TEST(ListSearch, IsNotExhaustiveWhenStatesAboveTheCutoffWerePassedOver) {
  const Tabled tabled(bench::make_instance(Family::standard, 5, 6, 1, 0.5, 4));
  ASSERT_EQ(tabled.table.rows, 1U);
  const LpRelaxation relaxation = relax(tabled.table, {}, nullptr);
  const auto refuse = [](const Selection&) { return -kInfinite; };
  EXPECT_EQ(search_by_list(tabled.table, relaxation, round_lp(tabled.table, relaxation), -kInfinite, refuse,
                           {nullptr, kNoLimit})
                .limit,
            Limit::work);
}
TEST(BranchAndBound, FindsTheOptimum) {
  expect_optimum(Engine::branch, 3);
  expect_optimum(Engine::branch, 5);
}

TEST(BranchAndBound, StopsWithinANodeAndItsBoundStands) {
  const Tabled tabled(bench::make_instance(Family::correlated, 12, 12, 3, 0.5, 2));
  const LpRelaxation relaxation = relax(tabled.table, {}, nullptr);
  const double value = *CoreSolver().solve(tabled.problem, {}).bound;
  for (std::int64_t stop_at = 1; stop_at < 100'000; stop_at = stop_at * 3 / 2 + 1) {
    std::int64_t polls = 0;
    const std::function<bool()> stop = [&] { return ++polls >= stop_at; };
    double best = -kInfinite;
    const auto accept = [&](const Selection& selection) {
      const Evaluation evaluation = evaluate(tabled.problem, picks_of(tabled.table, selection));
      if (evaluation.feasible) best = std::max(best, evaluation.levels[0]);
      return tabled.table.value_below(best);
    };
    const BranchOutcome outcome = branch_and_bound(tabled.table, relaxation, -kInfinite, accept, {stop, 300});
    EXPECT_GE(tabled.table.bound(outcome.bound), value * (1.0 - kTolerance));
    EXPECT_LE(polls, stop_at + 1);
    if (outcome.limit == Limit::stop) continue;
    EXPECT_GE(polls, 2 * outcome.nodes);  // more than the one look before each node
    return;
  }
  FAIL() << "it does not end";
}

// With more groups than a node searches exhaustively, and feasible candidates refused, all that remains is to
// branch on integral LP solutions of identical groups: neither child may be lost.
TEST(BranchAndBound, LosesNoSelectionOfEqualGroupsWhenTheBestOnesAreRefused) {
  constexpr std::size_t kMembers = 201;
  bench::Random random(7);
  int ended = 0;
  for (int instance = 0; instance < 12; ++instance) {
    ChoiceProblem problem;
    problem.capacities = {random.uniform(60.0, 140.0), random.uniform(60.0, 140.0)};
    Group group;
    group.options.push_back({{0.0}, {0.0, 0.0}, {}});
    for (int i = 0; i < 2; ++i) {
      group.options.push_back({{random.uniform(0.5, 1.0)}, {random.uniform(), random.uniform()}, {}});
    }
    problem.groups.assign(kMembers, group);
    const Tabled tabled(problem);
    std::vector<double> values;  // of all counts that hold
    for (std::size_t a = 0; a <= kMembers; ++a) {
      for (std::size_t b = 0; a + b <= kMembers; ++b) {
        const double use0 = static_cast<double>(a) * group.options[1].use[0] +
                            static_cast<double>(b) * group.options[2].use[0];
        const double use1 = static_cast<double>(a) * group.options[1].use[1] +
                            static_cast<double>(b) * group.options[2].use[1];
        if (!holds(use0, problem.capacities[0]) || !holds(use1, problem.capacities[1])) continue;
        values.push_back(static_cast<double>(a) * group.options[1].levels[0] +
                         static_cast<double>(b) * group.options[2].levels[0]);
      }
    }
    std::sort(values.begin(), values.end(), std::greater<>());
    for (const std::size_t refused : {0U, 1U, 5U, 20U}) {
      const double most = values[refused] + 1e-7;
      const LpRelaxation relaxation = relax(tabled.table, {}, nullptr);
      double best = -kInfinite;
      const auto accept = [&](const Selection& selection) {
        const Evaluation evaluation = evaluate(problem, picks_of(tabled.table, selection));
        if (evaluation.feasible && evaluation.levels[0] <= most) best = std::max(best, evaluation.levels[0]);
        return (best - tabled.table.value_offset) / tabled.table.value_scale + 1e-9;
      };
      const BranchOutcome outcome =
          branch_and_bound(tabled.table, relaxation, -kInfinite, accept, {nullptr, 20'000});
      if (outcome.limit != Limit::none) continue;
      ++ended;
      EXPECT_NEAR(best, values[refused], 1e-6) << instance << ", " << refused << " refused";
    }
  }
  EXPECT_GT(ended, 40);
}

// Equal groups whose best selections are far from where the relaxation rounds: counts find what enumeration
// of all counts finds.
TEST(CountSearch, FindsTheBestCountsOfEqualGroups) {
  bench::Random random(3);
  for (int instance = 0; instance < 30; ++instance) {
    constexpr std::size_t kMembers = 40;
    ChoiceProblem problem;
    problem.capacities = {random.uniform(8.0, 24.0), random.uniform(8.0, 24.0)};
    Group group;
    group.options.push_back({{0.0}, {0.0, 0.0}, {}});
    for (int i = 0; i < 3; ++i) {
      group.options.push_back({{random.uniform(0.5, 1.0)}, {random.uniform(), random.uniform()}, {}});
    }
    problem.groups.assign(kMembers, group);
    double most = 0.0;
    const auto amount = [&](std::size_t a, std::size_t b, std::size_t c, auto of) {
      return static_cast<double>(a) * of(group.options[1]) + static_cast<double>(b) * of(group.options[2]) +
             static_cast<double>(c) * of(group.options[3]);
    };
    for (std::size_t a = 0; a <= kMembers; ++a) {
      for (std::size_t b = 0; a + b <= kMembers; ++b) {
        for (std::size_t c = 0; a + b + c <= kMembers; ++c) {
          if (!holds(amount(a, b, c, [](const Option& o) { return o.use[0]; }), problem.capacities[0])) break;
          if (!holds(amount(a, b, c, [](const Option& o) { return o.use[1]; }), problem.capacities[1])) break;
          most = std::max(most, amount(a, b, c, [](const Option& o) { return o.levels[0]; }));
        }
      }
    }
    const ChoiceResult result = CoreSolver().solve(problem, {});
    EXPECT_EQ(result.verdict, Verdict::optimal);
    EXPECT_NEAR(result.evaluation.levels[0], most, 1e-9 * most) << instance;
    const std::optional<double> found = best_by(Engine::counts, Tabled(problem));
    if (found) {
      EXPECT_NEAR(*found, most, 1e-9 * most) << instance;
    }
  }
}

}  // namespace
}  // namespace saccade::ilp
