// The synthetic sources: single images of a data set, and scenes with their boxes.
#include <gtest/gtest.h>

#include <algorithm>

#include "images/image_generator.hpp"
#include "images/random.hpp"
#include "images/scene_generator.hpp"
#include "runtime/sources/frame_picture.hpp"
#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime::synthetic_source_test {
namespace {

constexpr profiles::InputShape kInput{.width = 16, .height = 12, .channels = 3};
constexpr profiles::InputShape kNative{
    .width = images::kImageSide, .height = images::kImageSide, .channels = 3};

std::unique_ptr<FrameSource> synthetic(std::uint64_t seed, const std::vector<std::string>& labels,
                                       const profiles::InputShape& input = kNative) {
  auto result = open_source(SyntheticSource{"vehicles", seed}, Grid{2, 2}, inputs_of(input), labels);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.errors()));
  return std::move(result).value();
}

const std::vector<std::string>& vehicle_labels() {
  static const std::vector<std::string> labels = images::ImageGenerator::find("vehicles")->labels();
  return labels;
}

TEST(Synthetic, TheSameSeedGivesTheSameFramesWhateverTheTime) {
  const auto one = synthetic(7, vehicle_labels());
  const auto other = synthetic(7, vehicle_labels());
  Frame a;
  Frame b;
  for (int tick = 0; tick < 5; ++tick) {
    ASSERT_TRUE(one->next(to_duration(Seconds(tick / 30.0)), a));
    ASSERT_TRUE(other->next(to_duration(Seconds(tick / 3.0)), b));
    EXPECT_EQ(a.picture->pixels, b.picture->pixels);
    EXPECT_EQ(a.labels, b.labels);
  }
}

TEST(Synthetic, AnotherSeedGivesOtherFrames) {
  Frame a;
  Frame b;
  ASSERT_TRUE(synthetic(7, vehicle_labels())->next({}, a));
  ASSERT_TRUE(synthetic(8, vehicle_labels())->next({}, b));
  EXPECT_NE(a.picture->pixels, b.picture->pixels);
}

TEST(Synthetic, EveryRegionHasItsLabelAndNoImageComesTwiceWithinAPass) {
  const auto source = synthetic(1, vehicle_labels());
  const std::size_t images = source->labelled_images().value();
  Frame first;
  ASSERT_TRUE(source->next({}, first));
  ASSERT_EQ(first.labels.size(), 4U);
  ASSERT_EQ(first.regions.size(), 4U);
  ASSERT_EQ(first.picture->pixels.size(), 4 * kNative.size());
  Frame frame;
  for (std::size_t drawn = 4; drawn < images; drawn += 4) {
    ASSERT_TRUE(source->next({}, frame));
    ASSERT_NE(frame.picture->pixels, first.picture->pixels);
  }
  ASSERT_TRUE(source->next({}, frame));
  EXPECT_EQ(frame.picture->pixels, first.picture->pixels);
}

TEST(Synthetic, LabelsAreTheNetworksOwnNumbers) {
  std::vector<std::string> reversed(vehicle_labels().rbegin(), vehicle_labels().rend());
  reversed.insert(reversed.begin(), "something else");
  const auto one = synthetic(3, vehicle_labels());
  const auto other = synthetic(3, reversed);
  Frame a;
  Frame b;
  for (int tick = 0; tick < 20; ++tick) {
    ASSERT_TRUE(one->next({}, a));
    ASSERT_TRUE(other->next({}, b));
    for (std::size_t region = 0; region < a.labels.size(); ++region) {
      EXPECT_EQ(vehicle_labels()[static_cast<std::size_t>(a.labels[region])],
                reversed[static_cast<std::size_t>(b.labels[region])]);
    }
  }
}

TEST(Synthetic, ImagesAreResizedToTheNetworksInput) {
  Frame frame;
  ASSERT_TRUE(synthetic(1, vehicle_labels(), kInput)->next({}, frame));
  EXPECT_EQ(frame.picture->pixels.size(), 4 * kInput.size());
  ASSERT_EQ(frame.regions.size(), 4u);
  for (const PixelBox& box : frame.regions) {
    EXPECT_EQ(box[2], kInput.width);
    EXPECT_EQ(box[3], kInput.height);
  }
}

TEST(Synthetic, ScenesCarryTheBoxesOfWhatIsToBeFoundByTheNetworksNumbers) {
  const std::vector<std::string>& drawn = images::SceneGenerator::find("yard")->labels();
  std::vector<std::string> reversed(drawn.rbegin(), drawn.rend());
  const NetworkInputs inputs = inputs_of(profiles::InputShape{96, 96, 3});
  const auto open = [&](const std::vector<std::string>& labels) {
    auto source = open_source(SyntheticSource{"yard", 3}, Grid{2, 1}, inputs, labels);
    EXPECT_TRUE(source.ok()) << to_string(source.errors());
    return std::move(source).value();
  };
  const auto one = open(drawn);
  const auto other = open(reversed);
  Frame a;
  Frame b;
  std::size_t boxes = 0;
  for (int tick = 0; tick < 20; ++tick) {
    ASSERT_TRUE(one->next({}, a));
    ASSERT_TRUE(other->next({}, b));
    EXPECT_EQ(a.regions.size(), 2U);
    EXPECT_EQ(a.picture->frame_width, 224) << "boxes are in pixels of what was drawn";
    EXPECT_LT(a.picture->width, 224);
    EXPECT_EQ(a.picture->pixels, b.picture->pixels);
    EXPECT_TRUE(a.truths_known);
    EXPECT_TRUE(a.labels.empty());
    ASSERT_EQ(a.truths.size(), b.truths.size());
    for (std::size_t i = 0; i < a.truths.size(); ++i) {
      EXPECT_EQ(a.truths[i].box, b.truths[i].box);
      EXPECT_LE(a.truths[i].box.x + a.truths[i].box.width, 224.0F);
      EXPECT_EQ(drawn.at(static_cast<std::size_t>(a.truths[i].label)),
                reversed.at(static_cast<std::size_t>(b.truths[i].label)));
    }
    boxes += a.truths.size();
  }
  EXPECT_GT(boxes, 20U);
  const auto missing = open_source(SyntheticSource{"yard", 1}, WholeFrame{}, inputs, {"person"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.errors().size(), drawn.size() - 1);
}

TEST(Synthetic, AnUnknownDataSetOrAMissingLabelDoesNotOpen) {
  const auto unknown = open_source(SyntheticSource{"dragons", 1}, WholeFrame{}, inputs_of(kNative), {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.errors()[0].hint, "known: defects, glyphs, parking, signs, vehicles; of scenes: yard");
  const auto missing =
      open_source(SyntheticSource{"vehicles", 1}, WholeFrame{}, inputs_of(kNative), {"bus", "car"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.errors().size(), vehicle_labels().size() - 2);
}

// --- Synthetic scenes -----------------------------------------------------------------------------

constexpr profiles::InputShape kSceneInput{
    .width = images::kSceneSide, .height = images::kSceneSide, .channels = 3};

std::unique_ptr<FrameSource> scenes(std::uint64_t seed, const std::vector<std::string>& labels) {
  auto result = open_source(SyntheticSource{"yard", seed}, WholeFrame{}, inputs_of(kSceneInput), labels);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.errors()));
  return std::move(result).value();
}

const std::vector<std::string>& yard_labels() {
  static const std::vector<std::string> labels = images::SceneGenerator::find("yard")->labels();
  return labels;
}

TEST(SyntheticScenes, AreThoseOfTheLivePartWithTheirBoxes) {
  const auto source = scenes(7, yard_labels());
  const auto generator = images::SceneGenerator::find("yard");
  Frame frame;
  for (std::uint64_t tick = 0; tick < 5; ++tick) {
    ASSERT_TRUE(source->next({}, frame));
    const images::LabelledScene scene = generator->make(images::Split::live, images::mix(7) + tick);
    const std::size_t bytes = Picture::bytes(scene.bgr.cols, scene.bgr.rows);
    EXPECT_EQ(frame.picture->pixels, std::vector<std::uint8_t>(scene.bgr.data, scene.bgr.data + bytes));
    ASSERT_TRUE(frame.truths_known);
    ASSERT_EQ(frame.truths.size(), scene.boxes.size());
    for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
      const images::LabelledBox& box = scene.boxes[i];
      EXPECT_EQ(frame.truths[i].label, box.label);
      EXPECT_EQ(frame.truths[i].box.x, static_cast<float>(box.left));
      EXPECT_EQ(frame.truths[i].box.height, static_cast<float>(box.height));
    }
    EXPECT_TRUE(frame.labels.empty());
  }
}

TEST(SyntheticScenes, TheSameSeedGivesTheSameAndAnotherOthers) {
  const auto one = scenes(3, yard_labels());
  const auto same = scenes(3, yard_labels());
  const auto other = scenes(4, yard_labels());
  Frame a, b, c;
  ASSERT_TRUE(one->next({}, a));
  ASSERT_TRUE(same->next(to_duration(Seconds(9.0)), b));
  ASSERT_TRUE(other->next({}, c));
  EXPECT_EQ(a.picture->pixels, b.picture->pixels);
  EXPECT_EQ(a.truths, b.truths);
  EXPECT_NE(a.picture->pixels, c.picture->pixels);
}

TEST(Sources, RefuseANetworkThatDoesNotTakeThreeChannels) {
  const auto result = open_source(SyntheticSource{"vehicles", 1}, WholeFrame{},
                                  inputs_of({.width = 8, .height = 8, .channels = 1}), vehicle_labels());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.errors()[0].where, "input");
}

}  // namespace
}  // namespace saccade::runtime::synthetic_source_test
