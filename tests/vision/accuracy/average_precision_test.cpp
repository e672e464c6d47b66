// COCO's twelve figures: against the reference evaluator, against a slow evaluator on drawn cases, and laws.
#include "vision/accuracy/average_precision.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "tests/vision/accuracy/evaluated_cases.hpp"

namespace saccade::vision {
namespace {

using testing::drawn_case;
using testing::figures_of;
using testing::judged;
using testing::kLabels;
using testing::LabelledImage;
using testing::LabelledImages;
using testing::reference_cases;
using testing::ReferenceCase;
using testing::Rules;
using testing::slow_figures;

double largest_difference(const std::array<double, 12>& a, const std::array<double, 12>& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
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

}  // namespace
}  // namespace saccade::vision
