#include "runtime/pictures/motion_meter.hpp"

#include <algorithm>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/pictures/resizing.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kEarly = std::chrono::milliseconds(20);

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
  std::vector<cv::Mat> halved;  // once, twice, ...
  cv::Mat small;
  cv::Mat mean;  // float
  cv::Mat rounded;
  cv::Mat difference;
  cv::Mat above;

  // `grey` in that size. Halving first: averages of two by two pixels are taken by vector instructions, those
  // of other blocks one by one.
  void reduce(cv::Size size) {
    cv::Mat from = grey;
    for (std::size_t i = 0; from.cols % 2 == 0 && from.rows % 2 == 0 && from.cols >= 2 * size.width &&
                            from.rows >= 2 * size.height;
         ++i) {
      if (i == halved.size()) halved.emplace_back();
      resize_to(from, {from.cols / 2, from.rows / 2}, profiles::Filter::area, halved[i]);
      from = halved[i];
    }
    resize_to(from, size, profiles::Filter::area, small);
  }
  // The share of the pixels that count whose difference is above `threshold`; empty: all count.
  double share_above(int threshold, const cv::Mat& counting) {
    cv::compare(difference, threshold, above, cv::CMP_GT);
    if (!counting.empty()) cv::bitwise_and(above, counting, above);
    const auto all = counting.empty() ? static_cast<int>(above.total()) : cv::countNonZero(counting);
    return all == 0 ? 0.0 : static_cast<double>(cv::countNonZero(above)) / all;
  }
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
  view.reduce(size);
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
  if (view.share_above(kLightThreshold, {}) > kLight) {
    view.start_over();
    return shares;
  }
  for (std::size_t i = 0; i < settings_.size(); ++i)
    shares[i] = view.share_above(settings_[i].threshold, view.counts[i]);
  const double looks = to_seconds(pause) / to_seconds(kBetween);
  cv::accumulateWeighted(view.small, view.mean, std::clamp(kFollow * looks, kFollow, 1.0));
  return shares;
}

}  // namespace saccade::runtime
