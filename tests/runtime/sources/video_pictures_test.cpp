// Pictures taken from a video file; every frame of the test's videos is plain, brighter than the one before.
#include "runtime/sources/video_pictures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <opencv2/videoio.hpp>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime::video_pictures_test {
namespace {

using test::TemporaryFolder;

constexpr int kBrightnessStep = 8;
const NetworkInputs kInputs = inputs_of({.width = 16, .height = 12, .channels = 3});

std::filesystem::path write_video(const std::filesystem::path& file, int frames) {
  cv::VideoWriter writer(file.string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 25.0, cv::Size(64, 48));
  EXPECT_TRUE(writer.isOpened());
  for (int number = 0; number < frames; ++number) {
    writer.write(cv::Mat(cv::Size(64, 48), CV_8UC3, cv::Scalar::all(number * kBrightnessStep)));
  }
  return file;
}

std::vector<int> numbers_of(const std::vector<PicturePtr>& pictures) {
  std::vector<int> numbers;
  for (const PicturePtr& picture : pictures) {
    const double sum = std::accumulate(picture->pixels.begin(), picture->pixels.end(), 0.0);
    numbers.push_back(
        static_cast<int>(std::lround(sum / static_cast<double>(picture->pixels.size()) / kBrightnessStep)));
  }
  return numbers;
}

std::vector<int> taken(const std::filesystem::path& file, const VideoLimits& limits) {
  const auto pictures = video_pictures(file, kInputs, limits);
  EXPECT_TRUE(pictures.ok()) << (pictures.ok() ? "" : to_string(pictures.errors()));
  return pictures.ok() ? numbers_of(pictures.value()) : std::vector<int>{};
}

TEST(VideoPictures, AreAllFramesOfAShortVideo) {
  const TemporaryFolder folder;
  const auto file = write_video(folder / "a.avi", 6);
  EXPECT_EQ(taken(file, {}), (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST(VideoPictures, LieEvenlyOverALongOne) {
  const TemporaryFolder folder;
  const auto file = write_video(folder / "a.avi", 20);
  EXPECT_EQ(taken(file, {.pictures = 5}), (std::vector<int>{0, 4, 8, 12, 16}));
  EXPECT_EQ(taken(file, {.pictures = 1}), (std::vector<int>{0}));
}

TEST(VideoPictures, AreReducedAndStayWithinTheirMemory) {
  const TemporaryFolder folder;
  const auto file = write_video(folder / "a.avi", 20);
  const auto pictures = video_pictures(file, kInputs);
  ASSERT_TRUE(pictures.ok());
  const Picture& first = *pictures.value().front();
  EXPECT_EQ(first.frame_width, 64);
  EXPECT_LT(first.pixels.size(), Picture::bytes(64, 48));
  EXPECT_EQ(taken(file, {.bytes = 4 * first.pixels.size()}), (std::vector<int>{0, 5, 10, 15}));
}

TEST(VideoPictures, OfAFileThatIsNoVideoAreAnErrorThatNamesIt) {
  const TemporaryFolder folder;
  const auto none = video_pictures(folder / "missing.mp4", kInputs);
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.errors()[0].where.find("missing.mp4"), std::string::npos);
  EXPECT_EQ(none.errors()[0].what, "cannot be read as a video");
}

}  // namespace
}  // namespace saccade::runtime::video_pictures_test
