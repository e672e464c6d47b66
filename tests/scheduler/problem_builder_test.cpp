// The choice problem of random snapshots, option by option: each is what its offer uses and is worth, however
// many are built at once.
#include "scheduler/problem_builder.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "ilp/core_solver.hpp"
#include "ilp/flat_problem.hpp"
#include "scheduler/transprecision.hpp"
#include "tests/scheduler/whole_problems.hpp"
#include "tests/support/random_snapshot.hpp"

namespace saccade::scheduler {
namespace {

// At the demand, below it, off: in turn.
Offers mixed_offers(const Menus& menus) {
  Offers offers;
  for (const Choice& choice : menus.choices()) {
    const Fps demand = menus.snapshot().tasks[choice.task].demand;
    std::vector<Offer>& own = offers.emplace_back();
    for (const std::size_t variant : choice.front) {
      own.push_back({variant, demand});
      own.push_back({variant, demand * 0.625});
      own.push_back({});
    }
  }
  return offers;
}

double later_level(const Menus& menus, const Choice& choice, const Offer& offer, std::size_t level) {
  if (offer.off()) return 0.0;
  const Task& task = menus.snapshot().tasks[choice.task];
  const VariantCost cost = variant_cost(menus.snapshot(), task, offer.variant);
  switch (level) {
    case 1:
      return switches(task, offer.variant) ? -1.0 : 0.0;
    case 2:
      return task.weight * cost.relative_accuracy;
    case 3:
      return choice.energy_measured ? -(*cost.energy * offer.rate).value() : 0.0;
    default:
      return choice.memory_measured ? -cost.memory->value() : 0.0;
  }
}

TEST(ProblemBuilder, MakesOfEveryOfferWhatItUsesAndIsWorth) {
  test::RandomSnapshots snapshots(91);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const Snapshot snapshot = snapshots.next();
    const Menus menus(snapshot);
    const ProblemBuilder builder(menus);
    const Offers offers = mixed_offers(menus);
    const ilp::ChoiceProblem problem = builder.problem(offers);
    EXPECT_EQ(ilp::validate(problem), "");
    ASSERT_EQ(problem.groups.size(), offers.size());
    for (std::size_t c = 0; c < offers.size(); ++c) {
      const Choice& choice = menus.choices()[c];
      ASSERT_EQ(problem.groups[c].options.size(), offers[c].size());
      for (std::size_t o = 0; o < offers[c].size(); ++o) {
        const Offer& offer = offers[c][o];
        const ilp::Option& option = problem.groups[c].options[o];
        const ilp::Option expected = builder.option(choice, offer);
        EXPECT_TRUE(option.use == expected.use && option.peak == expected.peak);
        for (std::size_t row = 0; row < option.use.size(); ++row) {
          EXPECT_EQ(option.use[row], builder.use(choice, offer, row));
        }
        EXPECT_EQ(option.levels[0], builder.value(choice, offer));
        for (std::size_t level = 1; level < problem.level_count; ++level) {
          EXPECT_EQ(option.levels[level], later_level(menus, choice, offer, level));
        }
      }
    }
  }
}

TEST(ProblemBuilder, FramesTheSameProblem) {
  test::RandomSnapshots snapshots(93);
  int framed = 0;
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(i);
    const Snapshot snapshot = snapshots.next();
    const Menus menus(snapshot);
    const ProblemBuilder builder(menus);
    if (!builder.may_be_flat()) continue;
    ++framed;
    const Offers offers = mixed_offers(menus);
    const ilp::ChoiceProblem problem = builder.problem(offers), frame = builder.frame();
    const ilp::FlatProblem expected = ilp::flatten(problem), flat = builder.flat(offers, frame);
    EXPECT_TRUE(frame.groups.empty());
    EXPECT_EQ(frame.capacities, problem.capacities);
    EXPECT_EQ(frame.level_count, problem.level_count);
    EXPECT_TRUE(ilp::flat_well_formed(flat));
    EXPECT_EQ(flat.rows, expected.rows);
    EXPECT_EQ(flat.first, expected.first);
    EXPECT_EQ(flat.value, expected.value);
    EXPECT_EQ(flat.use, expected.use);
    for (std::size_t c = 0; c < offers.size(); ++c) {
      for (std::size_t o = 0; o < offers[c].size(); ++o) {
        const ilp::Option option = flat.option_of(c, o);
        EXPECT_TRUE(option.levels == problem.groups[c].options[o].levels);
        EXPECT_TRUE(option.use == problem.groups[c].options[o].use);
      }
    }
  }
  EXPECT_GT(framed, 100);
}

TEST(ProblemBuilder, FramedProblemsHaveTheSamePlans) {
  test::RandomSnapshots snapshots(94, {.most_tasks = 60, .most_variants = 5, .most_load = 1.5});
  const ilp::CoreSolver core;
  const test::WholeProblems whole;
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    Snapshot snapshot = snapshots.next();
    snapshot.degrade = Degrade::refuse;
    const Plan plan = Transprecision(core).decide(snapshot, {});
    const Plan expected = Transprecision(whole).decide(snapshot, {});
    EXPECT_EQ(plan.status, expected.status);
    EXPECT_EQ(plan.objective_value, expected.objective_value);
    EXPECT_EQ(plan.bound, expected.bound);
    EXPECT_EQ(plan.solver_calls, expected.solver_calls);
    ASSERT_EQ(plan.tasks.size(), expected.tasks.size());
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      EXPECT_EQ(plan.tasks[t].variant, expected.tasks[t].variant);
      EXPECT_EQ(plan.tasks[t].granted, expected.tasks[t].granted);
    }
  }
  EXPECT_GT(whole.framed(), 10);
}

TEST(ProblemBuilder, OffersWhatTheMenuHas) {
  test::RandomSnapshots snapshots(92);
  for (int i = 0; i < 300; ++i) {
    const Snapshot snapshot = snapshots.next();
    const Menus menus(snapshot);
    Rates rates = menus.demanded();
    for (Fps& rate : rates) rate = rate * static_cast<double>(snapshots.below(5)) * 0.25;
    const Offers expected = offers_at(menus.menu(rates), rates);
    const Offers offers = offers_at(menus, rates);
    ASSERT_EQ(offers.size(), expected.size());
    for (std::size_t c = 0; c < offers.size(); ++c) {
      ASSERT_EQ(offers[c].size(), expected[c].size());
      for (std::size_t o = 0; o < offers[c].size(); ++o) {
        EXPECT_EQ(offers[c][o].variant, expected[c][o].variant);
        EXPECT_EQ(offers[c][o].rate, expected[c][o].rate);
      }
    }
  }
}

}  // namespace
}  // namespace saccade::scheduler
