// Random outputs of every family: the decoder finds what the naive one finds, and counts the same.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/vision/decode/naive_decoder.hpp"
#include "vision/decode/decoder.hpp"

namespace saccade::vision::test {
namespace {

// Scores that are equal stay so. Of logits they come back a rounding apart, in another order here and there.
bool may_tie(Family family) {
  return family != Family::detr_sigmoid && family != Family::detr_softmax_first &&
         family != Family::detr_softmax_last;
}

// Heaps of overlapping boxes, some with equal scores, anywhere around the input.
std::vector<Known> heaps(const profiles::PictureInput& input, int labels, bool ties, int count,
                         Random& random) {
  std::vector<Known> known;
  double x = 0;
  double y = 0;
  for (int i = 0; i < count; ++i) {
    if (i % 7 == 0) {
      x = uniform(random, -20, input.width + 20);
      y = uniform(random, -20, input.height + 20);
    }
    const double width = uniform(random, 4, 70);
    const double height = uniform(random, 4, 70);
    const double left = x + uniform(random, -15, 15);
    const double top = y + uniform(random, -15, 15);
    known.push_back({left, top, left + width, top + height, whole(random, 0, labels - 1),
                     ties ? whole(random, 7, 31) / 32.0 : uniform(random, 0.2, 0.97)});
  }
  return known;
}

profiles::Selection random_selection(Random& random) {
  profiles::Selection selection;
  selection.score_threshold = whole(random, 0, 3) == 0 ? 0.02 : uniform(random, 0.05, 0.9);
  selection.iou_threshold = uniform(random, 0.05, 0.95);
  if (whole(random, 0, 4) == 0) selection.iou_threshold = std::nullopt;
  selection.agnostic = whole(random, 0, 3) == 0;
  selection.max_objects = whole(random, 0, 2) == 0 ? whole(random, 1, 20) : 100'000;
  return selection;
}

// Up to `count` numbers of the first floating-point outputs become NaN or infinite.
void spoil(Made& made, int count, Random& random) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (MadeOutput& output : made.outputs) {
    auto* const numbers = std::get_if<std::vector<float>>(&output.numbers);
    if (numbers == nullptr || numbers->size() < 2) continue;
    for (int i = 0; i < count; ++i) {
      const std::size_t at = random() % numbers->size();
      const int kind = whole(random, 0, 2);
      (*numbers)[at] = kind == 0 ? std::nanf("") : kind == 1 ? kInfinity : -kInfinity;
    }
  }
}

void expect_equal(const NaiveResult& wanted, const Decoded& decoded, const Objects& found) {
  EXPECT_EQ(decoded.rows, wanted.rows);
  EXPECT_EQ(decoded.bad_rows, wanted.bad_rows);
  EXPECT_EQ(decoded.beyond, wanted.beyond);
  if (wanted.bad_rows * 100 > wanted.rows) {
    EXPECT_EQ(decoded.fault, Fault::numbers);
    EXPECT_TRUE(found.empty());
    return;
  }
  EXPECT_EQ(decoded.fault, Fault::none);
  ASSERT_EQ(found.size(), wanted.objects.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].label, wanted.objects[i].label);
    EXPECT_NEAR(found[i].score, wanted.objects[i].score, 1e-6);
    EXPECT_EQ(found[i].region, wanted.objects[i].region);
    EXPECT_NEAR(found[i].box.x, wanted.objects[i].box.x, 0.01);
    EXPECT_NEAR(found[i].box.y, wanted.objects[i].box.y, 0.01);
    EXPECT_NEAR(found[i].box.width, wanted.objects[i].box.width, 0.01);
    EXPECT_NEAR(found[i].box.height, wanted.objects[i].box.height, 0.01);
  }
}

class DecoderOracle : public testing::TestWithParam<Family> {};

TEST_P(DecoderOracle, AgreesWithTheNaiveDecoder) {
  std::size_t objects = 0;
  std::size_t candidates = 0;
  std::size_t spoiled = 0;
  std::size_t beyond = 0;
  const bool cells = GetParam() == Family::yolox || GetParam() == Family::gfl;
  const std::uint64_t trials = cells ? 100 : 400;  // thousands of cells each, or hundreds of rows
  for (std::uint64_t seed = 1; seed <= trials; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    profiles::PictureInput input;
    const bool many = seed % 50 == 0;
    input.width = many ? 640 : whole(random, 2, 5) * 64;
    input.height = many ? 640 : whole(random, 2, 5) * 64;
    input.resize = static_cast<profiles::Resize>(whole(random, 0, 2));
    input.align = static_cast<profiles::Align>(whole(random, 0, 1));
    const int labels = whole(random, 1, 6);
    const auto known = heaps(input, labels, may_tie(GetParam()), many ? 4000 : whole(random, 0, 300), random);
    Made made = make_outputs(GetParam(), input, labels, known, whole(random, 1, 400), random);
    made.interface.selection = random_selection(random);
    if (many) made.interface.selection.score_threshold = 0.02;
    if (seed % 3 == 0) spoil(made, whole(random, 1, 3), random);
    const PixelSize frame{whole(random, 40, 900), whole(random, 40, 900)};
    const Box region{static_cast<float>(whole(random, 0, 20)), static_cast<float>(whole(random, 0, 20)),
                     static_cast<float>(whole(random, 1, frame.width - 20)),
                     static_cast<float>(whole(random, 1, frame.height - 20))};
    const NaiveResult wanted = naive_decode(made, region, frame, 2);
    auto decoder = Decoder::make(made.interface, made.labels, {input.width, input.height}, made.ports());
    ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
    Objects found;
    const Decoded decoded = decoder.value().decode(made.views(), place(input, region, frame, 2), found);
    expect_equal(wanted, decoded, found);
    if (HasFailure()) return;
    objects += found.size();
    candidates += wanted.candidates;
    spoiled += wanted.bad_rows > 0 ? 1 : 0;
    beyond += wanted.beyond;
  }
  // The trials are not empty ones.
  EXPECT_GT(objects, 2000U);
  EXPECT_GT(candidates, objects + objects / 2);
  EXPECT_GT(spoiled, 15U);
  EXPECT_GT(beyond, 500U);
}

INSTANTIATE_TEST_SUITE_P(Families, DecoderOracle, testing::ValuesIn(kFamilies),
                         [](const auto& family) { return name_of(family.param); });

}  // namespace
}  // namespace saccade::vision::test
