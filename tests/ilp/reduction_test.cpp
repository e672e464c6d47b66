// Each step of the reduction alone: what it promises, and that the optimum stays what it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/solver/families.hpp"
#include "bench/solver/random.hpp"
#include "ilp/core.hpp"
#include "ilp/core_search.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "ilp/grid.hpp"
#include "ilp/incumbent.hpp"
#include "ilp/relaxation.hpp"
#include "ilp/sifting.hpp"
#include "ilp/table.hpp"
#include "tests/ilp/tabled.hpp"

namespace saccade::ilp {
namespace {

using bench::Family;
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
  bench::Random random(5);
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
      bench::Random random(seed);
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

// ---- sifting.hpp

// On few options, the others held against its prices: the same bound, and every option's loss.
TEST(Sifting, FindsTheRelaxationOfTheWholeTable) {
  for (const Family family : {Family::standard, Family::correlated, Family::processors}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Tabled tabled(bench::make_instance(family, 120, 40, 5, seed % 2 == 0 ? 0.5 : 0.15, seed));
      const Relaxation plain = relax(tabled.table, {}, nullptr);
      bench::Random random(seed);
      std::vector<double> far(tabled.table.rows);
      for (double& price : far) price = random.uniform(0.0, 3.0);
      for (const std::vector<double>& start : {estimate(tabled.table, nullptr).prices, far}) {
        const Relaxation sifted = sift(tabled.table, start, nullptr);
        const double magnitude = 1.0 + std::abs(plain.bound);
        EXPECT_NEAR(sifted.bound, plain.bound, 1e-8 * magnitude) << to_string(family) << " seed " << seed;
        ASSERT_EQ(sifted.loss.size(), tabled.table.options());
        const Selection base = rounded(tabled.table, sifted);
        double value = 0.0;
        for (const std::uint32_t option : base.at) value += tabled.table.value[option];
        for (std::size_t k = 0; k < tabled.table.rows; ++k) value += sifted.prices[k] * base.spare[k];
        for (const std::uint32_t option : base.at) value += sifted.loss[option];
        EXPECT_NEAR(value, sifted.bound, 1e-8 * magnitude);  // losses and what is spare tell the rest
      }
    }
  }
}

// ---- core.hpp

TEST(Core, HoldsEverySelectionThatIsBetterThanTheValueItWasMadeFor) {
  int fixed = 0;
  each_small_instance(3, [&fixed](const ChoiceProblem& problem) {
    const ChoiceResult best = ExhaustiveSolver().solve(problem, {});
    if (best.verdict != Verdict::optimal) return;
    const Tabled tabled(problem);
    const Relaxation relaxation = relax(tabled.table, {}, nullptr);
    std::vector<std::uint32_t> at;
    for (std::size_t group = 0; group < best.picks.size(); ++group) {
      at.push_back(tabled.table.first[tabled.table.class_of[group]] +
                   static_cast<std::uint32_t>(best.picks[group]));
    }
    const Selection selection = selection_of(tabled.table, at);
    for (const double value : {-kInfinite, wanted_above(tabled.table, *best.bound)}) {
      const Core core = core_of(tabled.table, relaxation, value);
      const std::optional<Selection> part = part_of(core, selection);
      ASSERT_TRUE(part.has_value());
      EXPECT_TRUE(holds(*part));
      EXPECT_EQ(picks_of(tabled.table, core, *part), best.picks);
      double worth = core.fixed_value;
      for (const std::uint32_t option : part->at) worth += core.table.value[option];
      EXPECT_GE(core.relaxation.bound + core.fixed_value, worth);
      fixed += core.table.options() < tabled.table.options() ? 1 : 0;
    }
  });
  EXPECT_GT(fixed, 50);
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

}  // namespace
}  // namespace saccade::ilp
