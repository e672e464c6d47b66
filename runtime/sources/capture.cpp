#include "runtime/sources/capture.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <opencv2/core/utils/logger.hpp>
#include <utility>
#include <vector>

#include "runtime/sources/opening_turns.hpp"

namespace saccade::runtime {
namespace {

constexpr int kOpenTimeoutMilliseconds = 5000;
constexpr int kReadTimeoutMilliseconds = 5000;

// What FFmpeg may open on its way: a playlist or a stream description may name further places, and a camera
// is no reason to read a file of this machine.
constexpr const char* kFileProtocols = "file,crypto,data";
constexpr const char* kAddressProtocols =
    "crypto,data,http,https,httpproxy,rtmp,rtmps,rtp,rtsp,rtsps,srt,srtp,tcp,tls,udp";

bool is_remote(const std::string& path) {
  return path.find("://") != std::string::npos && !path.starts_with("file:");
}

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

// OpenCV reads its options for FFmpeg from the environment at every open. They are those for addresses, many
// of which may be opened at once and take long to fail, or those for a file. The variable stays in its place:
// only what follows its name changes.
void set_options(const char* protocols) {
  constexpr const char* kName = "OPENCV_FFMPEG_CAPTURE_OPTIONS";
  static const std::string before = [] {
    const char* given = std::getenv(kName);                                  // NOLINT(concurrency-mt-unsafe)
    return std::string(given != nullptr ? given : "rtsp_flags;prefer_tcp");  // OpenCV's own default
  }();
  static std::array<char, 1024> variable{};
  static const char* last = nullptr;
  const char* const earlier = std::exchange(last, protocols);
  if (earlier == protocols) return;
  std::snprintf(variable.data(), variable.size(), "%s=%s|protocol_whitelist;%s", kName, before.c_str(),
                protocols);
  if (earlier == nullptr) ::putenv(variable.data());  // NOLINT(concurrency-mt-unsafe)
}

// Opens now, with its options.
class Turn {
 public:
  explicit Turn(bool file) : file_(file) {
    turns().enter(file_, [this] { set_options(file_ ? kFileProtocols : kAddressProtocols); });
  }
  ~Turn() { turns().leave(file_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  static OpeningTurns& turns() {
    static OpeningTurns all;
    return all;
  }
  const bool file_;
};

class OpenCvCapture final : public LiveCapture {
 public:
  OpenCvCapture(std::unique_ptr<cv::VideoCapture> capture, std::function<bool(cv::VideoCapture&)> reopen)
      : capture_(std::move(capture)), reopen_(std::move(reopen)) {}

  bool open() override { return capture_->isOpened() || reopen_(*capture_); }
  void release() override { capture_->release(); }
  bool grab(CaptureTime& arrived) override {
    const bool got = capture_->isOpened() && runtime::grab(*capture_);
    arrived = captured_now();
    return got;
  }
  bool retrieve(cv::Mat& picture, cv::Size& of) override {
    const bool got = runtime::retrieve(*capture_, picture);
    of = picture.size();
    return got;
  }

 private:
  std::unique_ptr<cv::VideoCapture> capture_;
  std::function<bool(cv::VideoCapture&)> reopen_;
};

}  // namespace

std::shared_ptr<LiveCapture> live_capture(std::unique_ptr<cv::VideoCapture> capture,
                                          std::function<bool(cv::VideoCapture&)> reopen) {
  return std::make_shared<OpenCvCapture>(std::move(capture), std::move(reopen));
}

bool open_capture(cv::VideoCapture& capture, const std::string& path) {
  keep_quiet();
  // FFmpeg, else OpenCV's own reader of Motion JPEG; never whatever else is built in: GStreamer would
  // take the path for a pipeline and run it. No hardware decoding: on small boards it shares memory
  // bandwidth and power with the processors that serve.
  const std::vector<int> options{cv::CAP_PROP_OPEN_TIMEOUT_MSEC, kOpenTimeoutMilliseconds,
                                 cv::CAP_PROP_READ_TIMEOUT_MSEC, kReadTimeoutMilliseconds,
                                 cv::CAP_PROP_HW_ACCELERATION,   cv::VIDEO_ACCELERATION_NONE};
  const auto open_by_ffmpeg = [&] {
    const Turn turn(!is_remote(path));
    return succeeds([&] { return capture.open(path, cv::CAP_FFMPEG, options); });
  };
  return open_by_ffmpeg() || succeeds([&] { return capture.open(path, cv::CAP_OPENCV_MJPEG); });
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
