// What people see of the latest frames, and that a service nobody looks at keeps none.
#include "runtime/latest_frame.hpp"

#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>

#include "runtime/sources/thumbnail.hpp"

namespace saccade::runtime {
namespace {

constexpr TimePoint kStart{};

TEST(LatestFrame, NothingIsMadeBeforeSomebodyLooks) {
  LatestFrame latest;
  EXPECT_FALSE(latest.wants_frame(kStart));
  EXPECT_FALSE(latest.wants_answer());
  const LatestFrame::Look first = latest.look();
  EXPECT_TRUE(first.jpeg.empty());
  EXPECT_TRUE(first.answers.empty());
  EXPECT_TRUE(latest.wants_frame(kStart));
  EXPECT_TRUE(latest.wants_answer());
}

TEST(LatestFrame, ALookAsksForOneFrameAndOneAnswer) {
  LatestFrame latest;
  (void)latest.look();
  latest.show("a picture", kStart);
  latest.answered({0.1F, 0.9F, 0.0F, 0.7F, 0.2F, 0.1F}, 3);
  EXPECT_FALSE(latest.wants_frame(kStart + LatestFrame::kLeastPause));
  EXPECT_FALSE(latest.wants_answer());
  const LatestFrame::Look look = latest.look();
  EXPECT_EQ(look.jpeg, "a picture");
  EXPECT_EQ(look.answers, (std::vector<int>{1, 0}));
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
  latest.answered({1.0F}, 1);
  latest.forget();
  EXPECT_FALSE(latest.wants_frame(kStart + LatestFrame::kLeastPause));
  EXPECT_TRUE(latest.look().jpeg.empty());
  EXPECT_TRUE(latest.look().answers.empty());
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

TEST(Thumbnail, WithoutAFrameThereIsNone) {
  EXPECT_EQ(thumbnail({}, {64, 64, 3}, WholeFrame{}), "");
  EXPECT_EQ(thumbnail({0.5F}, {64, 64, 3}, WholeFrame{}), "");
}

}  // namespace
}  // namespace saccade::runtime
