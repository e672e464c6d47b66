// What moves is measured: of pictures that are made here, with a square of known size in known places.
#include "runtime/pictures/motion_meter.hpp"

#include <gtest/gtest.h>

#include "runtime/pictures/resizing.hpp"

namespace saccade::runtime {
namespace {

constexpr double kLook = 0.2;  // seconds
const std::vector<MotionSettings> kPlain = {{30, {}}};

TimePoint after(double seconds) { return TimePoint(to_duration(Seconds(seconds))); }

// 320 x 180 of a source of twice that, grey, with a square of 32 x 32.
Picture with_square(int x, int y, int background = 100, int square = 250) {
  Picture picture;
  picture.resize(320, 180);
  picture.frame_width = 640;
  picture.frame_height = 360;
  cv::Mat pixels = view_of(picture);
  pixels.setTo(cv::Scalar::all(background));
  if (square > 0) pixels(cv::Rect(x, y, 32, 32)).setTo(cv::Scalar::all(square));
  return picture;
}
Picture plain(int grey) { return with_square(0, 0, grey, 0); }

constexpr double kSquare = 32.0 * 32.0 / (320.0 * 180.0);

TEST(MotionMeter, MeasuresTheShareThatDiffersFromTheMean) {
  MotionMeter meter({{30, {}}, {200, {}}});
  EXPECT_EQ(meter.look(plain(100), after(0)), (std::vector<double>{0.0, 0.0})) << "nothing to compare with";
  EXPECT_EQ(meter.look(plain(100), after(kLook)), (std::vector<double>{0.0, 0.0}));
  const std::vector<double> shares = meter.look(with_square(64, 64), after(2 * kLook));
  EXPECT_NEAR(shares[0], kSquare, 1e-9);
  EXPECT_EQ(shares[1], 0.0) << "the difference is 150 of 255";
  EXPECT_EQ(meter.look(plain(110), after(3 * kLook))[0], 0.0) << "less than the threshold";
}

// Halved twice, once with a remainder, three times with one, never, and in between: one meter for all.
TEST(MotionMeter, MeasuresTheSameShareAtAnySize) {
  MotionMeter meter(kPlain);
  double at = 0.0;
  for (const cv::Size size :
       {cv::Size(640, 360), {1920, 1080}, {1280, 720}, {961, 541}, {2560, 1440}, {160, 90}}) {
    Picture picture;
    picture.resize(size.width, size.height);
    cv::Mat pixels = view_of(picture);
    pixels.setTo(cv::Scalar::all(100));
    EXPECT_EQ(meter.look(picture, after(at += kLook))[0], 0.0) << size;
    EXPECT_EQ(meter.look(picture, after(at += kLook))[0], 0.0) << size;
    pixels(cv::Rect(size.width / 4, size.height / 3, size.width / 2, size.height / 3))
        .setTo(cv::Scalar::all(250));
    EXPECT_NEAR(meter.look(picture, after(at += kLook))[0], 1.0 / 6.0, 0.01) << size;
  }
}

TEST(MotionMeter, WhatStaysBecomesPartOfTheViewAtTheSameSpeedAtAnyRate) {
  const auto seconds_until_still = [](double between) {
    MotionMeter meter(kPlain);
    (void)meter.look(plain(100), after(0));
    double at = between;
    while (meter.look(with_square(64, 64), after(at))[0] > 0.0 && at < 300.0) at += between;
    return at;
  };
  const double often = seconds_until_still(kLook);  // 150 x 0.99^n = 30
  EXPECT_NEAR(often, 160 * kLook, 3 * kLook);
  EXPECT_NEAR(seconds_until_still(1.0), often, 2.0);
}

TEST(MotionMeter, MasksLieInPixelsOfTheSource) {
  MotionMeter meter({{30, {{128, 128, 64, 64}}}, {30, {{0, 0, 320, 360}}}, {30, {{0, 0, 640, 360}}}});
  (void)meter.look(plain(100), after(0));
  const std::vector<double> shares = meter.look(with_square(64, 64), after(kLook));
  EXPECT_EQ(shares[0], 0.0);
  EXPECT_EQ(shares[1], 0.0);
  EXPECT_EQ(shares[2], 0.0) << "nothing is left that counts";
  const std::vector<double> elsewhere = meter.look(with_square(256, 64), after(2 * kLook));
  EXPECT_GT(elsewhere[0], 0.0);
  EXPECT_NEAR(elsewhere[1], 2 * kSquare, 0.002) << "of half the picture";
  EXPECT_EQ(elsewhere[2], 0.0);
}

TEST(MotionMeter, AnotherLightIsNoMotionAndStartsOver) {
  MotionMeter meter(kPlain);
  (void)meter.look(plain(100), after(0));
  EXPECT_EQ(meter.look(plain(200), after(kLook))[0], 0.0);
  EXPECT_EQ(meter.look(plain(200), after(2 * kLook))[0], 0.0);
  EXPECT_NEAR(meter.look(with_square(64, 64, 200, 20), after(3 * kLook))[0], kSquare, 1e-9);
}

TEST(MotionMeter, AnotherSizeOrOrderOfColoursStartsOverOrChangesNothing) {
  MotionMeter meter(kPlain);
  (void)meter.look(plain(100), after(0));
  Picture rgb = plain(100);
  rgb.order = profiles::ColorOrder::rgb;
  EXPECT_EQ(meter.look(rgb, after(kLook))[0], 0.0);
  Picture small;
  small.resize(64, 64);
  small.frame_width = 640;
  small.frame_height = 360;
  view_of(small).setTo(cv::Scalar::all(10));
  EXPECT_EQ(meter.look(small, after(2 * kLook))[0], 0.0);
  view_of(small)(cv::Rect(0, 0, 32, 32)).setTo(cv::Scalar::all(200));
  EXPECT_NEAR(meter.look(small, after(3 * kLook))[0], 0.25, 1e-9) << "pictures are never enlarged";
}

TEST(MotionMeter, IsDueFiveTimesASecond) {
  MotionMeter meter(kPlain);
  int looks = 0;
  for (int tick = 0; tick < 300; ++tick) {  // 30 a second, for ten
    const double at = tick / 30.0 + (tick % 2 == 0 ? 0.004 : -0.004);
    if (!meter.due(after(at))) continue;
    (void)meter.look(plain(100), after(at));
    ++looks;
  }
  EXPECT_GE(looks, 48);
  EXPECT_LE(looks, 51);
}

}  // namespace
}  // namespace saccade::runtime
