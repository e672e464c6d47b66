// What changes while a network camera is read: it is lost in every way and returns, with another codec or
// another size, or its size changes within the stream. Against real servers (tests/support/rtsp_camera.py).
#include <gtest/gtest.h>

extern "C" {
#include <libavutil/cpu.h>
}

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <memory>

#include "runtime/sources/stream_capture.hpp"
#include "tests/support/rtsp_camera.hpp"

namespace saccade::runtime::stream_changes_test {
namespace {

using test::BlackHole;
using test::brings_picture;
using test::CameraPictures;
using test::RtspCamera;
using test::stream_at;
using test::trouble_of;

const NetworkInputs kInputs = inputs_of(profiles::InputShape{.width = 160, .height = 90, .channels = 3});

TEST(StreamChanges, ACameraThatRanBeforeIsLostForEveryReasonInTurnAndComesBack) {
  auto camera = std::make_unique<RtspCamera>(CameraPictures{});
  const std::string port = camera->port();
  StreamSource asked = stream_at(camera->url());
  asked.silence = Seconds(1.0);
  const auto source = open_stream(asked, WholeFrame{}, kInputs);
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  ASSERT_TRUE(brings_picture(*source.value(), frame));
  camera->kill();
  EXPECT_NE(trouble_of(*source.value(), "refuses the connection"), "") << "nobody listens";
  {
    const BlackHole hole(std::stoi(port));
    EXPECT_NE(trouble_of(*source.value(), "says nothing for 1 s"), "") << "it accepts and is silent";
  }
  camera = std::make_unique<RtspCamera>(CameraPictures{}, port, std::vector<std::string>{"viewer", "secret"});
  EXPECT_NE(trouble_of(*source.value(), "(401)"), "") << "a password was set";
  camera->kill();
  camera = std::make_unique<RtspCamera>(CameraPictures{}, port);
  EXPECT_TRUE(brings_picture(*source.value(), frame));
  EXPECT_FALSE(source.value()->fault().has_value());
  EXPECT_EQ(source.value()->counters()->read().reconnects, 1U) << "it was lost once, whatever the reasons";
}

TEST(StreamChanges, ACameraMayReturnWithAnotherCodec) {
  constexpr CameraPictures kJpeg{15, 320, 176};
  const std::vector<std::string> jpeg = {"--codec", "jpeg"};
  auto camera = std::make_unique<RtspCamera>(CameraPictures{});
  const std::string port = camera->port();
  const auto source = open_stream(stream_at(camera->url()), WholeFrame{}, kInputs);
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  ASSERT_TRUE(brings_picture(*source.value(), frame));
  EXPECT_EQ(frame.picture->frame_height, 180);
  for (const bool changed : {true, false}) {
    camera->kill();
    EXPECT_NE(trouble_of(*source.value()), "");
    camera = changed ? std::make_unique<RtspCamera>(kJpeg, port, std::vector<std::string>{}, jpeg)
                     : std::make_unique<RtspCamera>(CameraPictures{}, port);
    ASSERT_TRUE(brings_picture(*source.value(), frame)) << source.value()->fault().value_or("");
    EXPECT_EQ(frame.picture->frame_height, changed ? 176 : 180);
    const auto [dark, bright] =
        std::minmax_element(frame.picture->pixels.begin(), frame.picture->pixels.end());
    EXPECT_LT(*dark, 40) << "a white ball on black";
    EXPECT_GT(*bright, 200);
  }
}

TEST(StreamChanges, TheSizeMayChangeWithinTheStream) {
  RtspCamera camera({}, "0", {}, {"--then", "480x270"});
  const auto source = open_stream(stream_at(camera.url()), WholeFrame{}, kInputs);
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  ASSERT_TRUE(brings_picture(*source.value(), frame));
  EXPECT_EQ(frame.picture->frame_width, 320);
  camera.signal(SIGUSR1);
  ASSERT_TRUE(test::tick_until(*source.value(), frame,
                               [&](bool got) { return got && frame.picture->frame_width == 480; }));
  EXPECT_EQ(frame.picture->frame_height, 270);
  EXPECT_EQ(frame.picture->width, 160) << "reduced anew";
  EXPECT_EQ(frame.picture->height, 90);
  EXPECT_EQ(source.value()->counters()->read().reconnects, 0U);
}

std::ptrdiff_t threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

// With a decoder thread per CPU the first picture would have to wait for as many pictures.
TEST(StreamChanges, TheNumberOfCpusAddsNoDecoderThreads) {
  const RtspCamera camera({});
  for (const int cpus : {2, 16}) {
    av_cpu_force_count(cpus);
    StreamSettings settings;
    settings.reduced = [](cv::Size size) { return size; };
    const auto capture = stream_capture([&] { return Result<std::string>(camera.url()); }, settings);
    const std::ptrdiff_t before = threads_of_process();
    CaptureTime arrived;
    ASSERT_TRUE(capture->open() && capture->grab(arrived)) << capture->trouble();
    EXPECT_LE(threads_of_process(), before) << cpus << " CPUs";
  }
  av_cpu_force_count(0);
}

}  // namespace
}  // namespace saccade::runtime::stream_changes_test
