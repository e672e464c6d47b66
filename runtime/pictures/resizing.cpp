#include "runtime/pictures/resizing.hpp"

#include <mutex>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>

namespace saccade::runtime {
namespace {

int interpolation(profiles::Filter filter, cv::Size from, cv::Size to) {
  switch (filter) {
    case profiles::Filter::linear:
      return cv::INTER_LINEAR;
    case profiles::Filter::nearest:
      return cv::INTER_NEAREST;
    case profiles::Filter::cubic:
      return cv::INTER_CUBIC;
    case profiles::Filter::area:
      break;
  }
  return from.width > to.width && from.height > to.height ? cv::INTER_AREA : cv::INTER_LINEAR;
}

}  // namespace

cv::Mat view_of(const Picture& picture) {
  // OpenCV has no matrix of constant elements; who gets this one reads only.
  return {picture.height, picture.width, CV_8UC3, const_cast<std::uint8_t*>(picture.pixels.data())};
}

cv::Mat view_of(const Picture& picture, const PixelBox& box) {
  return view_of(picture)(cv::Rect(box[0], box[1], box[2], box[3]));
}

void resize_to(const cv::Mat& from, cv::Size size, profiles::Filter filter, cv::Mat& resized) {
  cv::resize(from, resized, size, 0.0, 0.0, interpolation(filter, from.size(), size));
}

void keep_opencv_on_the_calling_thread() {
  static std::once_flag once;
  std::call_once(once, [] { cv::setNumThreads(1); });
}

}  // namespace saccade::runtime
