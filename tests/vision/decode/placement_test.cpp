#include "vision/decode/placement.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/vision/decode/made_outputs.hpp"

namespace saccade::vision::test {
namespace {

using profiles::Align;
using profiles::Resize;

profiles::PictureInput input_of(int width, int height, Resize resize, Align align = Align::center) {
  profiles::PictureInput input;
  input.width = width;
  input.height = height;
  input.resize = resize;
  input.align = align;
  return input;
}

Placement whole_frame(const profiles::PictureInput& input, int width, int height) {
  return place(input, {0, 0, static_cast<float>(width), static_cast<float>(height)}, {width, height});
}

TEST(Placement, StretchFillsTheInput) {
  const Placement placement = whole_frame(input_of(320, 192, Resize::stretch), 1920, 1080);
  EXPECT_EQ(placement.picture, (PixelRect{0, 0, 320, 192}));
  EXPECT_EQ(placement.target, placement.picture);
  EXPECT_EQ(placement.source, (Box{0, 0, 1920, 1080}));
}

TEST(Placement, LetterboxKeepsTheShapeAndCentres) {
  const Placement wide = whole_frame(input_of(640, 640, Resize::letterbox), 1920, 1080);
  EXPECT_EQ(wide.target, (PixelRect{0, 140, 640, 360}));
  EXPECT_EQ(wide.source, (Box{0, 0, 1920, 1080}));
  const Placement tall = whole_frame(input_of(640, 640, Resize::letterbox), 1080, 1920);
  EXPECT_EQ(tall.target, (PixelRect{140, 0, 360, 640}));
  // An odd rest: the smaller half lies left and above.
  const Placement odd = whole_frame(input_of(416, 416, Resize::letterbox), 333, 517);
  EXPECT_EQ(odd.target, (PixelRect{74, 0, 268, 416}));  // 333 * 416 / 517 = 267.95
  EXPECT_DOUBLE_EQ(odd.scale_x, 268.0 / 333.0);         // of the rounded side, not 416 / 517
  const Placement corner = whole_frame(input_of(640, 640, Resize::letterbox, Align::top_left), 1920, 1080);
  EXPECT_EQ(corner.target, (PixelRect{0, 0, 640, 360}));
}

TEST(Placement, LetterboxEnlargesWhatIsSmall) {
  const Placement placement = whole_frame(input_of(320, 320, Resize::letterbox), 64, 48);
  EXPECT_EQ(placement.target, (PixelRect{0, 40, 320, 240}));
}

TEST(Placement, LetterboxRoundsHalvesUp) {
  // 25 * 100 / 200 = 12.5
  EXPECT_EQ(whole_frame(input_of(100, 100, Resize::letterbox), 200, 25).target, (PixelRect{0, 43, 100, 13}));
}

TEST(Placement, CoverCutsTheMiddleOut) {
  const Placement wide = whole_frame(input_of(320, 320, Resize::cover), 1920, 1080);
  EXPECT_EQ(wide.picture, (PixelRect{-125, 0, 569, 320}));  // 1920 * 320 / 1080 = 568.9; floor(-249 / 2)
  EXPECT_EQ(wide.target, (PixelRect{0, 0, 320, 320}));
  EXPECT_NEAR(wide.source.x, 125.0 * 1920 / 569, 1e-3);
  EXPECT_NEAR(wide.source.width, 320.0 * 1920 / 569, 1e-3);
  EXPECT_FLOAT_EQ(wide.source.height, 1080);
}

TEST(Placement, ARegionLiesWhereItWasCut) {
  const Placement placement =
      place(input_of(100, 100, Resize::letterbox), {1000, 500, 200, 100}, {1920, 1080}, 4);
  EXPECT_EQ(placement.target, (PixelRect{0, 25, 100, 50}));
  EXPECT_EQ(placement.source, (Box{1000, 500, 200, 100}));
  EXPECT_EQ(placement.number, 4);
  EXPECT_EQ(to_frame(placement, {0, 25, 100, 75}), (Corners{1000, 500, 1200, 600}));
  EXPECT_EQ(to_frame(placement, {-10, 0, 50, 100}), (Corners{980, 450, 1100, 650}));  // nothing is clipped
}

TEST(Placement, ASideIsNeverLessThanOnePixel) {
  const Placement flat = whole_frame(input_of(32, 32, Resize::letterbox), 5000, 1);
  EXPECT_EQ(flat.target, (PixelRect{0, 15, 32, 1}));
  const Placement cut = whole_frame(input_of(32, 32, Resize::cover), 5000, 1);
  EXPECT_EQ(cut.target, (PixelRect{0, 0, 32, 32}));
  EXPECT_NEAR(cut.source.width, 1.0, 1e-3);
}

// Laws, over random sizes.
TEST(Placement, TargetAndSourceFitAndTheWayBackIsExact) {
  Random random(3);
  for (int trial = 0; trial < 20'000; ++trial) {
    const auto input =
        input_of(whole(random, 1, 700), whole(random, 1, 700), static_cast<Resize>(whole(random, 0, 2)),
                 static_cast<Align>(whole(random, 0, 1)));
    const PixelSize frame{whole(random, 1, 3000), whole(random, 1, 3000)};
    const int width = whole(random, 1, frame.width);
    const int height = whole(random, 1, frame.height);
    const Box region{static_cast<float>(whole(random, 0, frame.width - width)),
                     static_cast<float>(whole(random, 0, frame.height - height)), static_cast<float>(width),
                     static_cast<float>(height)};
    const Placement placement = place(input, region, frame);
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const PixelRect& target = placement.target;
    ASSERT_TRUE(target.left >= 0 && target.top >= 0 && target.width >= 1 && target.height >= 1);
    ASSERT_LE(target.left + target.width, input.width);
    ASSERT_LE(target.top + target.height, input.height);
    ASSERT_TRUE(input.resize == Resize::letterbox ||
                (target.width == input.width && target.height == input.height));
    ASSERT_TRUE(input.resize != Resize::letterbox || target.width == input.width ||
                target.height == input.height);
    const Box& source = placement.source;
    ASSERT_GE(source.x, region.x - 1e-3F);
    ASSERT_GE(source.y, region.y - 1e-3F);
    ASSERT_LE(source.x + source.width, region.x + region.width + 1e-3F * region.width);
    ASSERT_LE(source.y + source.height, region.y + region.height + 1e-3F * region.height);
    // `source` and `target` are the same place.
    const Corners back = to_frame(placement, {static_cast<float>(target.left), static_cast<float>(target.top),
                                              static_cast<float>(target.left + target.width),
                                              static_cast<float>(target.top + target.height)});
    ASSERT_NEAR(back.left, source.x, 2e-3);
    ASSERT_NEAR(back.top, source.y, 2e-3);
    ASSERT_NEAR(back.right, source.x + source.width, 2e-3);
    ASSERT_NEAR(back.bottom, source.y + source.height, 2e-3);
    // There and back.
    const Corners box{region.x + 1, region.y - 7, region.x + 55, region.y + 3};
    const Corners again = to_frame(placement, to_input(placement, box));
    ASSERT_NEAR(again.left, box.left, 0.05);
    ASSERT_NEAR(again.top, box.top, 0.05);
    ASSERT_NEAR(again.right, box.right, 0.05);
    ASSERT_NEAR(again.bottom, box.bottom, 0.05);
    // The other way of writing it down.
    const Map map = map_of(input, region);
    if (placement.picture.width > 1 && placement.picture.height > 1) {
      ASSERT_NEAR(map.x.scale, placement.scale_x, 1e-9 * map.x.scale);
      ASSERT_NEAR(map.y.scale, placement.scale_y, 1e-9 * map.y.scale);
    }
  }
}

}  // namespace
}  // namespace saccade::vision::test
