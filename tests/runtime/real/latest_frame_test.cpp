// What people see of the latest frames, and that a service nobody looks at keeps none.
#include "runtime/real/latest_frame.hpp"

#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>

#include "runtime/sources/thumbnail.hpp"

namespace saccade::runtime {
namespace {

constexpr TimePoint kStart{};

TEST(LatestFrame, NothingIsMadeBeforeSomebodyLooks) {
  LatestFrame latest;
  EXPECT_FALSE(latest.wants_frame(kStart));
  EXPECT_FALSE(latest.answer());
  const LatestFrame::Look first = latest.look();
  EXPECT_TRUE(first.jpeg.empty());
  EXPECT_FALSE(first.answer);
  EXPECT_TRUE(latest.wants_frame(kStart));
}

TEST(LatestFrame, ALookAsksForOneFrame) {
  LatestFrame latest;
  (void)latest.look();
  latest.show("a picture", kStart);
  latest.answered(2, {1, 0}, {});
  EXPECT_FALSE(latest.wants_frame(kStart + LatestFrame::kLeastPause));
  const LatestFrame::Look look = latest.look();
  EXPECT_EQ(look.jpeg, "a picture");
  ASSERT_TRUE(look.answer);
  EXPECT_EQ(look.answer->variant, 2U);
  EXPECT_EQ(look.answer->classes, (std::vector<int>{1, 0}));
}

TEST(LatestFrame, TheLatestAnswerIsKeptWithoutALook) {
  LatestFrame latest;
  latest.answered(0, {}, {{{1.0F, 2.0F, 3.0F, 4.0F}, 5, 0.5F, 0}});
  const vision::Objects two{{{1.0F, 1.0F, 1.0F, 1.0F}, 1, 0.9F, 0}, {{2.0F, 2.0F, 2.0F, 2.0F}, 2, 0.8F, 1}};
  latest.answered(1, {}, two);
  const auto answer = latest.answer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->variant, 1U);
  EXPECT_EQ(answer->objects, two);
  EXPECT_FALSE(latest.wants_frame(kStart)) << "an answer asks for no picture";
}

TEST(LatestFrame, ManyLooksMakeFewPictures) {
  LatestFrame latest;
  (void)latest.look();
  latest.show("a picture", kStart);
  (void)latest.look();
  EXPECT_FALSE(latest.wants_frame(kStart + LatestFrame::kLeastPause - Duration(1)));
  EXPECT_TRUE(latest.wants_frame(kStart + LatestFrame::kLeastPause));
}

TEST(LatestFrame, WhatIsForgottenIsNotShownAgain) {
  LatestFrame latest;
  (void)latest.look();
  latest.show("a picture", kStart);
  latest.answered(0, {0}, {});
  latest.forget();
  EXPECT_FALSE(latest.wants_frame(kStart + LatestFrame::kLeastPause));
  EXPECT_TRUE(latest.look().jpeg.empty());
  EXPECT_FALSE(latest.look().answer);
}

cv::Mat decoded(const std::string& jpeg) {
  const std::vector<std::uint8_t> bytes(jpeg.begin(), jpeg.end());
  return cv::imdecode(bytes, cv::IMREAD_COLOR);
}

// `count` regions; region i is red of strength (i + 1) / count.
std::vector<float> reds(int count, const profiles::InputShape& shape) {
  std::vector<float> input(shape.size() * static_cast<std::size_t>(count), 0.0F);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto first = input.begin() + static_cast<std::ptrdiff_t>(i * shape.size());
    std::fill(first, first + static_cast<std::ptrdiff_t>(shape.size() / 3),
              static_cast<float>(i + 1) / static_cast<float>(count));
  }
  return input;
}

TEST(Thumbnail, AGridLiesAsInTheCamerasPicture) {
  const profiles::InputShape shape{16, 16, 3};
  const cv::Mat picture = decoded(thumbnail(reds(6, shape), shape, Grid{3, 2}));
  ASSERT_EQ(picture.size(), cv::Size(48, 32));
  for (int i = 0; i < 6; ++i) {
    const cv::Vec3b pixel = picture.at<cv::Vec3b>(8 + 16 * (i / 3), 8 + 16 * (i % 3));
    EXPECT_NEAR(pixel[2], 255 * (i + 1) / 6, 12) << i;
    EXPECT_LT(pixel[0], 30) << i;
  }
}

TEST(Thumbnail, IsSmallWhateverTheFrame) {
  const profiles::InputShape shape{64, 64, 3};
  EXPECT_EQ(decoded(thumbnail(reds(1, shape), shape, WholeFrame{})).size(), cv::Size(64, 64));
  const cv::Mat picture = decoded(thumbnail(reds(28, shape), shape, Grid{7, 4}));
  EXPECT_LE(picture.cols, kThumbnailPixels);
  EXPECT_NEAR(static_cast<double>(picture.cols) / picture.rows, 7.0 / 4.0, 0.02);
}

TEST(Thumbnail, OfAPictureHasTheSidesOfTheSourcesFrame) {
  Picture picture;
  picture.resize(64, 64);
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) picture.pixels[i] = i % 3 == 0 ? 200 : 30;
  picture.frame_width = 1920;
  picture.frame_height = 1080;
  const cv::Mat small = decoded(thumbnail(picture));
  ASSERT_EQ(small.size(), cv::Size(64, 36)) << "the picture was reduced by another measure in each direction";
  EXPECT_NEAR(small.at<cv::Vec3b>(18, 32)[0], 200, 12);
  picture.order = profiles::ColorOrder::rgb;
  EXPECT_NEAR(decoded(thumbnail(picture)).at<cv::Vec3b>(18, 32)[2], 200, 12);
  picture.resize(1280, 720);
  EXPECT_EQ(decoded(thumbnail(picture)).size(), cv::Size(320, 180));
  EXPECT_EQ(thumbnail(Picture()), "");
}

TEST(Thumbnail, WithoutAFrameThereIsNone) {
  EXPECT_EQ(thumbnail({}, {64, 64, 3}, WholeFrame{}), "");
  EXPECT_EQ(thumbnail({0.5F}, {64, 64, 3}, WholeFrame{}), "");
}

}  // namespace
}  // namespace saccade::runtime
