// H.265, as many cameras send it: by RTSP, in a transport stream and in a file. The clip is encoded here.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <string>

#include "tests/support/http_camera.hpp"
#include "tests/support/rtsp_camera.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime::hevc_test {
namespace {

using test::brings_picture;
using test::HttpCamera;
using test::RtspCamera;
using test::stream_at;
using test::TemporaryFolder;

const NetworkInputs kInputs = inputs_of(profiles::InputShape{.width = 160, .height = 90, .channels = 3});

// Two seconds of a bright ball that moves over a dark ground.
std::string clip(const std::filesystem::path& file) {
  cv::VideoWriter writer(file.string(), cv::CAP_FFMPEG, cv::VideoWriter::fourcc('H', 'E', 'V', 'C'), 15.0,
                         cv::Size(320, 180));
  EXPECT_TRUE(writer.isOpened()) << "FFmpeg's libraries have no encoder of H.265";
  for (int i = 0; i < 30; ++i) {
    cv::Mat picture(180, 320, CV_8UC3, cv::Scalar::all(40));
    cv::circle(picture, {30 + 8 * i, 90}, 25, cv::Scalar::all(230), cv::FILLED);
    writer.write(picture);
  }
  return file.string();
}

void expect_pictures_of_the_clip(Result<std::unique_ptr<FrameSource>> source) {
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(brings_picture(*source.value(), frame));
  EXPECT_EQ(frame.picture->frame_width, 320);
  EXPECT_EQ(frame.picture->frame_height, 180);
  EXPECT_EQ(frame.picture->width, 160);
  const auto [dark, bright] = std::minmax_element(frame.picture->pixels.begin(), frame.picture->pixels.end());
  EXPECT_NEAR(*dark, 40, 15);
  EXPECT_NEAR(*bright, 230, 15);
}

TEST(Hevc, OfAnRtspCameraIsDecoded) {
  const TemporaryFolder folder;
  const RtspCamera camera({15, 320, 180}, "0", {}, {"--file", clip(folder / "clip.mkv")});
  expect_pictures_of_the_clip(open_stream(stream_at(camera.url()), WholeFrame{}, kInputs));
}

TEST(Hevc, InATransportStreamIsDecoded) {
  const TemporaryFolder folder;
  const HttpCamera camera("silent", clip(folder / "clip.ts"));
  expect_pictures_of_the_clip(open_stream(stream_at(camera.url()), WholeFrame{}, kInputs));
}

TEST(Hevc, InAFileIsDecoded) {
  const TemporaryFolder folder;
  expect_pictures_of_the_clip(open_source(VideoSource{clip(folder / "clip.mp4")}, WholeFrame{}, kInputs, {}));
}

}  // namespace
}  // namespace saccade::runtime::hevc_test
