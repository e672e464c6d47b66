// What holds for every decoder, and examples that pin the borders down: order, thresholds, clipping, faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/vision/decode/made_outputs.hpp"
#include "vision/decode/decoder.hpp"

namespace saccade::vision::test {
namespace {

constexpr PixelSize kFrame{200, 100};

// Rows of box (left, top, right, bottom), score, class: the form in which examples are easiest to write.
Made rows(const std::vector<std::vector<float>>& all, int labels = 3) {
  Made made;
  made.interface.task = profiles::NetworkTask::detect;
  made.interface.input.width = kFrame.width;
  made.interface.input.height = kFrame.height;
  made.labels = static_cast<std::size_t>(labels);
  profiles::YoloDecoder decoder;
  decoder.layout = profiles::YoloLayout::end_to_end;
  made.interface.decoder = decoder;
  std::vector<float> numbers;
  for (const std::vector<float>& row : all) numbers.insert(numbers.end(), row.begin(), row.end());
  made.outputs.push_back({"out", {1, static_cast<std::int64_t>(all.size()), 6}, numbers});
  return made;
}

struct Outcome {
  Objects objects;
  Decoded decoded;
};

Outcome decode(const Made& made, const Box& region = {0, 0, 200, 100}, PixelSize frame = kFrame,
               int number = 0) {
  auto decoder = Decoder::make(made.interface, made.labels,
                               {made.interface.input.width, made.interface.input.height}, made.ports());
  EXPECT_TRUE(decoder.ok());
  Outcome outcome;
  if (decoder.ok())
    outcome.decoded = decoder.value().decode(made.views(), place(made.interface.input, region, frame, number),
                                             outcome.objects);
  return outcome;
}

TEST(Decoder, AScoreAtTheThresholdCounts) {
  Made made = rows({{0, 0, 10, 10, 0.7F, 0}, {50, 50, 60, 60, 0.6999F, 0}});
  made.interface.selection.score_threshold = 0.7;  // which is more than 0.7F
  const Outcome outcome = decode(made);
  ASSERT_EQ(outcome.objects.size(), 1U);
  EXPECT_EQ(outcome.objects[0].score, 0.7F);
}

TEST(Decoder, SuppressesAboveTheThresholdNotAtIt) {
  // IoU is exactly 0.5: 10 x 10 and 10 x 5 within.
  Made made = rows({{0, 0, 10, 10, 0.9F, 0}, {0, 0, 10, 5, 0.8F, 0}});
  made.interface.selection.iou_threshold = 0.5;
  EXPECT_EQ(decode(made).objects.size(), 2U);
  made.interface.selection.iou_threshold = 0.49;
  EXPECT_EQ(decode(made).objects.size(), 1U);
  made.interface.selection.iou_threshold = std::nullopt;
  EXPECT_EQ(decode(made).objects.size(), 2U);
}

TEST(Decoder, SuppressesWithinAClassUnlessAgnostic) {
  Made made = rows({{0, 0, 10, 10, 0.9F, 0}, {0, 0, 10, 10, 0.8F, 1}, {0, 0, 10, 10, 0.7F, 0}});
  EXPECT_EQ(decode(made).objects.size(), 2U);
  made.interface.selection.agnostic = true;
  const Outcome outcome = decode(made);
  ASSERT_EQ(outcome.objects.size(), 1U);
  EXPECT_EQ(outcome.objects[0].label, 0);
}

TEST(Decoder, WhatIsSuppressedDoesNotSuppress) {
  // Each overlaps the next by a half of its width: IoU 1/3.
  Made made = rows({{0, 0, 20, 10, 0.9F, 0}, {10, 0, 30, 10, 0.8F, 0}, {20, 0, 40, 10, 0.7F, 0}});
  made.interface.selection.iou_threshold = 0.3;
  const Outcome outcome = decode(made);
  ASSERT_EQ(outcome.objects.size(), 2U);
  EXPECT_EQ(outcome.objects[1].score, 0.7F);
}

TEST(Decoder, TiesGoToTheFirstRow) {
  const Made made = rows({{0, 0, 10, 10, 0.8F, 2}, {0, 0, 11, 10, 0.8F, 2}, {0, 0, 10, 11, 0.9F, 1}});
  const Outcome outcome = decode(made);
  ASSERT_EQ(outcome.objects.size(), 2U);
  EXPECT_EQ(outcome.objects[0].label, 1);
  EXPECT_EQ(outcome.objects[1].box.width, 10.0F);
}

TEST(Decoder, ClipsToTheFrameAfterSuppression) {
  // Clipped, both would be the left 10 x 10: outside, they overlap by a quarter only.
  const Made made = rows({{-30, 0, 10, 10, 0.9F, 0}, {-10, 0, 10, 10, 0.8F, 0}});
  Made close = made;
  close.interface.selection.iou_threshold = 0.6;
  const Outcome outcome = decode(close);
  ASSERT_EQ(outcome.objects.size(), 2U);
  for (const Object& object : outcome.objects) EXPECT_EQ(object.box, (Box{0, 0, 10, 10}));
}

TEST(Decoder, DropsWhatHasNoAreaInTheFrame) {
  const Made made = rows({{-30, 0, 0, 10, 0.9F, 0},      // ends at the border
                          {200, 0, 220, 10, 0.9F, 0},    // begins at it
                          {50, 50, 50, 60, 0.9F, 0},     // no width
                          {60, 60, 50, 70, 0.9F, 0},     // the wrong way round
                          {190, 90, 500, 500, 0.9F, 0},  // reaches in
                          {-1e30F, -1e30F, 1e30F, 1e30F, 0.9F, 1}});
  const Outcome outcome = decode(made);
  EXPECT_EQ(outcome.decoded.fault, Fault::none);
  ASSERT_EQ(outcome.objects.size(), 2U);
  EXPECT_EQ(outcome.objects[0].box, (Box{190, 90, 10, 10}));
  EXPECT_EQ(outcome.objects[1].box, (Box{0, 0, 200, 100}));
}

TEST(Decoder, TakesTheBestObjectsThatAreVisible) {
  Made made = rows({{-30, 0, -20, 10, 0.9F, 0},
                    {0, 0, 10, 10, 0.8F, 0},
                    {20, 0, 30, 10, 0.7F, 0},
                    {40, 0, 50, 10, 0.6F, 0}});
  made.interface.selection.max_objects = 2;
  const Outcome outcome = decode(made);
  ASSERT_EQ(outcome.objects.size(), 2U);  // what is outside does not count
  EXPECT_EQ(outcome.objects[1].score, 0.7F);
}

TEST(Decoder, ScoresAboveOneAreOne) {
  const Outcome outcome = decode(rows({{0, 0, 10, 10, 1.0039F, 0}}));
  ASSERT_EQ(outcome.objects.size(), 1U);
  EXPECT_EQ(outcome.objects[0].score, 1.0F);
}

TEST(Decoder, KeepsThreeThousandCandidatesAndCountsTheRest) {
  std::vector<std::vector<float>> all;
  for (int i = 0; i < 3100; ++i) {
    const auto x = static_cast<float>(i % 100) * 2;
    const auto y = static_cast<float>(i / 100) * 2;
    all.push_back({x, y, x + 1, y + 1, 0.3F + static_cast<float>(i) * 1e-4F, 0});
  }
  Made made = rows(all);
  made.interface.selection.max_objects = 100'000;
  const Outcome outcome = decode(made);
  EXPECT_EQ(outcome.decoded.beyond, 100U);
  ASSERT_EQ(outcome.objects.size(), 3000U);
  EXPECT_FLOAT_EQ(outcome.objects.back().score, 0.3F + 100 * 1e-4F);  // the worst are left out
}

TEST(Decoder, OneBadRowInAHundredIsNoFaultAndTwoAre) {
  const float nan = std::nanf("");
  std::vector<std::vector<float>> all(100, {0, 0, 1, 1, 0.01F, 0});
  all[0] = {50, 50, 60, 60, 0.9F, 0};
  all[7] = {50, nan, 60, 60, 0.01F, 0};  // below the threshold: bad all the same
  const Outcome one = decode(rows(all));
  EXPECT_EQ(one.decoded.fault, Fault::none);
  EXPECT_EQ(one.decoded.bad_rows, 1U);
  EXPECT_EQ(one.objects.size(), 1U);
  all[8] = {50, 50, 60, 60, 0.9F, 3};  // labels are 0, 1, 2
  const Outcome two = decode(rows(all));
  EXPECT_EQ(two.decoded.fault, Fault::numbers);
  EXPECT_EQ(two.decoded.bad_rows, 2U);
  EXPECT_TRUE(two.objects.empty());
}

TEST(Decoder, CountsClassesWithoutALabelApart) {
  const float nan = std::nanf("");
  const auto unlabelled = [](const std::vector<std::vector<float>>& all) {
    return decode(rows(all)).decoded.unlabelled;
  };
  EXPECT_EQ(unlabelled({{50, 50, 60, 60, 0.9F, 0}}), Unlabelled{});
  EXPECT_EQ(unlabelled({{50, nan, 60, 60, 0.9F, 0}, {50, 50, 60, 60, 0.9F, nan}}), Unlabelled{});
  EXPECT_EQ(unlabelled({{50, 50, 60, 60, 0.9F, 90}, {50, nan, 60, 60, 0.9F, 0}, {0, 0, 1, 1, 0.9F, 3}}),
            (Unlabelled{2, 90.0}));
  // SSD with numbers of classes, and DETR with labels.
  const profiles::SsdDecoder ssd{.boxes = "boxes", .scores = "scores", .classes = "labels", .count = {}};
  const profiles::DetrDecoder detr{.boxes = "boxes",
                                   .logits = {},
                                   .labels = "labels",
                                   .scores = "scores",
                                   .activation = profiles::Activation::none};
  for (const profiles::Decoder& decoder : {profiles::Decoder(ssd), profiles::Decoder(detr)}) {
    Made made = rows({});
    made.interface.decoder = decoder;
    made.outputs = {{"boxes", {1, 3, 4}, std::vector<float>(12, 0.5F)},
                    {"scores", {1, 3}, std::vector<float>{0.9F, 0.9F, 0.01F}},
                    {"labels", {1, 3}, std::vector<float>{nan, 90.0F, 91.0F}}};
    const Decoded decoded = decode(made).decoded;
    EXPECT_EQ(decoded.unlabelled, (Unlabelled{1, 90.0})) << "not what is below the threshold";
    EXPECT_EQ(decoded.bad_rows, 2U);
  }
}

TEST(Decoder, LargeNumbersAreNotTakenForInfinity) {
  // The sum over the row is infinite, no number of it is.
  Random random(1);
  Made made =
      make_outputs(Family::anchors_last, rows({}).interface.input, 3, {{10, 10, 30, 30, 1, 0.9}}, 1, random);
  const auto count = static_cast<std::size_t>(made.outputs[0].shape[2]);
  for (std::size_t i = 4; i < 7; ++i)
    if (i != 5) made.floats(0)[i * count] = -3e38F;
  const Outcome outcome = decode(made);
  EXPECT_EQ(outcome.decoded.bad_rows, 0U);
  EXPECT_EQ(outcome.objects.size(), 1U);
}

TEST(Decoder, OutputsThatAreNotTheExpectedOnesAreAFault) {
  const Made made = rows({{0, 0, 10, 10, 0.9F, 0}});
  auto decoder = Decoder::make(made.interface, made.labels, kFrame, made.ports());
  ASSERT_TRUE(decoder.ok());
  const Placement placement = place(made.interface.input, {0, 0, 200, 100}, kFrame);
  const auto fault = [&](const std::vector<TensorView>& views) {
    Objects objects;
    return decoder.value().decode(views, placement, objects).fault;
  };
  const std::vector<float> six(6, 0.5F);
  const std::vector<std::int64_t> integers(6, 1);
  const std::vector<std::int64_t> right{1, 1, 6};
  EXPECT_EQ(fault({{"out", right, std::span(six)}}), Fault::none);
  EXPECT_EQ(fault({}), Fault::outputs);
  EXPECT_EQ(fault({{"other", right, std::span(six)}}), Fault::outputs);
  EXPECT_EQ(fault({{"out", right, std::span(integers)}}), Fault::outputs);
  for (const std::vector<std::int64_t>& wrong :
       std::vector<std::vector<std::int64_t>>{{},
                                              {6},
                                              {1, 6, 1},
                                              {1, 1, 1, 6},
                                              {2, 1, 6},
                                              {1, 2, 6},
                                              {-1, -1, 6},
                                              {1, std::int64_t{1} << 62, 6},
                                              {0, 1, 6}})
    EXPECT_EQ(fault({{"out", wrong, std::span(six)}}), Fault::outputs);
  const std::vector<std::int64_t> none{1, 0, 6};
  EXPECT_EQ(fault({{"out", none, std::span<const float>()}}), Fault::none);  // no candidates
}

class DecoderLaw : public testing::TestWithParam<Family> {
 protected:
  // Distinct scores, overlapping boxes.
  Made made(std::uint64_t seed) {
    Random random(seed);
    profiles::PictureInput input;
    input.width = 256;
    input.height = 192;
    input.resize = profiles::Resize::letterbox;
    std::vector<Known> known;
    for (int i = 0; i < 60; ++i) {
      const double x = uniform(random, 20, 230);
      const double y = uniform(random, 20, 170);
      known.push_back({x, y, x + uniform(random, 5, 60), y + uniform(random, 5, 60), whole(random, 0, 3),
                       0.3 + 0.01 * i});
    }
    return make_outputs(GetParam(), input, 4, known, 120, random);
  }
};

TEST_P(DecoderLaw, AShiftedRegionShiftsTheBoxes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Made outputs = made(seed);
    const PixelSize frame{10'000, 10'000};  // so that nothing is clipped
    const Outcome here = decode(outputs, {1000, 2000, 640, 480}, frame);
    const Outcome there = decode(outputs, {1512, 2256, 640, 480}, frame, 5);
    ASSERT_EQ(here.objects.size(), there.objects.size());
    ASSERT_GT(here.objects.size(), 3U);
    for (std::size_t i = 0; i < here.objects.size(); ++i) {
      EXPECT_NEAR(here.objects[i].box.x + 512, there.objects[i].box.x, 0.01);
      EXPECT_NEAR(here.objects[i].box.y + 256, there.objects[i].box.y, 0.01);
      EXPECT_NEAR(here.objects[i].box.width, there.objects[i].box.width, 0.01);
      EXPECT_EQ(there.objects[i].region, 5);
    }
  }
}

TEST_P(DecoderLaw, TheOutcomeIsSortedAndVisible) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Objects objects = decode(made(seed), {0, 0, 300, 300}, {300, 300}).objects;
    for (const Object& object : objects) {
      EXPECT_GE(object.score, 0.25F);
      EXPECT_LE(object.score, 1.0F);
      EXPECT_TRUE(object.box.width > 0 && object.box.height > 0 && object.box.x >= 0 && object.box.y >= 0);
      EXPECT_LE(object.box.x + object.box.width, 300.001F);
      EXPECT_LE(object.box.y + object.box.height, 300.001F);
    }
    EXPECT_TRUE(std::is_sorted(objects.begin(), objects.end(),
                               [](const Object& a, const Object& b) { return a.score > b.score; }));
  }
}

double iou(const Box& a, const Box& b) {
  const double width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const double height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  const double shared = std::max(width, 0.0) * std::max(height, 0.0);
  return shared / (a.width * a.height + b.width * b.height - shared);
}

TEST_P(DecoderLaw, NoTwoOfAClassOverlapByMoreThanTheThreshold) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    // Far from the frame's borders: nothing is clipped.
    const Objects objects = decode(made(seed), {5000, 5000, 300, 300}, {10'000, 10'000}).objects;
    for (const Object& a : objects)
      for (const Object& b : objects)
        EXPECT_TRUE(&a == &b || a.label != b.label || iou(a.box, b.box) < 0.4501);
  }
}

TEST_P(DecoderLaw, AHigherThresholdOnlyTakesAway) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Made outputs = made(seed);
    const Objects all = decode(outputs, {0, 0, 300, 300}, {300, 300}).objects;
    outputs.interface.selection.score_threshold = 0.6;
    Objects above;
    std::copy_if(all.begin(), all.end(), std::back_inserter(above),
                 [](const Object& object) { return object.score >= 0.6F; });
    EXPECT_EQ(decode(outputs, {0, 0, 300, 300}, {300, 300}).objects, above);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, DecoderLaw, testing::ValuesIn(kFamilies),
                         [](const auto& family) { return name_of(family.param); });

TEST(Decoder, TheOrderOfCandidatesWithDistinctScoresDoesNotMatter) {
  Random random(17);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::vector<float>> all;
    for (int i = 0; i < 50; ++i) {
      const auto x = static_cast<float>(uniform(random, 0, 180));
      const auto y = static_cast<float>(uniform(random, 0, 80));
      all.push_back({x, y, x + static_cast<float>(uniform(random, 3, 60)),
                     y + static_cast<float>(uniform(random, 3, 60)), 0.3F + 0.01F * static_cast<float>(i),
                     static_cast<float>(whole(random, 0, 2))});
    }
    const Objects before = decode(rows(all)).objects;
    std::shuffle(all.begin(), all.end(), random);
    ASSERT_EQ(decode(rows(all)).objects, before);
  }
}

TEST(MergeRegions, DropsWhatAnotherRegionSawBetter) {
  const Object better{{100, 100, 50, 50}, 1, 0.9F, 0};
  Object worse{{102, 101, 50, 50}, 1, 0.8F, 1};
  Object other_class = worse;
  other_class.label = 2;
  Object same_region = worse;
  same_region.region = 0;
  Objects objects{worse, other_class, same_region, better};
  merge_regions(objects, {});
  EXPECT_EQ(objects, (Objects{better, same_region, other_class}));
  profiles::Selection agnostic;
  agnostic.agnostic = true;
  objects = {worse, other_class, better};
  merge_regions(objects, agnostic);
  EXPECT_EQ(objects, Objects{better});
  profiles::Selection separate;
  separate.merge_regions = false;
  objects = {worse, better};
  merge_regions(objects, separate);
  EXPECT_EQ(objects, (Objects{better, worse}));
}

TEST(MergeRegions, ComparesAtTheThresholdAndTakesTheBest) {
  const Object large{{0, 0, 10, 10}, 0, 0.9F, 0};
  const Object half{{0, 0, 10, 5}, 0, 0.8F, 1};
  profiles::Selection selection;
  selection.iou_threshold = 0.5;
  Objects objects{half, large};
  merge_regions(objects, selection);
  EXPECT_EQ(objects.size(), 2U);
  selection.iou_threshold = std::nullopt;  // 0.45 then
  merge_regions(objects, selection);
  EXPECT_EQ(objects, Objects{large});
  selection.max_objects = 1;
  objects = {Object{{50, 50, 5, 5}, 0, 0.7F, 1}, large};
  merge_regions(objects, selection);
  EXPECT_EQ(objects, Objects{large});
}

// A box between two overlapping regions is found by both and given once.
TEST(MergeRegions, OneBoxInTwoRegionsIsOneObject) {
  const PixelSize frame{200, 150};
  const Box regions[] = {{0, 0, 200, 100}, {0, 50, 200, 100}};
  const Corners box{60, 60, 90, 90};
  Objects objects;
  for (int region = 0; region < 2; ++region) {
    const auto shift = static_cast<float>(50 * region);
    const Made made = rows({{box.left, box.top - shift, box.right, box.bottom - shift,
                             0.9F - 0.1F * static_cast<float>(region), 0}});
    const Objects found = decode(made, regions[region], frame, region).objects;
    objects.insert(objects.end(), found.begin(), found.end());
  }
  ASSERT_EQ(objects.size(), 2U);
  merge_regions(objects, {});
  ASSERT_EQ(objects.size(), 1U);
  EXPECT_EQ(objects[0].box, (Box{60, 60, 30, 30}));
}

}  // namespace
}  // namespace saccade::vision::test
