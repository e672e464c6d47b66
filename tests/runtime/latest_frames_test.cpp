// What people see of the latest frames, and that a service nobody looks at keeps none.
#include "runtime/latest_frames.hpp"

#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>

#include "runtime/sources/thumbnail.hpp"

namespace saccade::runtime {
namespace {

const TaskIndex kGate = 0;
const TaskIndex kRoad = 1;

TEST(LatestFrames, NothingIsKeptBeforeSomebodyLooks) {
  LatestFrames frames;
  frames.captured(kGate, {0.5F});
  frames.answered(kGate, {0.1F, 0.9F}, 2);
  const LatestFrames::Look first = frames.look(kGate);
  EXPECT_TRUE(first.input.empty());
  EXPECT_TRUE(first.answers.empty());
}

TEST(LatestFrames, ALookAsksForOneFrameAndOneAnswerOfItsTask) {
  LatestFrames frames;
  (void)frames.look(kGate);
  frames.captured(kRoad, {0.1F});
  frames.captured(kGate, {0.2F});
  frames.captured(kGate, {0.3F});
  frames.answered(kGate, {0.1F, 0.9F, 0.0F, 0.7F, 0.2F, 0.1F}, 3);
  frames.answered(kGate, {1.0F, 0.0F, 0.0F, 1.0F, 0.0F, 0.0F}, 3);
  const LatestFrames::Look look = frames.look(kGate);
  EXPECT_EQ(look.input, std::vector<float>{0.2F});
  EXPECT_EQ(look.answers, (std::vector<int>{1, 0}));
  EXPECT_TRUE(frames.look(kRoad).input.empty());
  frames.captured(kGate, {0.4F});
  EXPECT_EQ(frames.look(kGate).input, std::vector<float>{0.4F});
}

TEST(LatestFrames, WhatIsForgottenIsNotWaitedFor) {
  LatestFrames frames;
  (void)frames.look(kGate);
  frames.captured(kGate, {0.2F});
  frames.forget(kGate);
  frames.captured(kGate, {0.3F});
  EXPECT_TRUE(frames.look(kGate).input.empty());
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
