// H.265, as many cameras send it: by RTSP, in a transport stream and in a file. Clips: the folder hevc.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "tests/support/http_camera.hpp"
#include "tests/support/rtsp_camera.hpp"

namespace saccade::runtime::hevc_test {
namespace {

using test::brings_picture;
using test::HttpCamera;
using test::RtspCamera;
using test::stream_at;

const NetworkInputs kInputs = inputs_of(profiles::InputShape{.width = 160, .height = 90, .channels = 3});

// Two seconds of a bright ball (230) of radius 25 over a dark ground (40), 15 pictures/s of 320 x 180. Made
// with cv::VideoWriter, which encodes with libx265: not here, because that leaks memory when it is opened.
std::string clip(const std::string& container) {
  return std::string(SACCADE_SOURCE_DIR "/tests/runtime/sources/hevc/ball.") + container;
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
  const RtspCamera camera({15, 320, 180}, "0", {}, {"--file", clip("mkv")});
  expect_pictures_of_the_clip(open_stream(stream_at(camera.url()), WholeFrame{}, kInputs));
}

TEST(Hevc, InATransportStreamIsDecoded) {
  const HttpCamera camera("silent", clip("ts"));
  expect_pictures_of_the_clip(open_stream(stream_at(camera.url()), WholeFrame{}, kInputs));
}

TEST(Hevc, InAFileIsDecoded) {
  expect_pictures_of_the_clip(open_source(VideoSource{clip("mp4")}, WholeFrame{}, kInputs, {}));
}

}  // namespace
}  // namespace saccade::runtime::hevc_test
