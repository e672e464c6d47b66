// The registry: every strategy's placement is legal, scored by the one evaluation, and never better than
// exact.
#include "placement/strategy.hpp"

#include <gtest/gtest.h>

#include <set>

#include "placement/columns.hpp"
#include "tests/placement/support.hpp"

namespace saccade::placement {
namespace {

using test::random_chain;

TEST(Strategies, AreFoundByName) {
  std::set<std::string> names;
  for (const Strategy& strategy : strategies()) {
    EXPECT_EQ(find_strategy(strategy.name), &strategy);
    names.insert(strategy.name);
  }
  EXPECT_EQ(names, (std::set<std::string>{"single", "two-stage", "k-stage", "dynamic-cut", "lnt", "knapsack",
                                          "pipe-search", "jedi", "exact"}));
  EXPECT_EQ(find_strategy("best"), nullptr);
}

TEST(Strategies, NoneIsBetterThanExactAndAllAreLegal) {
  std::set<std::string> answered;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    bench::Random random(seed);
    Chain chain = random_chain(random, {6 + random.below(10), 2 + seed % 2, 0.2, seed % 4 == 0 ? 0.1 : 0.0},
                               test::payment_by(seed));
    const Costs costs(chain);
    Request request;
    request.max_stages = 4;
    request.aim.objective = static_cast<Objective>(seed % 3);
    if (seed % 3 == 2 && seed % 2 == 0) request.aim.deadline = Seconds(0.025);
    const Answer exact = find_strategy("exact")->run(costs, request);
    for (const Strategy& strategy : strategies()) {
      SCOPED_TRACE(strategy.name);
      const Answer answer = strategy.run(costs, request);
      ASSERT_TRUE(answer.placement || !answer.reason.empty());
      if (!answer.placement) continue;
      answered.insert(strategy.name);
      EXPECT_TRUE(complaints(costs, *answer.placement).empty());
      EXPECT_EQ(answer.value, value_of(request.aim, evaluate(costs, *answer.placement)));
      // Knapsack may use more transitions than exact is allowed.
      if (answer.placement->size() <= request.max_stages) {
        EXPECT_GE(answer.value, exact.value * (1.0 - 1e-12));
        EXPECT_GE(answer.value, exact.bound * (1.0 - 1e-12));
      }
    }
  }
  EXPECT_EQ(answered.size(), strategies().size());
}

TEST(Strategies, ExactKeepsADeadlineOnThroughputToo) {
  bench::Random random(5);
  const Chain chain = random_chain(random, {9, 2, 0.4, 0.0});
  const Costs costs(chain);
  Request request;
  const double alone = find_strategy("single")->run(costs, {{Objective::latency, {}}}).value;
  request.aim.deadline = Seconds(alone * 1.02);
  double least = kImpossible;
  test::for_each_assignment(chain, [&](const std::vector<std::size_t>&, const test::Sums& sums) {
    if (sums.stages <= 4 && sums.latency <= request.aim.deadline->value())
      least = std::min(least, sums.period());
  });
  const Answer answer = find_strategy("exact")->run(costs, request);
  EXPECT_NEAR(answer.value, least, 1e-12);
  EXPECT_NEAR(answer.bound, least, 1e-12);
  EXPECT_EQ(find_strategy("jedi")->run(costs, request).reason, "it knows no deadline");
}

bool dominates(const Evaluation& a, const Evaluation& b) {
  bool better = a.latency < b.latency || a.energy < b.energy;
  if (a.latency > b.latency || a.energy > b.energy) return false;
  for (std::size_t p = 0; p < a.load.size(); ++p) {
    if (a.load[p] > b.load[p] || a.memory[p] > b.memory[p]) return false;
    better = better || a.load[p] < b.load[p] || a.memory[p] < b.memory[p];
  }
  return better;
}

TEST(Columns, OfferTheBestByEveryMeasureAndNothingDominated) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    bench::Random random(seed);
    const Costs costs(random_chain(random, {40, 3, 0.1, 0.0}));
    const std::vector<Column> columns = start_set(costs);
    ASSERT_LE(columns.size(), 64U);
    ASSERT_GT(columns.size(), 20U);
    for (const Column& a : columns) {
      EXPECT_TRUE(complaints(costs, a.placement).empty());
      for (const Column& b : columns) EXPECT_FALSE(dominates(a.evaluation, b.evaluation));
    }
    const auto least = [&](auto measure) {
      double value = kImpossible;
      for (const Column& column : columns) value = std::min(value, measure(column.evaluation));
      return value;
    };
    const auto exact = [&](Objective objective) {
      return find_strategy("exact")->run(costs, {{objective, {}}, 0}).value;
    };
    EXPECT_NEAR(least([](const Evaluation& e) { return e.latency.value(); }), exact(Objective::latency),
                1e-12);
    EXPECT_NEAR(least([](const Evaluation& e) { return e.energy->value(); }), exact(Objective::energy),
                1e-12);
    for (std::size_t p = 0; p < 3; ++p) {  // leaving a processor alone is offered
      EXPECT_EQ(least([&](const Evaluation& e) { return e.load[p].value(); }), 0.0);
    }
  }
}

TEST(Columns, OfferCopiesOnProcessorsThatAreAlike) {
  // Before another processor; between two stages of it.
  const Costs first(chain_of({{9, 9, 2}, {5, 3, 9}, {5, 3, 9}})),
      between(chain_of({{1, 9, 9, 1}, {9, 5, 3, 9}, {9, 5, 3, 9}}));
  const auto best = [](const Costs& costs) {
    std::string placement;
    double period = kImpossible;
    for (const Column& column : start_set(costs)) {
      if (column.evaluation.period.value() >= period) continue;
      period = column.evaluation.period.value();
      placement = to_string(costs, column.placement);
    }
    return placement;
  };
  EXPECT_EQ(best(first), "p1+p2 0-1, p0 2");
  EXPECT_EQ(best(between), "p0 0, p1+p2 1-2, p0 3");
  ColumnOptions two_stages;
  two_stages.max_stages = 2;
  for (const Column& column : start_set(between, two_stages))
    EXPECT_FALSE(column.placement.size() > 2 && column.placement[1].copies > 1);
  const Costs other(chain_of({{9, 9, 2}, {5, 3, 9}, {5, 4, 9}}));
  for (const Column& column : start_set(other)) {
    for (const Stage& stage : column.placement) EXPECT_EQ(stage.copies, 1U);
  }
}

TEST(Columns, PricingFindsNoPlacementCheaperThanItsOwn) {
  bench::Random random(11);
  const Costs costs(random_chain(random, {30, 3, 0.1, 0.0}));
  for (int round = 0; round < 20; ++round) {
    const PathWeights duals{
        {random.uniform(), random.uniform(), random.uniform()}, random.uniform(0.0, 0.1), {}};
    const auto priced = price(costs, duals, 1e-3);
    const auto cost = [&](const Evaluation& evaluation) {
      double sum = duals.energy * evaluation.energy->value();
      for (std::size_t p = 0; p < 3; ++p) sum += duals.time[p] * evaluation.load[p].value();
      return sum - 1e-3;
    };
    EXPECT_NEAR(cost(evaluate(costs, priced->placement)), priced->reduced_cost, 1e-12);
    for (const Column& column : start_set(costs))
      EXPECT_GE(cost(column.evaluation), priced->reduced_cost - 1e-12);
  }
}

}  // namespace
}  // namespace saccade::placement
