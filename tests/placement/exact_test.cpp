// The exact methods against all 3^9 assignments of random chains.
#include "placement/exact.hpp"

#include <gtest/gtest.h>

#include <map>

#include "placement/columns.hpp"
#include "placement/paths.hpp"
#include "placement/thriftier.hpp"
#include "tests/placement/support.hpp"

namespace saccade::placement {
namespace {

using test::random_chain;
using test::Sums;

constexpr std::uint64_t kSeeds = 60;

Chain chain_of_seed(std::uint64_t seed) {
  bench::Random random(seed);
  return random_chain(random, {9, 3, seed % 3 == 0 ? 0.6 : 0.1, seed % 5 == 0 ? 0.15 : 0.0},
                      test::payment_by(seed));
}

// What all assignments say: the answers of every method at once.
struct Oracle {
  double once_each = kImpossible;                 // E1
  std::map<std::size_t, double> by_stages;        // E2: at most so many
  double weighted = kImpossible;                  // E4
  std::vector<std::pair<double, double>> points;  // latency, energy
  [[nodiscard]] double least_energy(double deadline) const {
    double least = kImpossible;
    for (const auto& [latency, energy] : points) {
      if (latency <= deadline) least = std::min(least, energy);
    }
    return least;
  }
};

const std::vector<double> kDuals = {0.7, 1.3, 0.4};

Oracle oracle_of(const Chain& chain) {
  Oracle oracle;
  for (std::size_t k = 1; k <= 5; ++k) oracle.by_stages[k] = kImpossible;
  test::for_each_assignment(chain, [&](const std::vector<std::size_t>&, const Sums& sums) {
    const double period = sums.period();
    if (sums.once_each) oracle.once_each = std::min(oracle.once_each, period);
    for (auto& [stages, least] : oracle.by_stages) {
      if (sums.stages <= stages) least = std::min(least, period);
    }
    double weighted = 1e-3 * sums.energy;
    for (std::size_t p = 0; p < 3; ++p) weighted += kDuals[p] * sums.load[p];
    oracle.weighted = std::min(oracle.weighted, weighted);
    oracle.points.emplace_back(sums.latency, sums.energy);
  });
  return oracle;
}

TEST(Exact, EqualsBruteForceOnAllAssignments) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Chain chain = chain_of_seed(seed);
    const Costs costs(chain);
    const Oracle oracle = oracle_of(chain);

    const Solution once = least_period_once_each(costs, 3);
    EXPECT_NEAR(once.value, oracle.once_each, 1e-12);
    EXPECT_NEAR(evaluate(costs, *once.placement).period.value(), once.value, 1e-12);

    for (const auto& [stages, least] : oracle.by_stages) {
      ReuseOptions options;
      options.max_stages = stages;
      const Solution reuse = least_period(costs, options);
      EXPECT_NEAR(reuse.value, least, 1e-12) << stages << " stages";
      EXPECT_TRUE(reuse.proved());
      EXPECT_LE(reuse.placement->size(), stages);
      EXPECT_NEAR(evaluate(costs, *reuse.placement).period.value(), reuse.value, 1e-12);
    }

    const auto priced = price(costs, {kDuals, 1e-3, {}}, 0.25);
    EXPECT_NEAR(priced->reduced_cost + 0.25, oracle.weighted, 1e-12);
  }
}

TEST(Exact, LeastEnergyEqualsBruteForceAtEveryDeadline) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Chain chain = chain_of_seed(seed);
    const Costs costs(chain);
    const Oracle oracle = oracle_of(chain);
    double least = kImpossible, most = 0.0;
    for (const auto& [latency, energy] : oracle.points)
      least = std::min(least, latency), most = std::max(most, latency);
    for (const double share : {-0.01, 0.02, 0.1, 0.2, 0.4, 0.8}) {
      const double deadline = least + share * (most - least);
      const Solution solution = least_energy(costs, Seconds(deadline));
      const double expected = oracle.least_energy(deadline);
      ASSERT_EQ(solution.placement.has_value(), expected < kImpossible) << share;
      if (!solution.placement) continue;
      EXPECT_NEAR(solution.value, expected, 1e-12) << share;
      const Evaluation evaluation = evaluate(costs, *solution.placement);
      EXPECT_LE(evaluation.latency.value(), deadline + 1e-12);
      EXPECT_NEAR(evaluation.energy->value(), solution.value, 1e-12);
    }
  }
}

// What the search starts from: never dearer, never later than allowed, and with no more stages than before.
TEST(Exact, ThriftierPlacementsKeepWhatIsAskedOfThem) {
  double saved = 0.0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Chain chain = chain_of_seed(seed);
    const Costs costs(chain);
    for (std::size_t p = 0; p < 3; ++p) {
      if (!costs.runs(p, 0, costs.layers())) continue;
      const Placement whole = whole_on(costs, p);
      const Evaluation before = evaluate(costs, whole);
      for (const double slack : {0.0, 0.1, 0.5}) {
        const Seconds latency = before.latency * (1.0 + slack);
        for (const StageCount stages : {StageCount::may_grow, StageCount::must_not_grow}) {
          const Placement found = thriftier(costs, whole, latency, stages);
          ASSERT_TRUE(complaints(costs, found).empty());
          const Evaluation after = evaluate(costs, found);
          EXPECT_LE(after.latency.value(), latency.value() + 1e-12);
          EXPECT_LE(after.energy->value(), before.energy->value() + 1e-12);
          if (stages == StageCount::must_not_grow) {
            EXPECT_EQ(found.size(), 1U);
          }
          saved += before.energy->value() - after.energy->value();
        }
      }
      EXPECT_EQ(thriftier(costs, whole, before.latency * 0.5, StageCount::may_grow), whole);
    }
  }
  EXPECT_GT(saved, 0.0);
}

// As work, which does not depend on the machine: 500 layers on three processors.
TEST(Exact, LeastEnergyOfALongChainTakesLittleWork) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    bench::Random random(seed);
    const Costs costs(random_chain(random, {500, 3, 0.05, 0.0}));
    const double alone = costs.time(0, 0, costs.layers());
    const Solution solution = least_energy(costs, Seconds(1.2 * alone));
    EXPECT_TRUE(solution.proved()) << seed;
    EXPECT_LE(solution.labels, 200'000U) << seed;
  }
}

TEST(Exact, TheFrontIsThatOfAllAssignments) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Chain chain = chain_of_seed(seed);
    const Costs costs(chain);
    const Oracle oracle = oracle_of(chain);
    const Front front = energy_front(costs);
    ASSERT_TRUE(front.complete);
    ASSERT_FALSE(front.points.empty());
    for (const FrontPoint& point : front.points) {
      EXPECT_NEAR(oracle.least_energy(point.latency.value() + 1e-12), point.energy.value(), 1e-12);
      EXPECT_NEAR(evaluate(costs, point.placement).energy->value(), point.energy.value(), 1e-12);
      EXPECT_NEAR(evaluate(costs, point.placement).latency.value(), point.latency.value(), 1e-12);
    }
    for (std::size_t k = 1; k < front.points.size(); ++k) {
      EXPECT_LT(front.points[k - 1].latency, front.points[k].latency);
      EXPECT_GT(front.points[k - 1].energy, front.points[k].energy);
    }
    for (const auto& point_of_oracle : oracle.points) {
      const double latency = point_of_oracle.first;
      const double energy = point_of_oracle.second;
      const bool covered =
          std::any_of(front.points.begin(), front.points.end(), [&](const FrontPoint& point) {
            return point.latency.value() <= latency + 1e-12 && point.energy.value() <= energy + 1e-12;
          });
      ASSERT_TRUE(covered) << latency << ' ' << energy;
    }
  }
}

TEST(Exact, StagesLimitLeastEnergyToo) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Chain chain = chain_of_seed(seed);
    const Costs costs(chain);
    std::map<std::size_t, double> expected = {{1, kImpossible}, {2, kImpossible}, {3, kImpossible}};
    const double deadline = 12e-3;
    test::for_each_assignment(chain, [&](const std::vector<std::size_t>&, const Sums& sums) {
      if (sums.latency > deadline) return;
      for (auto& [stages, least] : expected) {
        if (sums.stages <= stages) least = std::min(least, sums.energy);
      }
    });
    for (const auto& [stages, least] : expected) {
      EnergyOptions options;
      options.max_stages = stages;
      const Solution solution = least_energy(costs, Seconds(deadline), options);
      ASSERT_EQ(solution.placement.has_value(), least < kImpossible);
      if (solution.placement) {
        EXPECT_NEAR(solution.value, least, 1e-12) << seed << ' ' << stages;
      }
    }
  }
}

TEST(Exact, KindsChangeNothingButTheWork) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    bench::Random random(seed);
    Chain chain = random_chain(random, {8, 4, 0.1, 0.0}, test::payment_by(seed));
    for (Layer& layer : chain.layers) layer.on[2] = layer.on[3] = layer.on[1];
    for (auto& row : chain.links) std::fill(row.begin(), row.end(), chain.links[0][1]);
    for (Boundary& boundary : chain.boundaries) {
      if (!boundary.apart.empty()) boundary.apart[2] = boundary.apart[3] = boundary.apart[1];
    }
    const Costs costs(chain);
    ASSERT_EQ(costs.kinds(), 2U);
    double least = kImpossible;
    test::for_each_assignment(chain, [&](const std::vector<std::size_t>&, const Sums& sums) {
      if (sums.once_each) least = std::min(least, sums.period());
    });
    const Solution solution = least_period_once_each(costs, 4);
    EXPECT_NEAR(solution.value, least, 1e-12) << seed;
    EXPECT_NEAR(evaluate(costs, *solution.placement).period.value(), least, 1e-12);
    EXPECT_TRUE(complaints(costs, *solution.placement).empty());
  }
}

TEST(Exact, MemoryLimitsStages) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Chain chain = chain_of_seed(seed);
    for (Processor& processor : chain.processors) processor.memory = Bytes(3.5e5);
    const Costs costs(chain);
    double least = kImpossible;
    test::for_each_assignment(chain, [&](const std::vector<std::size_t>& assignment, const Sums& sums) {
      if (sums.once_each && sums.period() < least && complaints(costs, placement_of(assignment)).empty()) {
        least = sums.period();
      }
    });
    const Solution solution = least_period_once_each(costs, 3);
    ASSERT_EQ(solution.placement.has_value(), least < kImpossible) << seed;
    if (solution.placement) {
      EXPECT_NEAR(solution.value, least, 1e-12) << seed;
    }
  }
}

TEST(Exact, ACappedSearchReportsItsGap) {
  bench::Random random(7);
  const Costs costs(random_chain(random, {120, 3, 0.05, 0.0}));
  ReuseOptions options;
  options.max_stages = 5;
  const Solution whole = least_period(costs, options);
  options.max_labels = 50;
  const Solution capped = least_period(costs, options);
  ASSERT_TRUE(capped.placement);
  EXPECT_FALSE(capped.proved());
  EXPECT_GT(capped.bound, 0.0);
  EXPECT_LE(capped.bound, whole.value * (1.0 + 1e-12));
  EXPECT_GE(capped.value, whole.value * (1.0 - 1e-12));
  EXPECT_LT(capped.value / capped.bound, 1.1);
}

TEST(Exact, AProcessorThatRunsNothingIsNeverUsed) {
  Chain chain = test::chain_of({{1, 1, 1}, {1, 1, 1}});
  for (Layer& layer : chain.layers) layer.on[1] = std::nullopt;
  const Costs costs(chain);
  EXPECT_EQ(least_period_once_each(costs, 2).placement, whole_on(costs, 0));
  EXPECT_EQ(least_period(costs, {}).placement, whole_on(costs, 0));
  chain.layers[1].on[0] = std::nullopt;
  const Costs impossible(chain);
  EXPECT_FALSE(least_period_once_each(impossible, 2).placement);
  EXPECT_FALSE(least_period(impossible, {}).placement);
  EXPECT_FALSE(price(impossible, {{1.0, 1.0}, 0.0, {}}, 0.0));
}

}  // namespace
}  // namespace saccade::placement
