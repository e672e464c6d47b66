// Network cameras against a real RTSP server (tests/support/rtsp_camera.py), which is killed, stopped and
// started again. What is waited for is an event, within a deadline that is far beyond what it takes.
#include "runtime/sources/stream_source.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "runtime/sources/frame_picture.hpp"
#include "runtime/sources/stream_capture.hpp"
#include "tests/support/rtsp_camera.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime::stream_source_test {
namespace {

using test::BlackHole;
using test::brings_picture;
using test::RtspCamera;
using test::stream_at;
using test::TemporaryFolder;
using test::trouble_of;

const NetworkInputs kInputs = inputs_of(profiles::InputShape{.width = 160, .height = 90, .channels = 3});
constexpr auto kDeadline = test::kCameraDeadline;

Error refusal_of(const StreamSource& source) {
  const auto opened = open_stream(source, WholeFrame{}, kInputs);
  return opened.ok() ? Error{"", "was opened", ""} : opened.errors().front();
}

TEST(StreamSource, DeliversReducedPicturesAtAnyRateByTcpAndUdp) {
  for (const int rate : {1, 5, 15}) {
    for (const StreamTransport transport : kStreamTransports) {
      if (rate < 15 && transport != StreamTransport::automatic) continue;
      const RtspCamera camera({rate, 320, 180});
      StreamSource asked = stream_at(camera.url());
      asked.transport = transport;
      const auto source = open_stream(asked, WholeFrame{}, kInputs);
      ASSERT_TRUE(source.ok()) << rate << " pictures a second: " << to_string(source.errors());
      Frame frame;
      for (int i = 0; i < 2; ++i) ASSERT_TRUE(brings_picture(*source.value(), frame));
      EXPECT_EQ(frame.picture->frame_width, 320);
      EXPECT_EQ(frame.picture->frame_height, 180);
      EXPECT_EQ(frame.picture->width, 160) << "what the network takes";
      EXPECT_EQ(frame.picture->height, 90);
      EXPECT_GT(frame.captured_at.monotonic.count(), 0);
      const auto [dark, bright] =
          std::minmax_element(frame.picture->pixels.begin(), frame.picture->pixels.end());
      EXPECT_LT(*dark, 40) << "a white ball on black";
      EXPECT_GT(*bright, 200);
    }
  }
}

TEST(StreamSource, IsWhatAVideoWithAnAddressOfRtspIs) {
  const RtspCamera camera({});
  const auto source = open_source(VideoSource{camera.url()}, WholeFrame{}, kInputs, {});
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  EXPECT_TRUE(brings_picture(*source.value(), frame));
  EXPECT_NE(source.value()->counters(), nullptr);
}

TEST(StreamSource, ThatGoesAwayComesBackAlsoWithAnotherSize) {
  auto camera = std::make_unique<RtspCamera>(test::CameraPictures{});
  const std::string port = camera->port();
  const auto source = open_stream(stream_at(camera->url()), WholeFrame{}, kInputs);
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  ASSERT_TRUE(brings_picture(*source.value(), frame));
  camera->kill();
  const std::string said = trouble_of(*source.value());
  EXPECT_NE(said.find("rtsp://127.0.0.1:" + port + "/cam "), std::string::npos) << said;
  EXPECT_NE(said.find("; opening it again"), std::string::npos) << said;

  camera = std::make_unique<RtspCamera>(test::CameraPictures{15, 480, 270}, port);
  ASSERT_TRUE(brings_picture(*source.value(), frame));
  EXPECT_FALSE(source.value()->fault().has_value());
  EXPECT_EQ(frame.picture->frame_width, 480);
  EXPECT_EQ(frame.picture->width, 160);
  const CaptureFacts facts = source.value()->counters()->read();
  EXPECT_EQ(facts.reconnects, 1U);
  EXPECT_GE(facts.decoded, 2U);
  EXPECT_GT(facts.processor_time.count(), 0);
}

TEST(StreamSource, ThatFallsSilentIsNoticed) {
  RtspCamera camera({});
  StreamSource asked = stream_at(camera.url());
  asked.silence = Seconds(1.0);
  const auto source = open_stream(asked, WholeFrame{}, kInputs);
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  ASSERT_TRUE(brings_picture(*source.value(), frame));
  camera.signal(SIGSTOP);
  EXPECT_EQ(trouble_of(*source.value()),
            camera.url() + " says nothing for 1 s: check that it is on, and its address; opening it again");
  camera.signal(SIGCONT);
  EXPECT_TRUE(brings_picture(*source.value(), frame));
}

// A camera has few sessions, and keeps one that nobody closed for a minute.
TEST(StreamSource, TellsTheCameraThatItLeaves) {
  RtspCamera camera({}, "0", {}, {"--tell-ends"});
  auto source = open_stream(stream_at(camera.url()), WholeFrame{}, kInputs);
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  ASSERT_TRUE(brings_picture(*source.value(), frame));
  source.value().reset();
  EXPECT_EQ(camera.line_with("end: "), "end: teardown") << "and then: closed";
}

TEST(StreamSource, ThatAcceptsAndSaysNothingIsGivenUpInTime) {
  StreamSource asked;
  std::string refused;
  {
    const BlackHole hole;
    asked = stream_at(hole.url());
    asked.silence = Seconds(0.5);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(refusal_of(asked).what, "the camera says nothing for 0.5 s");
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(took, std::chrono::milliseconds(500));
    EXPECT_LT(took, kDeadline);
  }
  EXPECT_EQ(refusal_of(asked).what, "the camera refuses the connection") << "nobody listens any more";
}

TEST(StreamSource, SaysInWordsThatThePasswordIsWrongAndNeverThePassword) {
  const TemporaryFolder folder;
  const RtspCamera camera({}, "0", {"viewer", "p@ss:w/rd 1"});
  StreamSource asked = stream_at(camera.url());
  EXPECT_NE(refusal_of(asked).what.find("(401)"), std::string::npos) << refusal_of(asked).what;

  asked.username = "viewer";
  asked.password_file = folder / "password";
  std::ofstream(asked.password_file) << "s3cret\n";
  const Error error = refusal_of(asked);
  EXPECT_EQ(error.what, "the camera refuses the user name and password (401)");
  EXPECT_NE(error.hint.find("`password_file`"), std::string::npos);
  for (const std::string& text : {error.where, error.what, error.hint}) {
    EXPECT_EQ(text.find("s3cret"), std::string::npos) << text;
    EXPECT_EQ(text.find("viewer"), std::string::npos) << text;
  }

  std::ofstream(asked.password_file) << "p@ss:w/rd 1\n";
  const auto source = open_stream(asked, WholeFrame{}, kInputs);
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  EXPECT_TRUE(brings_picture(*source.value(), frame));
}

TEST(StreamSource, PutsUserAndPasswordIntoTheAddress) {
  const TemporaryFolder folder;
  StreamSource source = stream_at("rtsp://yard:554/1?channel=2");
  EXPECT_EQ(full_address(source).value(), "rtsp://yard:554/1?channel=2");
  source.username = "me@home";
  EXPECT_EQ(full_address(source).value(), "rtsp://me%40home@yard:554/1?channel=2");
  source.password_file = folder / "password";
  ASSERT_FALSE(full_address(source).ok()) << "there is no file";
  EXPECT_EQ(full_address(source).errors().front().where, source.password_file.string());
  std::ofstream(source.password_file) << "a/b:c\r\nsecond line\n";
  EXPECT_EQ(full_address(source).value(), "rtsp://me%40home:a%2Fb%3Ac@yard:554/1?channel=2");
  std::ofstream(source.password_file) << std::string(200, 'a') << "\n";
  ASSERT_FALSE(full_address(source).ok());
  EXPECT_EQ(full_address(source).errors().front().what, "user name and password are too long");
}

TEST(StreamSource, DecodesKeyPicturesAloneWhereThatIsAsked) {
  const RtspCamera camera({});
  StreamSource asked = stream_at(camera.url());
  asked.decode = StreamDecode::key;
  const auto source = open_stream(asked, WholeFrame{}, kInputs);
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(brings_picture(*source.value(), frame));
  const CaptureFacts facts = source.value()->counters()->read();
  EXPECT_GE(facts.skipped, 2 * facts.decoded) << "every tenth picture is one";
}

std::shared_ptr<LiveCapture> whole_pictures_of(const RtspCamera& camera, StreamDecode decode) {
  StreamSettings settings;
  settings.decode = decode;
  settings.reduced = [](cv::Size size) { return size; };
  return stream_capture([&camera] { return Result<std::string>(camera.url()); }, settings);
}

TEST(StreamSource, DecodesKeyPicturesAloneOnlyWhileTheTaskTakesNoMore) {
  constexpr int kPicturesPerKey = 10;
  const RtspCamera camera({});
  const auto capture = whole_pictures_of(camera, StreamDecode::needed);
  ASSERT_TRUE(capture->open()) << capture->trouble();
  const auto passed_over_before_next = [&] {
    CaptureTime arrived;
    const std::uint64_t before = capture->passed_over();
    EXPECT_TRUE(capture->grab(arrived)) << capture->trouble();
    return capture->passed_over() - before;
  };
  for (int i = 0; i < 2 * kPicturesPerKey; ++i) EXPECT_EQ(passed_over_before_next(), 0U) << "not known yet";
  capture->taken_every(std::chrono::minutes(1));
  for (int i = 0; i < kPicturesPerKey; ++i)
    if (passed_over_before_next() > 0) break;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(passed_over_before_next(), kPicturesPerKey - 1);
  capture->taken_every(std::chrono::milliseconds(1));
  EXPECT_EQ(passed_over_before_next(), kPicturesPerKey - 1) << "up to the next key frame";
  for (int i = 0; i < 2 * kPicturesPerKey; ++i) EXPECT_EQ(passed_over_before_next(), 0U);
}

// FFmpeg keeps a picture until the next one begins, and hands it out when it gives up.
TEST(StreamSource, ASilentCameraBringsNoPictureThatWasHeldBack) {
  RtspCamera camera({});
  StreamSettings settings;
  settings.silence = Seconds(1.0);
  settings.reduced = [](cv::Size size) { return size; };
  const auto capture = stream_capture([&] { return Result<std::string>(camera.url()); }, settings);
  CaptureTime arrived;
  ASSERT_TRUE(capture->open() && capture->grab(arrived)) << capture->trouble();
  camera.signal(SIGSTOP);
  for (;;) {
    const auto begin = std::chrono::steady_clock::now();
    if (!capture->grab(arrived)) break;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1)) << "it is old";
  }
  EXPECT_EQ(capture->trouble(), "says nothing for 1 s");
  camera.signal(SIGCONT);
}

TEST(StreamSource, TellsTheCamerasClock) {
  const RtspCamera camera({});
  const auto capture = whole_pictures_of(camera, StreamDecode::all);
  ASSERT_TRUE(capture->open()) << capture->trouble();
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  CaptureTime arrived;
  while (!arrived.by_camera && std::chrono::steady_clock::now() < end)
    ASSERT_TRUE(capture->grab(arrived)) << capture->trouble();
  ASSERT_TRUE(arrived.by_camera);
  const std::chrono::nanoseconds age = captured_now().wall - arrived.wall;
  EXPECT_LT(std::chrono::abs(age), std::chrono::seconds(5)) << "camera and test look at the same clock";

  // Until the next picture begins nobody knows where one ends.
  ASSERT_TRUE(capture->grab(arrived)) << capture->trouble();
  EXPECT_GE(captured_now().wall - arrived.wall, std::chrono::milliseconds(1000 / 15 - 10));
}

TEST(StreamSource, ACameraThatSendsFarMorePixelsThanAnyVariantTakesIsToldOnce) {
  const RtspCamera camera({15, 480, 270});
  const auto source = open_stream(stream_at(camera.url()), WholeFrame{}, kInputs);
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  ASSERT_TRUE(brings_picture(*source.value(), frame));
  const std::optional<std::string> notice = source.value()->take_notice();
  ASSERT_TRUE(notice.has_value());
  EXPECT_NE(
      notice->find("sends pictures of 480 x 270 pixels, reduced to 160 x 90 pixels: the camera's sub-stream"),
      std::string::npos)
      << *notice;
  ASSERT_TRUE(brings_picture(*source.value(), frame));
  EXPECT_FALSE(source.value()->take_notice().has_value()) << "once";
  EXPECT_EQ(advice_on({320, 180}, {160, 90}), "") << "four times is not more than four times";
}

// This machine has none of them. Whoever runs it on one that has sees pictures of the hardware instead.
TEST(StreamSource, HardwareThatIsNotThereIsToldOnceAndSoftwareDecodes) {
  const RtspCamera camera({});
  for (const StreamHardware hardware : kStreamHardware) {
    StreamSource asked = stream_at(camera.url());
    asked.hardware = hardware;
    const auto source = open_stream(asked, WholeFrame{}, kInputs);
    ASSERT_TRUE(source.ok()) << to_string(hardware) << ": " << to_string(source.errors());
    Frame frame;
    ASSERT_TRUE(brings_picture(*source.value(), frame)) << to_string(hardware);
    EXPECT_EQ(frame.picture->width, 160);
    EXPECT_FALSE(source.value()->fault().has_value()) << "pictures come";
    const std::optional<std::string> notice = source.value()->take_notice();
    const bool there = hardware == StreamHardware::none || !notice;
    std::cout << to_string(hardware) << ": " << notice.value_or("decodes") << '\n';
    if (!there) {
      EXPECT_NE(notice->find(std::string(to_string(hardware)) + " cannot decode: "), std::string::npos)
          << *notice;
      EXPECT_NE(notice->find("; software does"), std::string::npos) << *notice;
    }
    ASSERT_TRUE(brings_picture(*source.value(), frame));
    EXPECT_FALSE(source.value()->take_notice().has_value()) << "once";
  }
}

std::ptrdiff_t entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

TEST(StreamSource, TwentyConnectionsLeaveNoThreadAndNoDescriptorBehind) {
  const RtspCamera camera({});
  StreamSettings settings;
  settings.reduced = [](cv::Size size) { return size; };
  const auto capture = stream_capture([&] { return Result<std::string>(camera.url()); }, settings);
  std::ptrdiff_t threads = 0;
  std::ptrdiff_t descriptors = 0;
  cv::Mat picture;
  cv::Size of;
  for (int i = 0; i < 20; ++i) {
    CaptureTime arrived;
    ASSERT_TRUE(capture->open() && capture->grab(arrived) && capture->retrieve(picture, of))
        << i << ": " << capture->trouble();
    EXPECT_EQ(of, cv::Size(320, 180));
    EXPECT_EQ(picture.size(), of);
    capture->release();
    EXPECT_FALSE(capture->grab(arrived)) << "it is closed";
    if (i == 0) threads = entries("/proc/self/task");
    if (i == 0) descriptors = entries("/proc/self/fd");
  }
  EXPECT_LE(entries("/proc/self/task"), threads);
  EXPECT_LE(entries("/proc/self/fd"), descriptors);
}

}  // namespace
}  // namespace saccade::runtime::stream_source_test
