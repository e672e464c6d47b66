#include "runtime/sources/marked_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "runtime/pictures/resizing.hpp"

namespace saccade::runtime {
namespace {

constexpr int kMarkedQuality = 85;

// Those of the dashboard (service/api/dashboard/page.js), chosen in the same way; blue, green, red.
cv::Scalar colour_of(const std::string& label) {
  static const std::array<cv::Scalar, 8> colours = {
      cv::Scalar(196, 98, 11), cv::Scalar(11, 83, 196), cv::Scalar(55, 127, 26), cv::Scalar(252, 63, 138),
      cv::Scalar(78, 0, 184),  cv::Scalar(122, 121, 0), cv::Scalar(0, 92, 122),  cv::Scalar(112, 100, 90)};
  std::uint32_t value = 7;
  for (const char letter : label) value = value * 31 + static_cast<unsigned char>(letter);
  return colours[value % colours.size()];
}

cv::Mat enlarged(const Picture& picture) {
  const int longer = std::max({picture.width, picture.height, kLeastMarkedPixels});
  const double scale = static_cast<double>(longer) / std::max(picture.frame_width, picture.frame_height);
  const auto side = [&](int frame) { return std::max(1, static_cast<int>(std::lround(frame * scale))); };
  const cv::Size size(side(picture.frame_width), side(picture.frame_height));
  cv::Mat bgr;
  if (picture.order == profiles::ColorOrder::rgb) {
    cv::cvtColor(view_of(picture), bgr, cv::COLOR_RGB2BGR);
  } else {
    bgr = view_of(picture).clone();
  }
  if (bgr.size() == size) return bgr;
  cv::Mat resized;
  resize_to(bgr, size, profiles::Filter::area, resized);
  return resized;
}

void draw_mark(const Mark& mark, double scale, cv::Mat& bgr) {
  const int line = std::max(2, std::max(bgr.cols, bgr.rows) / 400);
  const auto at = [&](float value) {
    return static_cast<int>(std::lround(static_cast<double>(value) * scale));
  };
  const cv::Rect box = cv::Rect(at(mark.box.x), at(mark.box.y), at(mark.box.width), at(mark.box.height)) &
                       cv::Rect(0, 0, bgr.cols, bgr.rows);
  if (box.empty()) return;
  const cv::Scalar colour = colour_of(mark.label);
  cv::rectangle(bgr, box, colour, line);
  const std::string words =
      mark.label + " " + std::to_string(static_cast<int>(std::lround(mark.score * 100.0))) + "%";
  const double font = std::max(0.5, std::max(bgr.cols, bgr.rows) / 1600.0);
  int below = 0;
  const cv::Size text = cv::getTextSize(words, cv::FONT_HERSHEY_SIMPLEX, font, 1, &below);
  const int height = text.height + below + 4;
  const bool inside = box.height >= 6 * text.height || box.y < height;  // else it would cover what is small
  const cv::Point corner(std::clamp(box.x, 0, std::max(0, bgr.cols - text.width - 6)),
                         inside ? box.y : box.y - height);
  cv::rectangle(bgr, cv::Rect(corner, cv::Size(text.width + 6, height)), colour, cv::FILLED);
  cv::putText(bgr, words, corner + cv::Point(3, text.height + 2), cv::FONT_HERSHEY_SIMPLEX, font,
              cv::Scalar::all(255), 1, cv::LINE_AA);
}

}  // namespace

std::string marked_picture(const Picture& picture, std::span<const Mark> marks) {
  if (picture.pixels.empty() || picture.frame_width <= 0 || picture.frame_height <= 0) return {};
  cv::Mat bgr = enlarged(picture);
  const double scale = static_cast<double>(bgr.cols) / picture.frame_width;
  for (std::size_t i = marks.size(); i > 0; --i) draw_mark(marks[i - 1], scale, bgr);
  std::vector<std::uint8_t> jpeg;
  if (!cv::imencode(".jpg", bgr, jpeg, {cv::IMWRITE_JPEG_QUALITY, kMarkedQuality})) return {};
  return {jpeg.begin(), jpeg.end()};
}

}  // namespace saccade::runtime
