// Paper 000: Algorithm 1 is exact for two stages, k stages stop too early, the dynamic cut moves under load.
#include "placement/two_stage.hpp"

#include <gtest/gtest.h>

#include "placement/exact.hpp"
#include "tests/placement/support.hpp"

namespace saccade::placement {
namespace {

using test::chain_of;
using test::random_chain;

TEST(TwoStage, EqualsTheExactMethodWhoeverPays) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    bench::Random random(seed);
    const test::Shape shape{1 + random.below(40), 2, random.uniform(0.0, 1.0), seed % 7 == 0 ? 0.1 : 0.0};
    const Costs costs(random_chain(random, shape, test::payment_by(seed)));
    const Found found = two_stage(costs, {});
    const Solution exact = least_period_once_each(costs, 2);
    ASSERT_NEAR(found.believed, exact.value, 1e-12) << seed;
    ASSERT_NEAR(evaluate(costs, *found.placement).period.value(), found.believed, 1e-12) << seed;
  }
}

TEST(TwoStage, CountsLayersAndFindsSingleProcessors) {
  const Costs balanced(chain_of({{1, 1, 9}, {9, 9, 2}}));
  EXPECT_EQ(two_stage(balanced, {}).placement, split_after(balanced, 2, 0, 1));
  const Costs only_first(chain_of({{1, 1, 1}, {90, 90, 90}}));
  EXPECT_EQ(two_stage(only_first, {}).placement, whole_on(only_first, 0));
  const Costs only_second(chain_of({{90, 90, 90}, {1, 1, 1}}));
  EXPECT_EQ(two_stage(only_second, {}).placement, whole_on(only_second, 1));
  const Costs alone(chain_of({{1, 1, 1}}));
  EXPECT_EQ(two_stage(alone, {}).placement, whole_on(alone, 0));
}

TEST(TwoStage, OptimisesEnergyAndLatencyWithinADeadline) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    bench::Random random(seed);
    const Chain chain = random_chain(random, {8, 3, 0.2, 0.0}, test::payment_by(seed));
    const Costs costs(chain);
    for (const Objective objective : {Objective::throughput, Objective::latency, Objective::energy}) {
      const Aim aim{objective, seed % 2 == 0 ? std::nullopt : std::optional(Seconds(13e-3))};
      double least = kImpossible;
      test::for_each_assignment(chain, [&](const std::vector<std::size_t>&, const test::Sums& sums) {
        if (sums.stages > 2 || (aim.deadline && sums.latency > aim.deadline->value())) return;
        const double value = objective == Objective::throughput ? sums.period()
                             : objective == Objective::latency  ? sums.latency
                                                                : sums.energy;
        least = std::min(least, value);
      });
      const Found found = two_stage(costs, aim);
      ASSERT_EQ(found.placement.has_value(), least < kImpossible);
      if (found.placement) {
        EXPECT_NEAR(found.believed, least, 1e-12) << seed;
      }
    }
  }
}

TEST(KStage, EqualsTheExactMethodWhenItDoesNotStop) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    bench::Random random(seed);
    const Costs costs(random_chain(random, {10, 3, 0.2, 0.0}, test::payment_by(seed)));
    const Found found = k_stage(costs, {}, {4, false});
    ReuseOptions options;
    options.max_stages = 4;
    EXPECT_NEAR(found.believed, least_period(costs, options).value, 1e-12) << seed;
    EXPECT_NEAR(evaluate(costs, *found.placement).period.value(), found.believed, 1e-12);
    EXPECT_TRUE(found.complete);
  }
}

TEST(KStage, StoppingWithoutAGainCanMissTheBest) {
  // Three stages are no better than two, four are: A B A B.
  int missed = 0;
  for (std::uint64_t seed = 1; seed <= 200 && missed == 0; ++seed) {
    bench::Random random(seed);
    const Costs costs(random_chain(random, {9, 2, 0.1, 0.0}));
    const Found stopped = k_stage(costs, {}, {6, true}), whole = k_stage(costs, {}, {6, false});
    EXPECT_GE(stopped.believed, whole.believed);
    EXPECT_LE(stopped.evaluations, whole.evaluations);
    if (stopped.believed > whole.believed * 1.001) ++missed;
  }
  EXPECT_EQ(missed, 1);
}

TEST(KStage, SaysThatItsWorkWasLimited) {
  bench::Random random(3);
  const Costs costs(random_chain(random, {60, 3, 0.1, 0.0}));
  const Found found = k_stage(costs, {}, {4, false, 5000});
  EXPECT_FALSE(found.complete);
  EXPECT_LE(found.evaluations, 5000);
  EXPECT_TRUE(found.placement);
}

TEST(Sequences, HaveNoEqualNeighbours) {
  EXPECT_EQ(sequences(3, 1).size(), 3U);
  EXPECT_EQ(sequences(3, 4).size(), 3U * 2 * 2 * 2);  // 000 (2) says 3^4
  for (const Sequence& sequence : sequences(3, 4)) {
    for (std::size_t k = 1; k < sequence.size(); ++k) EXPECT_NE(sequence[k - 1], sequence[k]);
  }
}

// Periods by number of layers in the first stage.
class ScriptedMeasure : public Measure {
 public:
  explicit ScriptedMeasure(std::vector<double> periods) : periods_(std::move(periods)) {}
  Measured measure(const Placement& placement) override {
    const std::size_t n = placement.size() == 2         ? placement[0].last
                          : placement[0].processor == 0 ? placement[0].last
                                                        : 0;
    return {periods_[n], {}};
  }

 private:
  std::vector<double> periods_;
};

Costs layers(std::size_t count) {
  return Costs(chain_of({std::vector<double>(count, 1.0), std::vector<double>(count, 1.0)}));
}

TEST(DynamicCut, WalksAsInThePapersExample) {
  // Section IV-D: from 23 on, 24 to 26 are better, 27 is worse.
  std::vector<double> periods(32, 20.0);
  for (std::size_t n = 23; n <= 26; ++n) periods[n] = 15.0 - static_cast<double>(n - 23);
  periods[27] = 13.5;
  ScriptedMeasure measure(periods);
  CutAverages averages;
  const DynamicCut cut = dynamic_cut(layers(31), 0, 1, 23, measure, averages);
  EXPECT_EQ(cut.layers, 26U);
  EXPECT_DOUBLE_EQ(cut.period, 12.0);
  EXPECT_EQ(cut.tried, (std::vector<std::size_t>{23, 24, 25, 26, 27}));
}

TEST(DynamicCut, TriesTheOtherWayWhenTheFirstGainsNothing) {
  ScriptedMeasure measure({9, 5, 6, 7, 8});
  CutAverages averages;
  const DynamicCut cut = dynamic_cut(layers(4), 0, 1, 3, measure, averages);
  EXPECT_EQ(cut.layers, 1U);
  EXPECT_EQ(cut.tried, (std::vector<std::size_t>{3, 4, 2, 1, 0}));
}

TEST(DynamicCut, SmallGainsDoNotMoveItAndAveragesAreKept) {
  ScriptedMeasure measure({10, 9.9, 10, 9.9, 10});
  CutAverages averages;
  EXPECT_EQ(dynamic_cut(layers(4), 0, 1, 2, measure, averages).layers, 2U);
  ScriptedMeasure spike({10, 9.9, 10, 5, 10});
  // One sample of 5 moves the average of 9.9 to 0.7 * 9.9 + 0.3 * 5.
  const DynamicCut cut = dynamic_cut(layers(4), 0, 1, 2, spike, averages);
  EXPECT_EQ(cut.layers, 3U);
  EXPECT_NEAR(cut.period, 8.43, 1e-12);
}

TEST(DynamicCut, FollowsAProcessorThatBecomesSlower) {
  Chain chain = chain_of({std::vector<double>(20, 1.0), std::vector<double>(20, 1.0)});
  for (Layer& layer : chain.layers) layer.on[0]->time = layer.on[0]->time * 2.0;
  const Costs slower(chain);
  ProfileMeasure measure(slower);
  CutAverages averages;
  const DynamicCut cut = dynamic_cut(slower, 0, 1, 10, measure, averages);
  EXPECT_NEAR(cut.period, two_stage(slower, {}).believed, 0.03 * cut.period);
}

}  // namespace
}  // namespace saccade::placement
