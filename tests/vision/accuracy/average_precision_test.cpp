// COCO's twelve figures: against the reference evaluator, against a slow evaluator on drawn cases, and laws.
#include "vision/accuracy/average_precision.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>

#include "tests/vision/accuracy/slow_evaluator.hpp"

namespace saccade::vision {
namespace {

using testing::LabelledImage;
using testing::LabelledImages;
using testing::Rules;
using testing::slow_figures;

constexpr std::size_t kLabels = 5;

DetectionAccuracy judged(const LabelledImages& images, std::size_t labels = kLabels) {
  DetectionAccuracy accuracy(labels);
  for (const LabelledImage& image : images) accuracy.add(image.truths, image.objects);
  return accuracy;
}

std::array<double, 12> figures_of(const LabelledImages& images, std::size_t labels = kLabels) {
  std::array<double, 12> numbers{};
  const auto figures = judged(images, labels).figures().in_coco_order();
  std::transform(figures.begin(), figures.end(), numbers.begin(),
                 [](const auto& figure) { return figure.value_or(-1.0); });
  return numbers;
}

double largest_difference(const std::array<double, 12>& a, const std::array<double, 12>& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// Cases of the reference evaluator with its figures.
struct ReferenceCase {
  LabelledImages images;
  std::array<double, 12> figures{};
};

std::vector<ReferenceCase> reference_cases() {
  std::ifstream in(std::string(SACCADE_SOURCE_DIR) + "/tests/vision/accuracy/reference_cases.json");
  const auto document = nlohmann::json::parse(in);
  std::vector<ReferenceCase> cases;
  for (const auto& item : document["cases"]) {
    ReferenceCase reference;
    reference.images.resize(40);
    const auto box = [](const auto& row) {
      return Box{row[2].template get<float>(), row[3].template get<float>(), row[4].template get<float>(),
                 row[5].template get<float>()};
    };
    for (const auto& row : item["truths"]) {
      reference.images[row[0].get<std::size_t>()].truths.push_back(
          {box(row), row[1].get<int>(), row[7] == 1, row[6].get<double>()});
    }
    for (const auto& row : item["objects"]) {
      reference.images[row[0].get<std::size_t>()].objects.push_back(
          {box(row), row[1].get<int>(), row[6].get<float>()});
    }
    reference.figures = item["figures"].get<std::array<double, 12>>();
    cases.push_back(std::move(reference));
  }
  return cases;
}

// Boxes on a coarse grid and few scores, so that thresholds are met exactly, and IoU and scores tie.
LabelledImages drawn_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
  const bool crowded = seed % 10 == 0;  // more than 100 objects of a label
  const float step = seed % 3 == 0 ? 32.0F : 8.0F;
  const auto box = [&] {
    return Box{step * static_cast<float>(below(4)), step * static_cast<float>(below(3)),
               step * static_cast<float>(1 + below(6)), step * static_cast<float>(1 + below(6))};
  };
  LabelledImages images(crowded ? 2 : 1 + static_cast<std::size_t>(below(12)));
  for (LabelledImage& image : images) {
    for (int i = below(7); i > 0; --i) {
      Truth truth{box(), below(3), below(6) == 0, std::nullopt};
      if (below(3) == 0) truth.area = std::array{500.0, 1024.0, 5000.0, 9216.0, 20000.0}[random() % 5];
      image.truths.push_back(truth);
    }
    const int objects = crowded ? 300 : below(12);
    for (int i = 0; i < objects; ++i) {
      Object object{box(), below(crowded ? 2 : 4), 0.1F * static_cast<float>(1 + below(9))};
      if (!image.truths.empty() && below(2) == 0) {  // near a truth
        const Truth& truth = image.truths[random() % image.truths.size()];
        object.box = truth.box;
        object.label = truth.label;
        object.box.x += step / 4 * static_cast<float>(below(3));
        if (below(3) == 0) object.box.width *= 2;
      }
      image.objects.push_back(object);
    }
  }
  return images;
}

TEST(AveragePrecision, EqualsTheReferenceEvaluator) {
  const auto cases = reference_cases();
  ASSERT_EQ(cases.size(), 8U);
  double most = 0.0;
  for (const ReferenceCase& reference : cases) {
    const double difference = largest_difference(figures_of(reference.images), reference.figures);
    EXPECT_LT(difference, 1e-6);
    most = std::max(most, difference);
    EXPECT_LT(largest_difference(slow_figures(reference.images, kLabels), reference.figures), 1e-6);
  }
  RecordProperty("largest_difference", std::to_string(most));
}

TEST(AveragePrecision, EqualsTheSlowEvaluatorOnDrawnCases) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const LabelledImages images = drawn_case(seed);
    ASSERT_LT(largest_difference(figures_of(images), slow_figures(images, kLabels)), 1e-9) << "seed " << seed;
  }
}

// Every rule of the definition decides at least one of the drawn cases.
TEST(AveragePrecision, EveryBrokenEvaluatorIsSeen) {
  const std::vector<std::pair<const char*, Rules>> broken = {
      {"strict", {.strict = true}},
      {"eleven recalls", {.recalls = 11}},
      {"crowd as truth", {.crowd_as_truth = true}},
      {"crowd taken once", {.crowd_taken_once = true}},
      {"crowd's IoU over the union", {.crowd_iou_as_usual = true}},
      {"ties reversed", {.ties_reversed = true}},
      {"first of equal IoU", {.first_of_equal_iou = true}},
      {"ranges passed over", {.ranges_passed_over = true}},
      {"far objects are wrong", {.far_objects_are_wrong = true}},
      {"ignored truths alike", {.ignored_truths_alike = true}},
      {"area of the box", {.box_area = true}},
      {"not monotone", {.monotone = false}},
      {"absent labels count", {.absent_labels_count = true}},
      {"limit over labels", {.limit_over_labels = true}},
  };
  for (const auto& [name, rules] : broken) {
    int seen = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const LabelledImages images = drawn_case(seed);
      seen += largest_difference(figures_of(images), slow_figures(images, kLabels, rules)) > 1e-6 ? 1 : 0;
    }
    EXPECT_GE(seen, 1) << name;
    RecordProperty(name, seen);
  }
  // Those that the reference's own cases show.
  const auto cases = reference_cases();
  for (const Rules& rules : {Rules{.recalls = 11}, Rules{.crowd_as_truth = true},
                             Rules{.ranges_passed_over = true}, Rules{.box_area = true}}) {
    EXPECT_GT(largest_difference(slow_figures(cases[0].images, kLabels, rules), cases[0].figures), 1e-6);
  }
}

TEST(AveragePrecision, AnIouEqualToAThresholdReachesIt) {
  const Truth truth{{0, 0, 100, 100}, 0, false, std::nullopt};
  // Of 100 rows, n are covered: IoU n / 100.
  for (std::size_t t = 0; t < kIouThresholds; ++t) {
    const float rows = 50.0F + 5.0F * static_cast<float>(t);
    const Object object{{0, 0, 100, rows}, 0, 0.9F};
    const auto matches = match_picture({&truth, 1}, {&object, 1});
    EXPECT_EQ(matches.at(0).objects.at(0).right[0], (1U << (t + 1)) - 1) << rows;
  }
}

TEST(AveragePrecision, PerfectObjectsGiveOne) {
  for (const ReferenceCase& reference : reference_cases()) {
    LabelledImages images = reference.images;
    for (LabelledImage& image : images) {
      image.objects.clear();
      for (const Truth& truth : image.truths) image.objects.push_back({truth.box, truth.label, 1.0F});
    }
    const PrecisionFigures figures = judged(images).figures();
    EXPECT_DOUBLE_EQ(figures.map.value(), 1.0);
    EXPECT_DOUBLE_EQ(figures.map_small.value(), 1.0);
    EXPECT_DOUBLE_EQ(figures.recall_100.value(), 1.0);
    const PrecisionIntervals intervals = judged(images).intervals(1);
    EXPECT_DOUBLE_EQ(intervals.map->low, 1.0);
    EXPECT_DOUBLE_EQ(intervals.map50->high, 1.0);
  }
}

TEST(AveragePrecision, NothingKnownIsAbsentAndNothingFoundIsZero) {
  const Truth truth{{0, 0, 10, 10}, 1, false, std::nullopt};
  const Truth crowd{{0, 0, 10, 10}, 1, true, std::nullopt};
  const Object object{{0, 0, 10, 10}, 1, 0.5F};
  for (const LabelledImages& images : {LabelledImages{}, LabelledImages{{}}, LabelledImages{{{}, {object}}},
                                       LabelledImages{{{crowd}, {object}}}}) {
    for (const auto& figure : judged(images).figures().in_coco_order()) EXPECT_EQ(figure, std::nullopt);
    EXPECT_EQ(judged(images).intervals(1).map, std::nullopt);
  }
  PrecisionFigures figures = judged({{{truth}, {}}}).figures();
  EXPECT_EQ(figures.map, 0.0);
  EXPECT_EQ(figures.recall_100, 0.0);
  EXPECT_EQ(figures.map_large, std::nullopt);
  EXPECT_EQ(figures.label_map[1], 0.0);
  EXPECT_EQ(figures.label_map[0], std::nullopt);
}

TEST(AveragePrecision, TheMeanOverLabelsIsThatOfTheLabels) {
  for (const ReferenceCase& reference : reference_cases()) {
    const PrecisionFigures figures = judged(reference.images).figures();
    double sum = 0.0;
    double sum50 = 0.0;
    for (std::size_t i = 0; i < kLabels; ++i) {
      sum += figures.label_map[i].value();
      sum50 += figures.label_map50[i].value();
    }
    EXPECT_NEAR(figures.map.value(), sum / kLabels, 1e-12);
    EXPECT_NEAR(figures.map50.value(), sum50 / kLabels, 1e-12);
  }
}

TEST(AveragePrecision, TheOrderOfPicturesDoesNotMatterWithoutTies) {
  std::mt19937_64 random(7);
  for (const ReferenceCase& reference : reference_cases()) {
    LabelledImages images = reference.images;
    float tie = 0.0F;
    for (LabelledImage& image : images) {
      for (Object& object : image.objects) object.score += (tie += 1e-6F);
    }
    const auto before = figures_of(images);
    std::shuffle(images.begin(), images.end(), random);
    EXPECT_LT(largest_difference(figures_of(images), before), 1e-12);
  }
}

TEST(AveragePrecision, AWrongObjectOfLowestScoreNeverRaisesAFigureAndARightOneNeverLowersOne) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    if (seed % 10 == 0) continue;  // beyond the limit of 100 an object more is none
    LabelledImages images = drawn_case(seed);
    const auto before = figures_of(images);
    LabelledImages more = images;
    more[0].objects.push_back({{500, 500, 64, 64}, 0, 0.01F});
    const auto wrong = figures_of(more);
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_LE(wrong[i], before[i] + 1e-12) << seed << " " << i;
    // A truth that nothing touches, and its object: recall and precision at the end only grow.
    images[0].truths.push_back({{900, 900, 64, 64}, 0, false, std::nullopt});
    const double missed = figures_of(images)[0];
    images[0].objects.push_back({{900, 900, 64, 64}, 0, 0.01F});
    EXPECT_GE(figures_of(images)[0], missed - 1e-12) << seed;
  }
}

TEST(AveragePrecision, LabelsAndPixelsAreOnlyNames) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    LabelledImages images = drawn_case(seed);
    const auto before = figures_of(images);
    for (LabelledImage& image : images) {
      for (Truth& truth : image.truths) {
        truth.label = 4 - truth.label;
        truth.box.x += 64;
      }
      for (Object& object : image.objects) {
        object.label = 4 - object.label;
        object.box.x += 64;
      }
    }
    EXPECT_LT(largest_difference(figures_of(images), before), 1e-12) << seed;
  }
}

TEST(AveragePrecision, WhatIsNotFiniteIsLeftOut) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinite = std::numeric_limits<float>::infinity();
  for (LabelledImages images : {drawn_case(1), drawn_case(2)}) {
    const auto before = figures_of(images);
    images[0].objects.insert(images[0].objects.begin(), {{0, 0, 8, 8}, 0, nan});
    images[0].objects.push_back({{nan, 0, 8, 8}, 0, 0.5F});
    images[0].objects.push_back({{0, 0, infinite, 8}, 1, 0.5F});
    EXPECT_EQ(figures_of(images), before);
  }
}

TEST(AveragePrecision, CountsTheMatchesOfOneFrame) {
  const Truths truths = {{{0, 0, 10, 10}, 0, false, std::nullopt},
                         {{50, 0, 10, 10}, 0, false, std::nullopt},
                         {{100, 0, 50, 50}, 0, true, std::nullopt}};
  const Objects objects = {{{0, 0, 10, 10}, 0, 0.9F},     // right
                           {{0, 0, 10, 10}, 0, 0.8F},     // the same again: wrong
                           {{50, 0, 10, 10}, 1, 0.7F},    // another label: wrong
                           {{110, 10, 10, 10}, 0, 0.6F},  // in the crowd: neither
                           {{120, 20, 10, 10}, 0, 0.6F}};
  EXPECT_EQ(count_matches(truths, objects), (FrameMatches{.truths = 2, .found = 1, .wrong = 2}));
  EXPECT_EQ(count_matches(truths, Objects{}), (FrameMatches{.truths = 2}));
  EXPECT_EQ(count_matches(Truths{}, objects), (FrameMatches{.wrong = 5}));
}

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
    const std::vector<PrecisionSample> got = judged(images).resample(seed, 1);
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

// As COCO's val2017: 5000 pictures, 80 labels, 7 truths each. Times are recorded, not judged.
TEST(AveragePrecision, FiveThousandPictures) {
  std::mt19937_64 random(5);
  const auto unit = [&] { return static_cast<float>(random() >> 40) / 16777216.0F; };
  LabelledImages images(5000);
  for (LabelledImage& image : images) {
    std::vector<int> labels;
    for (int i = 0; i < 3; ++i) labels.push_back(static_cast<int>(random() % 80));
    for (int i = 0; i < 7; ++i) {
      const float size = 8 + 200 * unit() * unit();
      image.truths.push_back(
          {{500 * unit(), 300 * unit(), size, size}, labels[random() % 3], false, std::nullopt});
    }
    for (int i = 0; i < 100; ++i) {
      const Truth& near = image.truths[random() % 7];
      const auto shift = [&] { return near.box.width * 0.5F * (unit() - 0.5F); };
      const int label = i < 60 ? near.label : static_cast<int>(random() % 80);
      image.objects.push_back(
          {{near.box.x + shift(), near.box.y + shift(), near.box.width + shift(), near.box.height + shift()},
           label,
           0.001F + 0.999F * unit() * unit()});
    }
  }
  const auto cpu_milliseconds = [] { return static_cast<long>(std::clock()) * 1000 / CLOCKS_PER_SEC; };
  const long start = cpu_milliseconds();
  DetectionAccuracy accuracy = judged(images, 80);
  const PrecisionFigures figures = accuracy.figures();
  const long evaluated = cpu_milliseconds();
  const PrecisionIntervals intervals = accuracy.intervals(1);
  const long resampled = cpu_milliseconds();
  EXPECT_LT(intervals.map->low, figures.map.value());
  EXPECT_GT(intervals.map->high, figures.map.value());
  RecordProperty("evaluation_cpu_ms", std::to_string(evaluated - start));
  RecordProperty("interval_cpu_ms", std::to_string(resampled - evaluated));
  std::printf("500000 objects in 5000 pictures, CPU time: figures %ld ms, 200 resamplings %ld ms\n",
              evaluated - start, resampled - evaluated);
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

}  // namespace
}  // namespace saccade::vision
