#include "runtime/profiling/profile_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace saccade::runtime {
namespace {

using Samples = std::vector<double>;

// 300 lists of 1 to 60 whole numbers, few enough different ones that some are equal.
template <class Law>
void for_random_samples(const Law& law) {
  std::mt19937 random(20261120);
  for (int i = 0; i < 300; ++i) {
    Samples samples(1 + random() % 60);
    for (double& sample : samples) sample = 1.0 + static_cast<double>(random() % 100);
    SCOPED_TRACE(testing::PrintToString(samples));
    law(samples);
  }
}

// n samples around `centre` with noise of +-10 % from a fixed seed.
Samples noisy(double centre, std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  Samples samples;
  for (std::size_t i = 0; i < n; ++i) {
    samples.push_back(centre *
                      (0.9 + 0.2 * static_cast<double>(random()) / static_cast<double>(random.max())));
  }
  return samples;
}

TEST(Median, IsTheMiddleOneOrHalfwayBetweenTheMiddleTwo) {
  EXPECT_EQ(median(Samples{5.0, 1.0, 3.0}), 3.0);
  EXPECT_EQ(median(Samples{5.0, 1.0, 3.0, 4.0}), 3.5);
}

TEST(Median, HasAsManySamplesBelowAsAbove) {
  for_random_samples([](const Samples& samples) {
    const double middle = median(samples);
    const auto below = std::count_if(samples.begin(), samples.end(), [&](double x) { return x < middle; });
    const auto above = std::count_if(samples.begin(), samples.end(), [&](double x) { return x > middle; });
    EXPECT_LE(2 * below, static_cast<std::ptrdiff_t>(samples.size()));
    EXPECT_LE(2 * above, static_cast<std::ptrdiff_t>(samples.size()));
  });
}

TEST(Statistics, DoNotDependOnTheOrderAndScaleWithTheUnit) {
  for_random_samples([](const Samples& samples) {
    Samples reversed(samples.rbegin(), samples.rend());
    for (double& sample : reversed) sample *= 0.25;  // exact in binary
    EXPECT_EQ(median(reversed), 0.25 * median(samples));
    EXPECT_EQ(quantile(reversed, 0.99), 0.25 * quantile(samples, 0.99));
  });
}

TEST(Quantile, IsTheSmallestSampleThatTheShareDoesNotExceed) {
  for_random_samples([](const Samples& samples) {
    for (const double share : {0.01, 0.25, 0.5, 0.9, 0.99, 1.0}) {
      const double found = quantile(samples, share);
      const auto share_up_to = [&](double limit) {
        const auto count =
            std::count_if(samples.begin(), samples.end(), [&](double x) { return x <= limit; });
        return static_cast<double>(count) / static_cast<double>(samples.size());
      };
      EXPECT_GE(share_up_to(found), share - 1e-12);
      for (const double sample : samples) EXPECT_TRUE(sample >= found || share_up_to(sample) < share);
    }
  });
}

TEST(Spread, IsNothingForAConstantAndTheDriftOfAChangingMachine) {
  EXPECT_EQ(spread(Samples(100, 2.0)), 0.0);
  Samples drifting(80, 1.0);
  drifting.insert(drifting.end(), 20, 1.5);  // the last fifth ran hot
  EXPECT_DOUBLE_EQ(spread(drifting), 0.5);
}

TEST(Spread, IgnoresSingleOutliers) {
  Samples samples(100, 1.0);
  for (const std::size_t i : {3U, 40U, 77U}) samples[i] = 50.0;
  EXPECT_EQ(spread(samples), 0.0);
}

TEST(Spread, OfFewSamplesIsTheirRange) { EXPECT_EQ(spread(Samples{1.0, 3.0}), 1.0); }

TEST(Ranking, TellsApartWhatDiffersByMoreThanChance) {
  EXPECT_TRUE(can_rank(noisy(1.0, 400, 1), noisy(1.1, 400, 2)));
  EXPECT_FALSE(can_rank(noisy(1.0, 400, 1), noisy(1.0, 400, 2)));
}

TEST(Ranking, SeesASmallDifferenceThroughNoiseThatHitsBothAlike) {
  const Samples left = noisy(1.0, 100, 1);
  Samples right = left;
  for (double& sample : right) sample *= 1.001;
  EXPECT_TRUE(can_rank(left, right));
}

TEST(Ranking, EqualSamplesAndAFewSamplesSayNothing) {
  EXPECT_FALSE(can_rank(Samples(100, 1.0), Samples(100, 1.0)));
  EXPECT_FALSE(can_rank(Samples{1.0, 1.0, 1.0}, Samples{2.0, 2.0, 2.0}));
}

TEST(Ranking, IsSymmetric) {
  for_random_samples([](const Samples& samples) {
    const std::size_t half = samples.size() / 2;
    if (half == 0) return;
    const std::span<const double> left(samples.data(), half);
    const std::span<const double> right(samples.data() + half, half);
    EXPECT_EQ(can_rank(left, right), can_rank(right, left));
  });
}

TEST(Ranking, ComplainsOfNeighboursInSpeedOnly) {
  const std::vector<Samples> samples = {noisy(3.0, 400, 1), noisy(1.0, 400, 2), noisy(3.0, 400, 3)};
  const std::vector<IndexPair> pairs = unranked_neighbours(samples);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(std::min(pairs[0].first, pairs[0].second), 0U);
  EXPECT_EQ(std::max(pairs[0].first, pairs[0].second), 2U);
  EXPECT_TRUE(unranked_neighbours({noisy(1.0, 400, 1), noisy(2.0, 400, 2), noisy(3.0, 400, 3)}).empty());
}

TEST(RankCorrelation, IsOneForTheSameOrderAndMinusOneForTheReverse) {
  const std::vector<double> up = {1.0, 2.0, 5.0, 9.0};
  const std::vector<double> stretched = {0.1, 0.2, 0.3, 100.0};
  const std::vector<double> down = {4.0, 3.0, 2.0, 1.0};
  EXPECT_DOUBLE_EQ(kendall(up, stretched), 1.0);
  EXPECT_NEAR(spearman(up, stretched), 1.0, 1e-12);
  EXPECT_DOUBLE_EQ(kendall(up, down), -1.0);
  EXPECT_NEAR(spearman(up, down), -1.0, 1e-12);
}

TEST(RankCorrelation, CountsPairsAndRanksWithTies) {
  // One of six pairs is swapped: (5 - 1) / 6. Ranks differ by 1 twice: 1 - 6 * 2 / (4 * 15).
  EXPECT_NEAR(kendall(std::vector{1.0, 2.0, 3.0, 4.0}, std::vector{1.0, 3.0, 2.0, 4.0}), 4.0 / 6.0, 1e-12);
  EXPECT_NEAR(spearman(std::vector{1.0, 2.0, 3.0, 4.0}, std::vector{1.0, 3.0, 2.0, 4.0}), 0.8, 1e-12);
  // Tau-b with a tie on one side: 2 agreeing pairs of 3 and 2 ordered ones.
  EXPECT_NEAR(kendall(std::vector{1.0, 2.0, 3.0}, std::vector{1.0, 1.0, 2.0}), 2.0 / std::sqrt(6.0), 1e-12);
  EXPECT_DOUBLE_EQ(kendall(std::vector{1.0, 1.0}, std::vector{1.0, 2.0}), 1.0) << "nothing to order";
  EXPECT_DOUBLE_EQ(spearman(std::vector{1.0}, std::vector{1.0}), 1.0);
}

}  // namespace
}  // namespace saccade::runtime
