// Hardware that fails while it decodes. No machine needs any: libavutil's functions are replaced, and what
// software decodes is taken for pictures in a device.
#include "runtime/sources/hardware_decoder.hpp"

#include <gtest/gtest.h>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/buffer.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
}

#include <cerrno>
#include <opencv2/videoio.hpp>

#include "runtime/sources/live_source.hpp"
#include "runtime/sources/stream_capture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

using test::TemporaryFolder;

const std::string kCopyFailed =
    "vaapi cannot decode: its pictures cannot be copied (Input/output error); software does";

// A device that copies so many pictures and no more.
struct FakeDevice {
  int copies = 0;
  int opened = 0;
  int tried = 0;

  HardwareAccess access() {
    return {[this](AVBufferRef** device, int) {
              ++opened;
              *device = av_buffer_allocz(1024);
              return *device != nullptr ? 0 : AVERROR(ENOMEM);
            },
            [](const AVCodec&, int) { return static_cast<int>(AV_PIX_FMT_YUVJ420P); },
            [this](AVFrame& to, const AVFrame& from) {
              return tried++ < copies ? av_frame_ref(&to, &from) : AVERROR(EIO);
            }};
  }
};

std::string film_of(const std::filesystem::path& file, int pictures) {
  const cv::Size size(64, 48);
  cv::VideoWriter writer(file.string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 10.0, size);
  EXPECT_TRUE(writer.isOpened());
  for (int i = 0; i < pictures; ++i) writer.write(cv::Mat(size, CV_8UC3, cv::Scalar::all(100)));
  return file.string();
}

std::shared_ptr<LiveCapture> capture_of(const std::string& film, FakeDevice& device) {
  StreamSettings settings;
  settings.protocols = "file";
  settings.reduced = [](cv::Size size) { return size; };
  settings.hardware = StreamHardware::vaapi;
  settings.access = device.access();
  return stream_capture([film] { return Result<std::string>(film); }, std::move(settings));
}

TEST(HardwareDecoder, ThatFailsWhileItDecodesIsReplacedBySoftwareForGood) {
  const TemporaryFolder folder;
  FakeDevice device;
  device.copies = 2;
  const auto capture = capture_of(film_of(folder / "yard.avi", 6), device);
  CaptureTime arrived;
  cv::Mat picture;
  cv::Size of;
  ASSERT_TRUE(capture->open()) << capture->trouble();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(capture->grab(arrived) && capture->retrieve(picture, of)) << i << ": " << capture->trouble();
    EXPECT_EQ(capture->notice(), "") << "hardware decodes";
  }
  ASSERT_TRUE(capture->grab(arrived) && capture->retrieve(picture, of)) << "without a new connection";
  EXPECT_EQ(of, cv::Size(64, 48));
  EXPECT_EQ(capture->notice(), kCopyFailed);
  for (int connection = 0; connection < 3; ++connection) {
    capture->release();
    ASSERT_TRUE(capture->open() && capture->grab(arrived) && capture->retrieve(picture, of))
        << connection << ": " << capture->trouble();
    EXPECT_EQ(capture->notice(), kCopyFailed) << "the reason stays the same, so that it is told once";
  }
  EXPECT_EQ(device.opened, 1);
  EXPECT_EQ(device.tried, 3) << "two copies, and the one that failed";
}

TEST(HardwareDecoder, ThatFailsAtTheFirstPictureHoldsUpNoCameraAndIsToldOnce) {
  const TemporaryFolder folder;
  FakeDevice device;
  const auto inputs = inputs_of(profiles::InputShape{.width = 64, .height = 48, .channels = 3});
  const auto source =
      open_live(capture_of(film_of(folder / "yard.avi", 50), device), "rtsp://yard", WholeFrame{}, inputs);
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  ASSERT_TRUE(source.value()->next(Duration(0), frame));
  EXPECT_EQ(source.value()->take_notice(), "rtsp://yard: " + kCopyFailed);
  EXPECT_FALSE(source.value()->take_notice().has_value());
  EXPECT_FALSE(source.value()->fault().has_value());
}

struct FreeContext {
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
};
std::unique_ptr<AVCodecContext, FreeContext> prepared(HardwareDecoder& hardware) {
  const AVCodec* decoder = avcodec_find_decoder(AV_CODEC_ID_MJPEG);
  std::unique_ptr<AVCodecContext, FreeContext> context(avcodec_alloc_context3(decoder));
  EXPECT_EQ(hardware.choose(AV_CODEC_ID_MJPEG, decoder), decoder);
  hardware.prepare(*context, *decoder);
  return context;
}

TEST(HardwareDecoder, ThatRefusesThreeKeyFramesInSuccessionHasFailed) {
  FakeDevice device;
  HardwareDecoder hardware(StreamHardware::vaapi, device.access());
  EXPECT_NE(prepared(hardware)->hw_device_ctx, nullptr);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(hardware.answered(AVERROR(EIO), true)) << "a camera may send a broken picture";
    EXPECT_TRUE(hardware.answered(AVERROR(EIO), false)) << "which spoils those that depend on it";
  }
  EXPECT_TRUE(hardware.answered(0, true));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(hardware.answered(AVERROR(EIO), true)) << "counted from 0";
  EXPECT_TRUE(hardware.trouble().empty());
  EXPECT_FALSE(hardware.answered(AVERROR(EIO), true));
  EXPECT_EQ(hardware.trouble(),
            "vaapi cannot decode: it refuses the camera's pictures (Input/output error); software does");
  EXPECT_EQ(prepared(hardware)->hw_device_ctx, nullptr) << "not again";
  EXPECT_TRUE(hardware.answered(AVERROR(EIO), true)) << "software refused it";
  EXPECT_EQ(device.opened, 1);
}

TEST(HardwareDecoder, ThatHasADecoderForTheNextCodecIsInNoTrouble) {
  const AVCodec* const decoder = avcodec_find_decoder_by_name("h264_v4l2m2m");
  if (decoder == nullptr) GTEST_SKIP() << "FFmpeg was built without it";
  const AVCodec* const software = avcodec_find_decoder(AV_CODEC_ID_MJPEG);
  HardwareDecoder hardware(StreamHardware::v4l2m2m);
  EXPECT_EQ(hardware.choose(AV_CODEC_ID_MJPEG, software), software);
  EXPECT_EQ(hardware.trouble(), "v4l2m2m cannot decode: it has no decoder for mjpeg; software does");
  EXPECT_EQ(hardware.choose(AV_CODEC_ID_H264, avcodec_find_decoder(AV_CODEC_ID_H264)), decoder);
  EXPECT_EQ(hardware.trouble(), "");
}

TEST(HardwareDecoder, OfWhichNoPictureComesHasFailed) {
  FakeDevice device;
  HardwareDecoder hardware(StreamHardware::vaapi, device.access());
  EXPECT_FALSE(hardware.brought_nothing()) << "it was not used";
  EXPECT_NE(prepared(hardware)->hw_device_ctx, nullptr);
  EXPECT_TRUE(hardware.brought_nothing());
  EXPECT_EQ(prepared(hardware)->hw_device_ctx, nullptr);
  EXPECT_FALSE(hardware.brought_nothing()) << "software did";
}

}  // namespace
}  // namespace saccade::runtime
