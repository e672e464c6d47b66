// Each step of the reduction alone: what it promises, and that the optimum stays what it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "bench/solver/families.hpp"
#include "ilp/branching.hpp"
#include "ilp/core_list.hpp"
#include "ilp/core_search.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "ilp/grid.hpp"
#include "ilp/incumbent.hpp"
#include "ilp/relaxation.hpp"
#include "ilp/table.hpp"
#include "tests/support/choice_instances.hpp"

namespace saccade::ilp {
namespace {

using bench::Family;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

OpenOptions all_open(const ChoiceProblem& problem) {
  OpenOptions open;
  for (const Group& group : problem.groups) {
    open.emplace_back(group.options.size());
    std::iota(open.back().begin(), open.back().end(), 0U);
  }
  return open;
}

// A problem with its table; the table refers to nothing of the problem.
struct Tabled {
  ChoiceProblem problem;
  Table table;
  explicit Tabled(ChoiceProblem p) : problem(std::move(p)) {
    const FlatProblem flat = flatten(problem);
    EXPECT_TRUE(flat.well_formed);
    table = make_table(flat, all_open(problem));
  }
};

// Instances of every family, small enough for the oracle.
template <class Visit>
void each_small_instance(std::size_t rows, Visit visit) {
  for (const auto& [family, name] : bench::kFamilies) {
    if (family == Family::elastic) continue;
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
      SCOPED_TRACE(std::string(name) + " seed " + std::to_string(seed));
      visit(bench::make_instance(family, 1 + seed % 4, 6, rows, seed % 2 == 0 ? 0.5 : 0.2, seed));
    }
  }
}

// ---- flat_problem.hpp

TEST(FlatProblem, ScreensLikeThePlainScreening) {
  each_small_instance(3, [](const ChoiceProblem& problem) {
    const Screening plain = screen(problem);
    const FlatScreening flat = screen(flatten(problem));
    ASSERT_EQ(flat.infeasible, plain.infeasible);
    ASSERT_EQ(flat.culprits, plain.culprits);
    if (plain.infeasible) return;
    for (std::size_t group = 0; group < plain.open.size(); ++group) {
      ASSERT_TRUE(std::equal(plain.open[group].begin(), plain.open[group].end(), flat.open[group].begin(),
                             flat.open[group].end()));
    }
  });
}

// ---- grid.hpp

TEST(Grid, FindsTheLargestQuantumOfWhichAllAreMultiples) {
  const std::vector<double> numbers{0.0, 0.6, 1.0, 2.2};
  EXPECT_NEAR(find_grid(numbers, 1e-13, 1e-5).quantum, 0.2, 1e-12);
  EXPECT_NEAR(find_grid(std::vector<double>{0.0, 0.3, 0.9}, 1e-13, 1e-5).quantum, 0.3, 1e-12);
}

TEST(Grid, ReportsNoneWhereThereIsNoneOrItIsTooFine) {
  EXPECT_EQ(find_grid(std::vector<double>{0.5, 0.70710678118}, 1e-13, 1e-5).quantum, 0.0);
  EXPECT_EQ(find_grid(std::vector<double>{1.0, 1.0 + 1e-6}, 1e-13, 1e-5).quantum, 0.0);
  EXPECT_EQ(find_grid(std::vector<double>{1.0, 2.0 + 1e-9}, 1e-13, 1e-5).quantum, 0.0);
  EXPECT_EQ(find_grid(std::vector<double>{0.0, 0.0}, 1e-13, 1e-5).quantum, 0.0);
  EXPECT_EQ(find_grid(std::vector<double>{}, 1e-13, 1e-5).quantum, 0.0);
}

// ---- table.hpp

// No rows at all, or a core in which no group has an alternative: nothing is read beyond the arrays (the
// library's own assertions tell), and the answer is the best of every group.
TEST(Reduction, WithoutRowsOrWithoutAlternativesTheBestOfEveryGroupIsTaken) {
  for (const std::size_t rows : {0U, 2U}) {
    for (const std::size_t options : {1U, 3U}) {
      ChoiceProblem problem;
      problem.capacities.assign(rows, 100.0);
      for (std::size_t group = 0; group < 4; ++group) {
        Group& entry = problem.groups.emplace_back();
        for (std::size_t i = 0; i < options; ++i) {
          entry.options.push_back({{static_cast<double>(i * i + group)}, std::vector<double>(rows, 1.0), {}});
        }
      }
      EXPECT_FALSE(screen(flatten(problem)).infeasible);
      const Tabled tabled(problem);
      EXPECT_EQ(tabled.table.rows, 0U);  // none can bind
      const Relaxation relaxation = relax(tabled.table, {}, nullptr);
      const Selection base = rounded(tabled.table, relaxation);
      for (const double budget : {0.0, kInfinite}) {
        const auto keep = [budget](const Selection&) { return budget; };
        EXPECT_EQ(search_core(tabled.table, relaxation, base, budget, keep, nullptr, kNoLimit).limit,
                  Limit::none);
      }
      EXPECT_EQ(CoreSolver().solve(problem, {}).picks, Picks(4, options - 1));
    }
  }
}

TEST(Table, WhatHoldsInTheProblemHoldsInTheTableAndIsWorthTheSame) {
  test::Random random(5);
  each_small_instance(3, [&random](const ChoiceProblem& problem) {
    if (screen(problem).infeasible) return;
    const Tabled tabled(problem);
    for (int i = 0; i < 50; ++i) {
      Picks picks;
      std::vector<std::uint32_t> at;
      for (std::size_t group = 0; group < problem.groups.size(); ++group) {
        picks.push_back(random.below(problem.groups[group].options.size()));
        at.push_back(tabled.table.first[tabled.table.class_of[group]] +
                     static_cast<std::uint32_t>(picks.back()));
      }
      const Evaluation evaluation = evaluate(problem, picks);
      double value = 0.0;
      for (const std::uint32_t option : at) value += tabled.table.value[option];
      const Selection selection = selection_of(tabled.table, at);
      ASSERT_EQ(picks_of(tabled.table, selection), picks);
      if (evaluation.feasible) {
        ASSERT_TRUE(holds(selection));
      }
      ASSERT_NEAR(tabled.table.value_offset + tabled.table.value_scale * value, evaluation.levels[0],
                  1e-9 * (1.0 + std::abs(evaluation.levels[0])));
    }
  });
}

TEST(Table, EqualGroupsAreOneClassAndGroupsThatDifferAnywhereAreNot) {
  const ChoiceProblem identical = bench::make_instance(Family::identical, 6, 8, 3, 0.5, 1);
  EXPECT_EQ(Tabled(identical).table.classes(), 1U);
  ChoiceProblem one_differs = identical;
  one_differs.groups[3].options[4].use[1] *= 1.5;
  EXPECT_EQ(Tabled(one_differs).table.classes(), 2U);
  EXPECT_EQ(Tabled(one_differs).table.count, (std::vector<double>{5.0, 1.0}));
}

// Values so near each other that their difference has no inverse.
TEST(Table, ARangeNextToNothingIsNone) {
  for (const std::size_t rows : {1U, 2U}) {
    ChoiceProblem problem;
    problem.capacities.assign(rows, 4.0);
    Group group;
    for (int i = 0; i < 3; ++i) {
      group.options.push_back({{i * 1e-310}, std::vector<double>(rows, static_cast<double>(i)), {}});
    }
    problem.groups.assign(4, group);
    problem.groups[1].options[0].use[0] = 0.5;
    for (const double value : Tabled(problem).table.value) EXPECT_EQ(value, 0.0);
    const ChoiceResult result = CoreSolver().solve(problem, {});
    EXPECT_EQ(result.verdict, Verdict::optimal);
    EXPECT_EQ(result.picks, ExhaustiveSolver().solve(problem, {}).picks);
  }
}

TEST(Table, RowsThatCannotBindAreLeftOut) {
  ChoiceProblem problem = bench::make_instance(Family::standard, 4, 8, 3, 0.5, 2);
  EXPECT_EQ(Tabled(problem).table.rows, 3U);
  problem.capacities[1] = 1e12;
  EXPECT_EQ(Tabled(problem).table.source, (std::vector<std::size_t>{0, 2}));
}

// ---- relaxation.hpp

TEST(Relaxation, BoundsTheOptimumAndRefutesOnlyWhatIsInfeasible) {
  each_small_instance(3, [](const ChoiceProblem& problem) {
    if (screen(problem).infeasible) return;
    const Tabled tabled(problem);
    const Relaxation relaxation = relax(tabled.table, {}, nullptr);
    const ChoiceResult best = ExhaustiveSolver().solve(problem, {});
    if (relaxation.infeasible) {
      ASSERT_EQ(best.verdict, Verdict::infeasible);
    } else if (best.verdict == Verdict::optimal) {
      ASSERT_GE(tabled.table.bound(relaxation.bound), *best.bound);
    }
    for (const double price : relaxation.prices) ASSERT_GE(price, 0.0);
  });
}

// Any start leads to the same least value of the dual: it is the LP's optimum.
TEST(Relaxation, ReachesTheSameBoundFromAnyStart) {
  for (const Family family : {Family::standard, Family::correlated, Family::processors, Family::identical}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Tabled tabled(bench::make_instance(family, 12, 20, 5, 0.5, seed));
      const double bound = relax(tabled.table, {}, nullptr).bound;
      test::Random random(seed);
      for (int i = 0; i < 5; ++i) {
        std::vector<double> start;
        for (std::size_t k = 0; k < tabled.table.rows; ++k) start.push_back(random.uniform(0.0, 3.0));
        EXPECT_NEAR(relax(tabled.table, start, nullptr).bound, bound, 1e-8 * (1.0 + std::abs(bound)))
            << to_string(family) << " seed " << seed;
      }
    }
  }
}

TEST(Relaxation, RefutesWhatNotEvenFractionsHold) {
  for (const std::size_t groups : {5U, 60U, 200U}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Tabled tabled(bench::make_instance(Family::infeasible_relaxation, groups, 30, 3, 0.5, seed));
      EXPECT_TRUE(estimate(tabled.table, nullptr).infeasible || relax(tabled.table, {}, nullptr).infeasible);
    }
  }
}

// ---- incumbent.hpp

TEST(Incumbent, RepairEndsWithASelectionThatHoldsAndFillingKeepsItSo) {
  int repaired = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Tabled tabled(bench::make_instance(Family::standard, 10, 20, 3, 0.5, seed));
    const Relaxation relaxation = relax(tabled.table, {}, nullptr);
    Selection selection = rounded(tabled.table, relaxation);
    if (!repair(tabled.table, relaxation.loss, selection, nullptr)) continue;
    ++repaired;
    const double before = evaluate(tabled.problem, picks_of(tabled.table, selection)).levels[0];
    fill(tabled.table, selection, nullptr);
    const Evaluation after = evaluate(tabled.problem, picks_of(tabled.table, selection));
    EXPECT_TRUE(after.feasible);
    EXPECT_GE(after.levels[0], before);
  }
  EXPECT_GT(repaired, 35);
}

// ---- core_search.hpp, core_list.hpp, branching.hpp: each proves the optimum alone, from nothing

enum class Engine { search, list, branch };

double best_by(Engine engine, const Tabled& tabled) {
  const Relaxation relaxation = relax(tabled.table, {}, nullptr);
  if (relaxation.infeasible) return -kInfinite;
  double best = -kInfinite;
  const auto wanted = [&] {
    return (best - tabled.table.value_offset - tabled.table.value_slop) / tabled.table.value_scale;
  };
  const auto accept = [&](const Selection& selection) {
    const Evaluation evaluation = evaluate(tabled.problem, picks_of(tabled.table, selection));
    if (evaluation.feasible) best = std::max(best, evaluation.levels[0]);
    return wanted();
  };
  const Selection base = rounded(tabled.table, relaxation);
  if (engine == Engine::search) {
    const auto budget = [&](const Selection& selection) { return relaxation.bound - accept(selection); };
    EXPECT_EQ(search_core(tabled.table, relaxation, base, kInfinite, budget, nullptr, kNoLimit).limit,
              Limit::none);
  } else if (engine == Engine::list) {
    EXPECT_EQ(search_list(tabled.table, relaxation, base, -kInfinite, accept, nullptr, kNoLimit).limit,
              Limit::none);
  } else {
    EXPECT_EQ(branch(tabled.table, relaxation, -kInfinite, accept, nullptr, kNoLimit).limit, Limit::none);
  }
  return best;
}

void expect_optimum(Engine engine, std::size_t rows) {
  each_small_instance(rows, [engine](const ChoiceProblem& problem) {
    if (screen(problem).infeasible) return;
    const Tabled tabled(problem);
    if (engine == Engine::list && tabled.table.rows != 1) return;
    const ChoiceResult best = ExhaustiveSolver().solve(problem, {});
    const double found = best_by(engine, tabled);
    if (best.verdict == Verdict::infeasible) {
      ASSERT_EQ(found, -kInfinite);
    } else {
      ASSERT_TRUE(equal_value(found, *best.bound)) << found << " instead of " << *best.bound;
    }
  });
}

TEST(CoreSearch, FindsTheOptimum) { expect_optimum(Engine::search, 3); }
TEST(CoreList, FindsTheOptimum) { expect_optimum(Engine::list, 1); }
// Ever so many answers refused by plain arithmetic: what was not looked at is not proven to be nothing.
TEST(CoreList, ClaimsNoEndWhenWantedStatesWerePassedOver) {
  const Tabled tabled(bench::make_instance(Family::standard, 5, 6, 1, 0.5, 4));
  ASSERT_EQ(tabled.table.rows, 1U);
  const Relaxation relaxation = relax(tabled.table, {}, nullptr);
  const auto refuse = [](const Selection&) { return -kInfinite; };
  EXPECT_EQ(search_list(tabled.table, relaxation, rounded(tabled.table, relaxation), -kInfinite, refuse,
                        nullptr, kNoLimit)
                .limit,
            Limit::work);
}
TEST(Branching, FindsTheOptimum) {
  expect_optimum(Engine::branch, 3);
  expect_optimum(Engine::branch, 5);
}

TEST(Branching, HearsAStopWithinANodeAndItsBoundStands) {
  const Tabled tabled(bench::make_instance(Family::correlated, 12, 12, 3, 0.5, 2));
  const Relaxation relaxation = relax(tabled.table, {}, nullptr);
  const double value = *CoreSolver().solve(tabled.problem, {}).bound;
  for (std::int64_t stop_at = 1; stop_at < 100'000; stop_at = stop_at * 3 / 2 + 1) {
    std::int64_t polls = 0;
    const std::function<bool()> stop = [&] { return ++polls >= stop_at; };
    double best = -kInfinite;
    const auto accept = [&](const Selection& selection) {
      const Evaluation evaluation = evaluate(tabled.problem, picks_of(tabled.table, selection));
      if (evaluation.feasible) best = std::max(best, evaluation.levels[0]);
      return (best - tabled.table.value_offset - tabled.table.value_slop) / tabled.table.value_scale;
    };
    const BranchOutcome outcome = branch(tabled.table, relaxation, -kInfinite, accept, stop, 300);
    EXPECT_GE(tabled.table.bound(outcome.bound), value * (1.0 - kTolerance));
    EXPECT_LE(polls, stop_at + 1);
    if (outcome.limit == Limit::stop) continue;
    EXPECT_GE(polls, 2 * outcome.nodes);  // more than the one look before each node
    return;
  }
  FAIL() << "it does not end";
}

// With more groups than a node searches to the end, and answers refused although they seem to hold, all
// that remains is to split whole relaxations of equal groups: no half of them may be lost.
TEST(Branching, LosesNoSelectionOfEqualGroupsWhenTheBestOnesAreRefused) {
  constexpr std::size_t kMembers = 201;
  test::Random random(7);
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
      const Relaxation relaxation = relax(tabled.table, {}, nullptr);
      double best = -kInfinite;
      const auto accept = [&](const Selection& selection) {
        const Evaluation evaluation = evaluate(problem, picks_of(tabled.table, selection));
        if (evaluation.feasible && evaluation.levels[0] <= most) best = std::max(best, evaluation.levels[0]);
        return (best - tabled.table.value_offset) / tabled.table.value_scale + 1e-9;
      };
      const BranchOutcome outcome = branch(tabled.table, relaxation, -kInfinite, accept, nullptr, 20'000);
      if (outcome.limit != Limit::none) continue;
      ++ended;
      EXPECT_NEAR(best, values[refused], 1e-6) << instance << ", " << refused << " refused";
    }
  }
  EXPECT_GT(ended, 40);
}

}  // namespace
}  // namespace saccade::ilp
