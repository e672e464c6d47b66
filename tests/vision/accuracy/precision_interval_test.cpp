// The intervals around the figures of accuracy: against the slow evaluator, and laws.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/vision/accuracy/evaluated_cases.hpp"
#include "vision/accuracy/average_precision.hpp"

namespace saccade::vision {
namespace {

using testing::drawn_case;
using testing::judged;
using testing::kLabels;
using testing::LabelledImage;
using testing::LabelledImages;
using testing::reference_cases;
using testing::ReferenceCase;
using testing::slow_figures;

// Drawn scores that do not tie.
LabelledImages without_ties(LabelledImages images, std::uint64_t seed) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  std::vector<int> ranks(4000);
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<int>(i) + 1;
  std::shuffle(ranks.begin(), ranks.end(), random);
  std::size_t next = 0;
  for (LabelledImage& image : images) {
    for (Object& object : image.objects) object.score = static_cast<float>(ranks.at(next++)) / 4096.0F;
  }
  return images;
}

TEST(PrecisionInterval, OneSampleIsThePicturesDrawnEvaluatedAsThey) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const LabelledImages images = without_ties(drawn_case(seed), seed);
    std::mt19937_64 random(seed);
    LabelledImages drawn;
    std::vector<std::size_t> order(images.size());
    for (std::size_t& picture : order)
      picture = static_cast<std::size_t>(((random() >> 32) * images.size()) >> 32);
    std::sort(order.begin(), order.end());
    for (const std::size_t picture : order) drawn.push_back(images[picture]);
    const auto expected = slow_figures(drawn, kLabels);
    const std::vector<MeanPrecision> got = judged(images).resample(seed, 1);
    ASSERT_NEAR(got.empty() ? -1.0 : got[0].map, expected[0], 1e-9) << seed;
    ASSERT_NEAR(got.empty() ? -1.0 : got[0].map50, expected[1], 1e-9) << seed;
  }
}

TEST(PrecisionInterval, IsRepeatableAndHoldsTheFigure) {
  for (const ReferenceCase& reference : reference_cases()) {
    DetectionAccuracy accuracy = judged(reference.images);
    const PrecisionIntervals one = accuracy.intervals(1);
    EXPECT_EQ(one.map, judged(reference.images).intervals(1).map);
    EXPECT_NE(one.map, accuracy.intervals(2).map);
    const double map = accuracy.figures().map.value();
    EXPECT_LT(one.map->low, map);
    EXPECT_GT(one.map->high, map);
    EXPECT_LT(one.map->high - one.map->low, 0.25);
    EXPECT_LT(one.map50->low, accuracy.figures().map50.value());
  }
}

// Of many sets of pictures from one source, nearly all intervals hold the mean figure of all sets.
TEST(PrecisionInterval, HoldsWhatOtherPicturesWouldGive) {
  std::vector<PrecisionFigures> figures;
  std::vector<PrecisionIntervals> intervals;
  double map = 0.0;
  double map50 = 0.0;
  constexpr std::uint64_t kSets = 100;
  for (std::uint64_t set = 0; set < kSets; ++set) {
    LabelledImages images;
    for (std::uint64_t i = 0; images.size() < 120; ++i) {
      const std::uint64_t seed = 3'000'000 * (set + 1) + 30 * i + 1;  // cases alike: fine grid, never crowded
      const LabelledImages drawn = drawn_case(seed);
      images.insert(images.end(), drawn.begin(), drawn.end());
    }
    DetectionAccuracy accuracy = judged(images);
    figures.push_back(accuracy.figures());
    intervals.push_back(accuracy.intervals(set));
    map += figures.back().map.value() / kSets;
    map50 += figures.back().map50.value() / kSets;
  }
  int held = 0;
  int held50 = 0;
  for (const PrecisionIntervals& interval : intervals) {
    held += interval.map->low <= map && map <= interval.map->high ? 1 : 0;
    held50 += interval.map50->low <= map50 && map50 <= interval.map50->high ? 1 : 0;
  }
  RecordProperty("held_map", held);
  RecordProperty("held_map50", held50);
  std::printf("%d and %d of 100 intervals hold the mean\n", held, held50);
  EXPECT_GE(held, 85);
  EXPECT_GE(held50, 85);
}

TEST(PrecisionInterval, NarrowsWithThePictures) {
  LabelledImages images = reference_cases()[0].images;
  const PrecisionInterval few = judged(images).intervals(3).map.value();
  LabelledImages many;
  for (int i = 0; i < 16; ++i) many.insert(many.end(), images.begin(), images.end());
  const PrecisionInterval narrow = judged(many).intervals(3).map.value();
  EXPECT_NEAR((narrow.high - narrow.low) / (few.high - few.low), 0.25, 0.08);  // 1 / sqrt(16)
}

// The interval of a share is that of the binomial distribution: 1.96 standard deviations to both sides.
TEST(ShareInterval, IsWhereOtherPicturesWouldPutTheShare) {
  for (const std::size_t pictures : {400U, 6400U}) {
    std::vector<bool> right(pictures);
    for (std::size_t i = 0; i < pictures; ++i) right[i] = i % 4 != 0;
    const double deviation = std::sqrt(0.75 * 0.25 / static_cast<double>(pictures));
    const PrecisionInterval interval = share_interval(right, 7, 2000);
    EXPECT_NEAR(interval.low, 0.75 - 1.96 * deviation, 0.2 * deviation);
    EXPECT_NEAR(interval.high, 0.75 + 1.96 * deviation, 0.2 * deviation);
    EXPECT_EQ(share_interval(right, 7), share_interval(right, 7));
  }
  EXPECT_EQ(share_interval(std::vector<bool>(9, true), 1), (PrecisionInterval{1.0, 1.0}));
  EXPECT_EQ(share_interval(std::vector<bool>(9, false), 1), (PrecisionInterval{0.0, 0.0}));
}

// Two samples of one source: the range that the first gives for the second holds it in 95 of 100 cases,
// however many pictures each has. The interval alone does not.
TEST(ShareInterval, TheRangeOfOtherPicturesCountsBothSamples) {
  constexpr int kTrials = 200;
  constexpr std::size_t kPictures = 400;
  std::mt19937_64 random(11);
  const auto sample = [&](std::size_t pictures) {
    std::vector<bool> right(pictures);
    for (std::size_t i = 0; i < pictures; ++i) right[i] = random() % 10 < 7;
    return right;
  };
  const auto share = [](const std::vector<bool>& right) {
    return static_cast<double>(std::count(right.begin(), right.end(), true)) /
           static_cast<double>(right.size());
  };
  for (const std::size_t others : {100U, 400U, 1600U}) {
    int held = 0;
    int in_interval = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      const std::vector<bool> measured = sample(kPictures);
      const double other = share(sample(others));
      const PrecisionInterval interval = share_interval(measured, 1);
      const PrecisionInterval range = range_of_others(share(measured), interval, kPictures, others);
      held += range.low <= other && other <= range.high ? 1 : 0;
      in_interval += interval.low <= other && other <= interval.high ? 1 : 0;
    }
    EXPECT_GE(held, 182) << others;
    EXPECT_LE(held, 199) << others;
    if (others <= kPictures) {
      EXPECT_LE(in_interval, 181) << others;
    }
  }
  const PrecisionInterval whole = range_of_others(0.98, {0.9, 1.0}, 9, 1);
  EXPECT_EQ(whole.high, 1.0);
  EXPECT_NEAR(whole.low, 0.98 - std::sqrt(10.0) * 0.08, 1e-12);
}

}  // namespace
}  // namespace saccade::vision
