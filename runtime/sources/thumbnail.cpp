#include "runtime/sources/thumbnail.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "runtime/pictures/resizing.hpp"
#include "runtime/sources/frame_picture.hpp"

namespace saccade::runtime {
namespace {

constexpr int kQuality = 80;

// One region, 8-bit BGR.
cv::Mat picture_of(const float* planes, const profiles::InputShape& shape) {
  const std::size_t plane = shape.size() / 3;
  cv::Mat bgr(shape.height, shape.width, CV_8UC3);
  std::size_t at = 0;
  for (int y = 0; y < bgr.rows; ++y) {
    auto* pixel = bgr.ptr<cv::Vec3b>(y);
    for (int x = 0; x < bgr.cols; ++x, ++at) {
      for (std::size_t c = 0; c < 3; ++c) {
        pixel[x][static_cast<int>(c)] =
            cv::saturate_cast<std::uint8_t>(planes[(2 - c) * plane + at] * 255.0F);
      }
    }
  }
  return bgr;
}

std::string jpeg_of(const cv::Mat& bgr) {
  std::vector<std::uint8_t> jpeg;
  if (!cv::imencode(".jpg", bgr, jpeg, {cv::IMWRITE_JPEG_QUALITY, kQuality})) return {};
  return {jpeg.begin(), jpeg.end()};
}

}  // namespace

std::string thumbnail(const Picture& picture) {
  if (picture.pixels.empty()) return {};
  const int longer = std::min(kThumbnailPixels, std::max(picture.width, picture.height));
  const double scale = static_cast<double>(longer) / std::max(picture.frame_width, picture.frame_height);
  const auto side = [&](int frame) { return std::max(1, static_cast<int>(std::lround(frame * scale))); };
  const cv::Size size(side(picture.frame_width), side(picture.frame_height));
  cv::Mat small = view_of(picture);
  if (small.size() != size) {
    cv::Mat resized;
    resize_to(small, size, profiles::Filter::area, resized);
    small = resized;
  }
  if (picture.order == profiles::ColorOrder::rgb) {
    cv::Mat bgr;
    cv::cvtColor(small, bgr, cv::COLOR_RGB2BGR);
    small = bgr;
  }
  return jpeg_of(small);
}

std::string thumbnail(const std::vector<float>& input, const profiles::InputShape& shape,
                      const Regions& regions) {
  if (shape.channels != 3 || shape.size() == 0 || input.size() < shape.size()) return {};
  const int count = static_cast<int>(input.size() / shape.size());
  const int columns = std::min(sheet_columns(regions, count), count);
  const int rows = (count + columns - 1) / columns;
  cv::Mat sheet(rows * shape.height, columns * shape.width, CV_8UC3, cv::Scalar::all(0));
  for (int i = 0; i < count; ++i) {
    const cv::Rect place((i % columns) * shape.width, (i / columns) * shape.height, shape.width,
                         shape.height);
    picture_of(input.data() + static_cast<std::size_t>(i) * shape.size(), shape).copyTo(sheet(place));
  }
  const int longer = std::max(sheet.cols, sheet.rows);
  if (longer > kThumbnailPixels) {
    const double scale = static_cast<double>(kThumbnailPixels) / longer;
    cv::resize(sheet, sheet, {}, scale, scale, cv::INTER_AREA);
  }
  return jpeg_of(sheet);
}

}  // namespace saccade::runtime
