// Each step of the reduction alone: what it promises, and that the optimum stays what it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/solver/choice_instances.hpp"
#include "bench/solver/families.hpp"
#include "bench/solver/random.hpp"
#include "ilp/core/core.hpp"
#include "ilp/core/depth_first_search.hpp"
#include "ilp/core/grid.hpp"
#include "ilp/core/lp_relaxation.hpp"
#include "ilp/core/selection.hpp"
#include "ilp/core/sifting.hpp"
#include "ilp/core/table.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "tests/ilp/tabled.hpp"

namespace saccade::ilp {
namespace {

using bench::Family;

// ---- screening.hpp

bool fits_alone(const ChoiceProblem& problem, const Option& option) {
  double peak = 0.0;
  for (const double amount : option.peak) peak += amount;
  bool fits = !problem.peak_capacity || holds(peak, *problem.peak_capacity);
  for (std::size_t row = 0; row < problem.capacities.size(); ++row) {
    fits = fits && holds(option.use[row], problem.capacities[row]);
  }
  return fits;
}

double least_use(const Group& group, std::size_t row) {
  double least = group.options.front().use[row];
  for (const Option& option : group.options) least = std::min(least, option.use[row]);
  return least;
}

// An option is open iff it fits alone and beside the minima of all other groups.
void expect_plain_screening(const ChoiceProblem& problem) {
  const Screening screening = screen(problem);
  const std::size_t rows = problem.capacities.size();
  std::vector<double> least(rows, 0.0);
  std::vector<std::size_t> culprits;
  for (std::size_t row = 0; row < rows; ++row) {
    for (const Group& group : problem.groups) least[row] += least_use(group, row);
    if (!holds(least[row], problem.capacities[row])) culprits.push_back(row);
  }
  ASSERT_EQ(screening.culprits, culprits);
  if (!culprits.empty() || screening.peak_is_culprit) return;
  bool some_group_closed = false;
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < problem.groups[group].options.size(); ++i) {
      const Option& option = problem.groups[group].options[i];
      bool fits = fits_alone(problem, option);
      for (std::size_t row = 0; row < rows; ++row) {
        const double allowed = problem.capacities[row] * (1.0 + kTolerance);
        const double most = allowed - least[row] + least_use(problem.groups[group], row);
        fits = fits && option.use[row] <= most + 1e-12 * (allowed + least[row]);
      }
      if (fits) open.push_back(i);
    }
    ASSERT_EQ(screening.open[group], open);
    some_group_closed = some_group_closed || open.empty();
  }
  ASSERT_EQ(screening.infeasible, some_group_closed);
}

TEST(Screening, ExcludesExactlyWhatPlainSumsExclude) {
  each_small_instance(3, expect_plain_screening);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const bench::ChoiceShape shape{
        .tasks = 1 + seed % 4, .variants = 6, .tightness = seed % 2 == 0 ? 0.5 : 0.1};
    expect_plain_screening(bench::random_choice_problem(bench::ChoiceFamily::peaks, shape, seed));
  }
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
      EXPECT_FALSE(screen(problem).infeasible);
      const Tabled tabled(problem);
      EXPECT_EQ(tabled.table.rows, 0U);  // none can bind
      const LpRelaxation relaxation = relax(tabled.table, {}, nullptr);
      const Selection base = round_lp(tabled.table, relaxation);
      for (const double cutoff : {relaxation.bound, -kInfinite}) {
        const auto keep = [cutoff](const Selection&) { return cutoff; };
        EXPECT_EQ(search_depth_first(tabled.table, relaxation, base, cutoff, keep, {nullptr, kNoLimit}).limit,
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
        ASSERT_TRUE(is_feasible(selection));
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

// ---- lp_relaxation.hpp

TEST(LpRelaxation, BoundsTheOptimumAndRefutesOnlyWhatIsInfeasible) {
  each_small_instance(3, [](const ChoiceProblem& problem) {
    if (screen(problem).infeasible) return;
    const Tabled tabled(problem);
    const LpRelaxation relaxation = relax(tabled.table, {}, nullptr);
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
TEST(LpRelaxation, ReachesTheSameBoundFromAnyStart) {
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

TEST(LpRelaxation, RefutesWhatNotEvenFractionsHold) {
  for (const std::size_t groups : {5U, 60U, 200U}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Tabled tabled(bench::make_instance(Family::infeasible_relaxation, groups, 30, 3, 0.5, seed));
      EXPECT_TRUE(sample_prices(tabled.table, nullptr).infeasible ||
                  relax(tabled.table, {}, nullptr).infeasible);
    }
  }
}

// ---- sifting.hpp

// On few options, the others held against its prices: the same bound, and every option's loss.
TEST(Sifting, FindsTheRelaxationOfTheWholeTable) {
  for (const Family family : {Family::standard, Family::correlated, Family::processors}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Tabled tabled(bench::make_instance(family, 120, 40, 5, seed % 2 == 0 ? 0.5 : 0.15, seed));
      const LpRelaxation plain = relax(tabled.table, {}, nullptr);
      bench::Random random(seed);
      std::vector<double> far(tabled.table.rows);
      for (double& price : far) price = random.uniform(0.0, 3.0);
      for (const std::vector<double>& start : {sample_prices(tabled.table, nullptr).prices, far}) {
        const LpRelaxation sifted = sift(tabled.table, start, nullptr);
        const double magnitude = 1.0 + std::abs(plain.bound);
        EXPECT_NEAR(sifted.bound, plain.bound, 1e-8 * magnitude) << to_string(family) << " seed " << seed;
        ASSERT_EQ(sifted.reduced_cost.size(), tabled.table.options());
        const Selection base = round_lp(tabled.table, sifted);
        double value = 0.0;
        for (const std::uint32_t option : base.option) value += tabled.table.value[option];
        for (std::size_t k = 0; k < tabled.table.rows; ++k) value += sifted.prices[k] * base.slack[k];
        for (const std::uint32_t option : base.option) value += sifted.reduced_cost[option];
        EXPECT_NEAR(value, sifted.bound, 1e-8 * magnitude);  // losses and what is slack tell the rest
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
    const LpRelaxation relaxation = relax(tabled.table, {}, nullptr);
    std::vector<std::uint32_t> at;
    for (std::size_t group = 0; group < best.picks.size(); ++group) {
      at.push_back(tabled.table.first[tabled.table.class_of[group]] +
                   static_cast<std::uint32_t>(best.picks[group]));
    }
    const Selection selection = selection_of(tabled.table, at);
    for (const double value : {-kInfinite, tabled.table.value_below(*best.bound)}) {
      const Core core = fix_by_reduced_cost(tabled.table, relaxation, value);
      const std::optional<Selection> part = restrict_to(core, selection);
      ASSERT_TRUE(part.has_value());
      EXPECT_TRUE(is_feasible(*part));
      EXPECT_EQ(picks_of(tabled.table, core, *part), best.picks);
      double worth = core.fixed_value;
      for (const std::uint32_t option : part->option) worth += core.table.value[option];
      EXPECT_GE(core.relaxation.bound + core.fixed_value, worth);
      fixed += core.table.options() < tabled.table.options() ? 1 : 0;
    }
  });
  EXPECT_GT(fixed, 50);
}

// ---- selection.hpp

TEST(Selection, RepairEndsFeasibleAndImprovementKeepsItSo) {
  int repaired = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Tabled tabled(bench::make_instance(Family::standard, 10, 20, 3, 0.5, seed));
    const LpRelaxation relaxation = relax(tabled.table, {}, nullptr);
    Selection selection = round_lp(tabled.table, relaxation);
    if (!repair(tabled.table, relaxation.reduced_cost, selection, nullptr)) continue;
    ++repaired;
    const double before = evaluate(tabled.problem, picks_of(tabled.table, selection)).levels[0];
    improve(tabled.table, selection, nullptr);
    const Evaluation after = evaluate(tabled.problem, picks_of(tabled.table, selection));
    EXPECT_TRUE(after.feasible);
    EXPECT_GE(after.levels[0], before);
  }
  EXPECT_GT(repaired, 35);
}

}  // namespace
}  // namespace saccade::ilp
