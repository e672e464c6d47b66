// Paper 002: how often LNT and Knapsack meet a target time, and how far from the least energy they are, on
// profiles of the shape that the paper publishes; the exact method beside them.
#include "placement/transitions.hpp"

#include <gtest/gtest.h>

#include "bench/placement/made_networks.hpp"
#include "placement/exact.hpp"
#include "placement/paths.hpp"
#include "tests/placement/support.hpp"

namespace saccade::placement {
namespace {

// Profiles in the coarse ranges of 002 (bench/placement/made_networks.hpp): the DLA's share of time and the
// GPU's of energy change with depth, as the paper shows them, or are as different from layer to layer in no
// order.
enum class Order { by_depth, none };

// Targets between the GPU's time and the DLA's.
std::vector<Seconds> targets(const Costs& costs) {
  const double gpu = costs.time(0, 0, costs.layers());
  return {Seconds(gpu * 1.2), Seconds(gpu * 1.5), Seconds(gpu * 2.0), Seconds(gpu * 2.8)};
}

constexpr std::uint64_t kInstances = 50;

struct Score {
  int missed = 0, cases = 0;
  double above = 0.0;  // energy above the least, summed over targets that were met
  [[nodiscard]] double missed_share() const { return static_cast<double>(missed) / cases; }
  [[nodiscard]] double mean_above() const { return cases > missed ? above / (cases - missed) : 0.0; }
};

template <class Strategy>
Score score(double transfer, const Strategy& strategy, Order order = Order::by_depth) {
  Score result;
  for (std::uint64_t seed = 1; seed <= kInstances; ++seed) {
    const Costs costs(bench::resnet_on_orin(seed, transfer, 17, order == Order::by_depth));
    for (const Seconds target : targets(costs)) {
      const Solution best = least_energy(costs, target);
      EXPECT_LE(evaluate(costs, *best.placement).latency, target);
      const Found found = strategy(costs, target);
      ++result.cases;
      if (!found.placement || evaluate(costs, *found.placement).latency > target) {
        ++result.missed;
        continue;
      }
      const double energy = evaluate(costs, *found.placement).energy->value();
      EXPECT_GE(energy, best.value * (1.0 - 1e-12));
      result.above += energy / best.value - 1.0;
    }
  }
  return result;
}

Score lnt(double transfer, std::size_t transitions, bool counted) {
  return score(transfer, [&](const Costs& costs, Seconds target) {
    return limited_transitions(costs, target, {transitions, counted});
  });
}

Score knapsack_score(double transfer, Profit profit, Order order = Order::by_depth) {
  return score(
      transfer, [&](const Costs& costs, Seconds target) { return knapsack(costs, target, 0, 1, {profit}); },
      order);
}

TEST(Transitions, CountedTheyNeverMissATarget) {
  for (const std::size_t transitions : {1U, 2U, 3U}) EXPECT_EQ(lnt(0.01, transitions, true).missed, 0);
  EXPECT_LE(lnt(0.01, 3, true).mean_above(), 0.01);
}

TEST(Transitions, IgnoredTheyMissMoreWithEveryTransitionAllowed) {
  const double one = lnt(0.03, 1, false).missed_share(), three = lnt(0.03, 3, false).missed_share();
  EXPECT_GT(one, 0.0);
  EXPECT_GT(three, one);
}

TEST(Transitions, KnapsackMissesTargetsOnceTransitionsCost) {
  EXPECT_EQ(knapsack_score(0.0, Profit::ratio).missed, 0);
  EXPECT_EQ(knapsack_score(0.0, Profit::joule).missed, 0);
  for (const Profit profit : {Profit::ratio, Profit::joule}) {
    const double at_one = knapsack_score(0.01, profit).missed_share();
    const double at_three = knapsack_score(0.03, profit).missed_share();
    EXPECT_GT(at_one, 0.2);
    EXPECT_GT(at_three, at_one);
    EXPECT_GE(at_three, 0.5);
  }
}

// In order it moves neighbors together, and few transitions come of it; without one it misses at 1 % already.
TEST(Transitions, KnapsackMissesMostTargetsWhereLayersDifferInNoOrder) {
  for (const Profit profit : {Profit::ratio, Profit::joule}) {
    EXPECT_EQ(knapsack_score(0.0, profit, Order::none).missed, 0);
    const double at_one = knapsack_score(0.01, profit, Order::none).missed_share();
    EXPECT_GE(at_one, 0.5);
    EXPECT_GT(at_one, knapsack_score(0.01, profit).missed_share());
  }
  const auto exact = [](const Costs& costs, Seconds target) {
    return Found{least_energy(costs, target).placement, 0.0, 1, true};
  };
  EXPECT_EQ(score(0.01, exact, Order::none).missed, 0);
}

TEST(Transitions, WithoutTransfersJoulesAreNearlyTheBestProfit) {
  const double ratio = knapsack_score(0.0, Profit::ratio).mean_above();
  const double joule = knapsack_score(0.0, Profit::joule).mean_above();
  EXPECT_LE(joule, 0.001);  // what rounding up to the grid costs
  EXPECT_GT(ratio, joule);
}

TEST(Transitions, EnumerationEqualsTheExactMethodWithAsManyStages) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Costs costs(bench::resnet_on_orin(seed, 0.01));
    for (const Seconds target : targets(costs)) {
      EnergyOptions options;
      options.max_stages = 4;
      EXPECT_NEAR(limited_transitions(costs, target, {3, true}).believed,
                  least_energy(costs, target, options).value, 1e-12);
    }
  }
}

// Paper 002 reports that fine groups may take more energy than the GPU alone, and coarse ones never do.
TEST(Transitions, CoarseGroupsTakeNoMoreEnergyThanTheGpuAloneAtAnyBatch) {
  for (const int batch : {1, 2, 4}) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      SCOPED_TRACE("batch " + std::to_string(batch) + ", seed " + std::to_string(seed));
      const Costs costs(bench::resnet_batch_on_orin(seed, 17, batch));
      const double alone = costs.energy(0, 0, costs.layers());
      for (const Seconds target : targets(costs)) {
        std::vector<Found> all = {knapsack(costs, target, 0, 1, {Profit::ratio}),
                                  knapsack(costs, target, 0, 1, {Profit::joule})};
        for (const std::size_t transitions : {1U, 2U, 3U}) {
          for (const bool counted : {true, false})
            all.push_back(limited_transitions(costs, target, {transitions, counted}));
        }
        for (const Found& found : all) {
          ASSERT_TRUE(found.placement);
          EXPECT_LE(evaluate(costs, *found.placement).energy->value(), alone * (1.0 + 1e-12));
        }
        EXPECT_LE(least_energy(costs, target).value, alone * (1.0 + 1e-12));
      }
    }
  }
}

TEST(Transitions, AnImpossibleTargetHasNoPlacement) {
  const Costs costs(bench::resnet_on_orin(1, 0.01));
  EXPECT_FALSE(limited_transitions(costs, Seconds(1e-4)).placement);
  EXPECT_FALSE(knapsack(costs, Seconds(1e-4), 0, 1).placement);
  EXPECT_FALSE(least_energy(costs, Seconds(1e-4)).placement);
}

}  // namespace
}  // namespace saccade::placement
