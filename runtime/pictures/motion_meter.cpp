#include "runtime/pictures/motion_meter.hpp"

#include <algorithm>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>

#include "runtime/pictures/resizing.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kEarly = std::chrono::milliseconds(20);

// How many pixels of `difference` are above `threshold` where `counts` says that they count.
double share_above(const cv::Mat& difference, int threshold, const cv::Mat& counts) {
  int counted = 0;
  int above = 0;
  for (int y = 0; y < difference.rows; ++y) {
    const auto* value = difference.ptr<std::uint8_t>(y);
    const auto* count = counts.empty() ? nullptr : counts.ptr<std::uint8_t>(y);
    for (int x = 0; x < difference.cols; ++x) {
      if (count != nullptr && count[x] == 0) continue;
      ++counted;
      above += value[x] > threshold ? 1 : 0;
    }
  }
  return counted == 0 ? 0.0 : static_cast<double>(above) / counted;
}

// 255 where a pixel of the small picture counts; empty: everywhere.
cv::Mat what_counts(const MotionSettings& settings, cv::Size frame, cv::Size small) {
  if (settings.mask.empty()) return {};
  cv::Mat counts(small, CV_8U, cv::Scalar(255));
  const double across = static_cast<double>(small.width) / std::max(1, frame.width);
  const double down = static_cast<double>(small.height) / std::max(1, frame.height);
  for (const PixelBox& box : settings.mask) {
    // Rounded outwards: a pixel that is masked in part does not count.
    const cv::Point from(static_cast<int>(box[0] * across), static_cast<int>(box[1] * down));
    const cv::Point to(cvCeil((box[0] + box[2]) * across), cvCeil((box[1] + box[3]) * down));
    counts(cv::Rect(from, to) & cv::Rect({0, 0}, small)).setTo(0);
  }
  return counts;
}

}  // namespace

struct MotionMeter::View {
  std::vector<cv::Mat> counts;  // of each of the settings: 255 where a pixel counts
  std::optional<TimePoint> last;
  cv::Size frame;  // of the source
  cv::Mat grey;
  cv::Mat small;
  cv::Mat mean;  // float
  cv::Mat rounded;
  cv::Mat difference;

  void start_over() { small.convertTo(mean, CV_32F); }
};

MotionMeter::MotionMeter(std::vector<MotionSettings> settings)
    : settings_(std::move(settings)), view_(std::make_unique<View>()) {}
MotionMeter::~MotionMeter() = default;

bool MotionMeter::due(TimePoint now) const { return !view_->last || now - *view_->last >= kBetween - kEarly; }

std::vector<double> MotionMeter::look(const Picture& picture, TimePoint now) {
  View& view = *view_;
  const cv::Size size(std::min(kWidth, picture.width), std::min(kHeight, picture.height));
  const bool rgb = picture.order == profiles::ColorOrder::rgb;
  cv::cvtColor(view_of(picture), view.grey, rgb ? cv::COLOR_RGB2GRAY : cv::COLOR_BGR2GRAY);
  resize_to(view.grey, size, profiles::Filter::area, view.small);
  const Duration pause = view.last ? now - *view.last : Duration(0);
  view.last = now;
  std::vector<double> shares(settings_.size(), 0.0);
  const cv::Size frame(picture.frame_width, picture.frame_height);
  if (view.mean.size() != size || frame != view.frame) {
    view.frame = frame;
    view.counts.clear();
    for (const MotionSettings& settings : settings_)
      view.counts.push_back(what_counts(settings, frame, size));
    view.start_over();
    return shares;
  }
  view.mean.convertTo(view.rounded, CV_8U);
  cv::absdiff(view.small, view.rounded, view.difference);
  if (share_above(view.difference, kLightThreshold, {}) > kLight) {
    view.start_over();
    return shares;
  }
  for (std::size_t i = 0; i < settings_.size(); ++i)
    shares[i] = share_above(view.difference, settings_[i].threshold, view.counts[i]);
  const double looks = to_seconds(pause) / to_seconds(kBetween);
  cv::accumulateWeighted(view.small, view.mean, std::clamp(kFollow * looks, kFollow, 1.0));
  return shares;
}

}  // namespace saccade::runtime
