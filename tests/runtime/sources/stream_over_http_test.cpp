// Cameras that do not speak RTSP: Motion JPEG and transport streams over HTTP (tests/support/http_camera.py).
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>

#include "tests/support/http_camera.hpp"
#include "tests/support/rtsp_camera.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime::stream_over_http_test {
namespace {

using test::brings_picture;
using test::HttpCamera;
using test::stream_at;
using test::TemporaryFolder;
using test::trouble_of;

const NetworkInputs kInputs = inputs_of(profiles::InputShape{.width = 160, .height = 90, .channels = 3});

std::string jpeg_in(const TemporaryFolder& folder) {
  const std::string file = (folder / "picture.jpg").string();
  EXPECT_TRUE(cv::imwrite(file, cv::Mat(180, 320, CV_8UC3, cv::Scalar::all(120))));
  return file;
}

StreamSource impatient(const std::string& url) {
  StreamSource source = stream_at(url);
  source.silence = Seconds(1.0);
  return source;
}

TEST(StreamOverHttp, MotionJpegIsReadAndACameraThatSendsNoMoreIsLostAndComesBack) {
  const TemporaryFolder folder;
  for (const char* then : {"silent", "drips"}) {
    const HttpCamera camera(then, jpeg_in(folder));
    const auto source = open_stream(impatient(camera.url()), WholeFrame{}, kInputs);
    ASSERT_TRUE(source.ok()) << then << ": " << to_string(source.errors());
    Frame frame;
    ASSERT_TRUE(brings_picture(*source.value(), frame)) << then;
    EXPECT_EQ(frame.picture->frame_width, 320);
    EXPECT_EQ(frame.picture->width, 160);
    EXPECT_NEAR(frame.picture->pixels.front(), 120, 3);
    EXPECT_EQ(trouble_of(*source.value()),
              camera.url() + " says nothing for 1 s: check that it is on, and its address; opening it again")
        << then;
    EXPECT_TRUE(brings_picture(*source.value(), frame)) << then;
    EXPECT_EQ(source.value()->counters()->read().reconnects, 1U) << then;
  }
}

TEST(StreamOverHttp, ATransportStreamIsReadAndItsSilenceIsNoticed) {
  const TemporaryFolder folder;
  const std::string file = (folder / "stream.ts").string();
  {
    cv::VideoWriter writer(file, cv::CAP_FFMPEG, cv::VideoWriter::fourcc('M', 'P', 'G', '2'), 25.0,
                           cv::Size(320, 180));
    ASSERT_TRUE(writer.isOpened());
    for (int i = 0; i < 50; ++i) writer.write(cv::Mat(180, 320, CV_8UC3, cv::Scalar::all(120)));
  }
  const HttpCamera camera("silent", file);
  const auto source = open_stream(impatient(camera.url()), WholeFrame{}, kInputs);
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  ASSERT_TRUE(brings_picture(*source.value(), frame));
  EXPECT_EQ(frame.picture->frame_width, 320);
  EXPECT_NEAR(frame.picture->pixels.front(), 120, 6);
  EXPECT_EQ(trouble_of(*source.value()),
            camera.url() + " says nothing for 1 s: check that it is on, and its address; opening it again");
}

// OpenCV alone knows whether an address of HTTP is a file; what is none is read as a `stream` is.
TEST(StreamOverHttp, AVideoWithTheAddressOfACameraIsReadAsAStream) {
  const TemporaryFolder folder;
  HttpCamera camera("plays", jpeg_in(folder));
  const auto source = open_source(VideoSource{camera.url()}, WholeFrame{}, kInputs, {});
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  EXPECT_TRUE(brings_picture(*source.value(), frame));
  camera.kill();
  EXPECT_NE(trouble_of(*source.value(), "refuses the connection"), "") << "of which OpenCV does not tell";
}

TEST(StreamOverHttp, AVideoWithAnAddressThatIsAlwaysLiveIsAStream) {
  for (const std::string scheme : {"rtsp", "rtsps", "rtmp", "rtmps", "srt", "tcp", "udp"})
    EXPECT_TRUE(is_always_live(scheme + "://127.0.0.1:9/cam")) << scheme;
  for (const char* other : {"http://camera/1", "https://camera/1", "file:///tmp/a.mp4", "/tmp/a.mp4"})
    EXPECT_FALSE(is_always_live(other)) << other;
  for (const char* camera : {"rtsp://camera/1", "udp://camera:9", "http://camera/1", "https://camera/1"})
    EXPECT_TRUE(is_stream_address(camera)) << camera;
  for (const char* other :
       {"file:///tmp/a.mp4", "/tmp/a.mp4", "ftp://camera/1", "http:/camera", "RTSP://camera"})
    EXPECT_FALSE(is_stream_address(other)) << other;
  const auto refused = open_source(VideoSource{"tcp://127.0.0.1:9"}, WholeFrame{}, kInputs, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors().front().what, "the camera refuses the connection");
}

}  // namespace
}  // namespace saccade::runtime::stream_over_http_test
