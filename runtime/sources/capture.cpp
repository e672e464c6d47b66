#include "runtime/sources/capture.hpp"

#include <cstdlib>
#include <opencv2/core/utils/logger.hpp>
#include <vector>

namespace saccade::runtime {
namespace {

constexpr int kOpenTimeoutMilliseconds = 5000;
constexpr int kReadTimeoutMilliseconds = 5000;

template <class Call>
bool succeeds(const Call& call) {
  try {
    return call();
  } catch (const cv::Exception&) {
    return false;
  }
}

// What goes wrong is reported as an Error or a fault(); the own lines of OpenCV and FFmpeg on stderr would
// only repeat it, and with the camera's password.
void keep_quiet() {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  // OpenCV reads it once, before FFmpeg is first used; there is no other way to tell it. -8: nothing at all.
  static const bool told = setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 1) == 0;  // NOLINT(concurrency-mt-unsafe)
  static_cast<void>(told);
}

}  // namespace

bool open_capture(cv::VideoCapture& capture, const std::string& path) {
  keep_quiet();
  // FFmpeg, else OpenCV's own reader of Motion JPEG; never whatever else is built in: GStreamer would
  // take the path for a pipeline and run it. No hardware decoding: on small boards it shares memory
  // bandwidth and power with the processors that serve.
  const std::vector<int> options{cv::CAP_PROP_OPEN_TIMEOUT_MSEC, kOpenTimeoutMilliseconds,
                                 cv::CAP_PROP_READ_TIMEOUT_MSEC, kReadTimeoutMilliseconds,
                                 cv::CAP_PROP_HW_ACCELERATION,   cv::VIDEO_ACCELERATION_NONE};
  return succeeds([&] { return capture.open(path, cv::CAP_FFMPEG, options); }) ||
         succeeds([&] { return capture.open(path, cv::CAP_OPENCV_MJPEG); });
}

bool open_capture(cv::VideoCapture& capture, int device) {
  keep_quiet();
  return succeeds([&] {
    if (!capture.open(device, cv::CAP_V4L2)) return false;
    capture.set(cv::CAP_PROP_BUFFERSIZE, 1);  // the newest frame, not the oldest of four
    return true;
  });
}

bool grab(cv::VideoCapture& capture) {
  return succeeds([&] { return capture.grab(); });
}

bool retrieve(cv::VideoCapture& capture, cv::Mat& picture) {
  return succeeds([&] { return capture.retrieve(picture) && !picture.empty() && picture.type() == CV_8UC3; });
}

}  // namespace saccade::runtime
