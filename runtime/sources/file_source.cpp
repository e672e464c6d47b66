#include "runtime/sources/file_source.hpp"

#include <cmath>
#include <cstdint>
#include <random>

#include "base/address.hpp"
#include "runtime/sources/capture.hpp"
#include "runtime/sources/frame_picture.hpp"
#include "runtime/sources/retry.hpp"

namespace saccade::runtime {
namespace {

constexpr double kDefaultRate = 25.0;  // of a file that does not say
constexpr double kCatchUpSeconds = 2.0;

class FileFrames final : public FrameSource {
 public:
  // `first` is the file's first frame, already decoded.
  FileFrames(const cv::VideoCapture& capture, VideoSource source, double rate, cv::Mat first,
             FramePicture pictures)
      : capture_(capture),
        source_(std::move(source)),
        rate_(rate),
        picture_(std::move(first)),
        pictures_(std::move(pictures)) {}

  bool next(Duration at, Frame& frame) override {
    // The small term keeps a tick that falls on a frame's time from taking the one before.
    auto wanted = static_cast<std::int64_t>(std::floor(to_seconds(at).value() * rate_ + 1e-6)) - skipped_;
    if (static_cast<double>(wanted - position_) > kCatchUpSeconds * rate_) {
      skipped_ += wanted - (position_ + 1);
      wanted = position_ + 1;
    }
    if (!advance_to(wanted, at)) return false;
    if (!pictures_.write(picture_, frame)) {
      fault_ = "the picture size of " + shown() + " changed and the regions no longer fit";
      return false;
    }
    frame.labels.clear();
    frame.truths_known = false;
    frame.captured_at = captured_now();
    fault_.reset();
    return true;
  }

  std::optional<std::string> fault() const override { return fault_; }
  std::size_t frame_bytes() const override { return pictures_.bytes(picture_.cols, picture_.rows); }

 private:
  std::string shown() const { return without_secrets(source_.path); }

  bool advance_to(std::int64_t wanted, Duration at) {
    if (ended_ || at < rewinds_at_) return false;
    if (wanted <= position_) return true;
    while (position_ < wanted) {
      if (!grab(capture_)) {
        if (!source_.loop) {
          ended_ = true;
          fault_ = "the file " + shown() + " has ended";
          return false;
        }
        if (!rewind()) {
          rewinds_at_ = at + retry_.next();
          fault_ =
              "the file " + shown() + " cannot be played from its start again: check that it is still there";
          return false;
        }
        retry_.succeeded();
      }
      ++position_;
    }
    if (retrieve(capture_, picture_)) return true;
    fault_ = "cannot decode a frame of " + shown();
    return false;
  }

  // Back to the first frame, which is grabbed. Opening again works for every container; seeking not.
  bool rewind() {
    capture_.release();
    return open_capture(capture_, source_.path) && grab(capture_);
  }

  cv::VideoCapture capture_;
  VideoSource source_;
  double rate_;
  cv::Mat picture_;  // the frame at position_
  FramePicture pictures_;
  std::int64_t position_ = 0;  // frames since the start, loops counted on
  std::int64_t skipped_ = 0;   // frames of media time given up after a long pause
  bool ended_ = false;
  Duration rewinds_at_{0};  // in media time: not before, since it has failed
  RetryPause retry_{std::random_device{}()};
  std::optional<std::string> fault_;
};

}  // namespace

Result<std::unique_ptr<FrameSource>> open_file(cv::VideoCapture capture, const VideoSource& source,
                                               const Regions& regions, const NetworkInputs& inputs) {
  const double said = capture.get(cv::CAP_PROP_FPS);
  const double rate = std::isfinite(said) && said > 0.0 && said <= 1000.0 ? said : kDefaultRate;
  cv::Mat first;
  if (!grab(capture) || !retrieve(capture, first)) {
    return Error{without_secrets(source.path), "the video holds no frame that can be decoded",
                 "check that the file is whole and its codec is known to OpenCV"};
  }
  FramePicture pictures(regions, inputs);
  if (auto fits = pictures.fit(first.cols, first.rows); !fits.ok()) return fits.errors();
  return std::unique_ptr<FrameSource>(
      std::make_unique<FileFrames>(capture, source, rate, first.clone(), std::move(pictures)));
}

}  // namespace saccade::runtime
