#include "images/scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>

namespace saccade::images {
namespace {

constexpr double kSubPixels = 1 << kSubPixelBits;
constexpr std::size_t kMostCorners = 16;

cv::Point to_fixed(const cv::Mat& bgr, const cv::Point2d& point) {
  // Bounds keep a degenerate pose from reaching the integer limits.
  const double most = std::max(500.0, 3.0 * std::max(bgr.cols, bgr.rows));
  const auto fixed = [most](double value) {
    return static_cast<int>(std::lround(std::clamp(value, -most, most) * kSubPixels));
  };
  return {fixed(point.x), fixed(point.y)};
}

// A unit circle in twelve corners: cos and sin of multiples of 30 degrees.
constexpr std::array<std::array<double, 2>, 12> kCircle{{{1.0, 0.0},
                                                         {0.8660254, 0.5},
                                                         {0.5, 0.8660254},
                                                         {0.0, 1.0},
                                                         {-0.5, 0.8660254},
                                                         {-0.8660254, 0.5},
                                                         {-1.0, 0.0},
                                                         {-0.8660254, -0.5},
                                                         {-0.5, -0.8660254},
                                                         {0.0, -1.0},
                                                         {0.5, -0.8660254},
                                                         {0.8660254, -0.5}}};

void occlude(cv::Mat& bgr, double share, Random& random) {
  const double side = bgr.cols;
  const cv::Scalar colour = random_colour(random, 10, 230);
  const double width = side * random.between(0.3, 1.0) * share;
  Pose pose;
  pose.centre_x = random.between(0.05, 0.95) * side;
  pose.centre_y = random.between(0.05, 0.95) * side;
  pose.rotation = random.between(0.0, 3.1416);
  // A bar through the image, or a blob.
  const double length = random.chance(0.6) ? side * 1.5 : width * random.between(0.6, 1.2);
  Painter(bgr, pose).box(-length, -width / 2, length, width / 2, colour);
}

void blur(cv::Mat& bgr, Random& random) {
  const int kind = random.below(4);
  cv::Mat result;
  if (kind == 0) {  // out of focus
    const int size = random.chance(0.5) ? 3 : 5;
    cv::GaussianBlur(bgr, result, {size, size}, 0, 0, cv::BORDER_REPLICATE);
  } else if (kind == 1) {  // horizontal or vertical motion
    const int length = 3 + 2 * random.below(3);
    const cv::Size size = random.chance(0.7) ? cv::Size(length, 1) : cv::Size(1, length);
    cv::blur(bgr, result, size, {-1, -1}, cv::BORDER_REPLICATE);
  } else {  // seen from afar
    const int side = 20 + random.below(25);
    cv::Mat small;
    cv::resize(bgr, small, {side, side}, 0, 0, cv::INTER_LINEAR);
    cv::resize(small, result, bgr.size(), 0, 0, cv::INTER_LINEAR);
  }
  bgr = result;
}

// Gain in 16.16 fixed point along a plane, plus the sum of two uniform bytes as noise.
void light_and_noise(cv::Mat& bgr, double gain, double slope_x, double slope_y, double amplitude,
                     Random& random) {
  constexpr double kOne = 65536.0;
  const auto step_x = static_cast<int>(slope_x * kOne / bgr.cols);
  const auto step_y = static_cast<int>(slope_y * kOne / bgr.rows);
  const auto scale = static_cast<int>(amplitude * 256.0 / 255.0);
  const int start = static_cast<int>((gain - (slope_x + slope_y) / 2) * kOne);
  const int values = bgr.cols * 3;
  for (int row = 0; row < bgr.rows; ++row) {
    auto* pixels = bgr.ptr<std::uint8_t>(row);
    int pixel_gain = start + step_y * row;
    std::uint64_t bits = 0;
    for (int at = 0; at < values; ++at) {
      if (at % 4 == 0) bits = random.bits();
      if (at % 3 == 0 && at != 0) pixel_gain += step_x;
      const int draw = static_cast<int>(bits & 0xFFU) + static_cast<int>((bits >> 8U) & 0xFFU) - 255;
      bits >>= 16U;
      const int lit = (pixels[at] * std::max(pixel_gain, 0)) >> 16;
      pixels[at] = static_cast<std::uint8_t>(std::clamp(lit + ((draw * scale) >> 8), 0, 255));
    }
  }
}

}  // namespace

cv::Point2d Pose::operator()(double x, double y) const {
  const double depth = std::max(0.3, 1.0 + perspective_x * x + perspective_y * y);
  const double wide = scale_x * (x + slant * y) / depth;
  const double high = scale_y * y / depth;
  const double cosine = std::cos(rotation);
  const double sine = std::sin(rotation);
  return {centre_x + wide * cosine - high * sine, centre_y + wide * sine + high * cosine};
}

void Painter::polygon(std::initializer_list<cv::Point2d> corners, const cv::Scalar& colour) {
  std::array<cv::Point, kMostCorners> fixed;
  std::size_t count = 0;
  for (const auto& corner : corners) {
    if (count == fixed.size()) break;
    fixed[count++] = to_fixed(*bgr_, pose_(corner.x, corner.y));
  }
  fill(fixed.data(), count, colour);
}

void Painter::fill(const cv::Point* corners, std::size_t count, const cv::Scalar& colour) {
  const cv::Point* contours[] = {corners};
  const int counts[] = {static_cast<int>(count)};
  cv::fillPoly(*bgr_, contours, counts, 1, colour, cv::LINE_AA, kSubPixelBits);
  if (stencil_ != nullptr) stencil_->fill(corners, count);
}

void Painter::box(double left, double top, double right, double bottom, const cv::Scalar& colour) {
  polygon({{left, top}, {right, top}, {right, bottom}, {left, bottom}}, colour);
}

void Painter::disc(double x, double y, double radius, const cv::Scalar& colour) {
  std::array<cv::Point, kCircle.size()> fixed;
  for (std::size_t at = 0; at < kCircle.size(); ++at) {
    fixed[at] = to_fixed(*bgr_, pose_(x + radius * kCircle[at][0], y + radius * kCircle[at][1]));
  }
  fill(fixed.data(), fixed.size(), colour);
}

void Painter::ring(double x, double y, double radius, double width, const cv::Scalar& colour) {
  for (std::size_t at = 0; at < kCircle.size(); ++at) {
    const auto& from = kCircle[at];
    const auto& to = kCircle[(at + 1) % kCircle.size()];
    stroke(x + radius * from[0], y + radius * from[1], x + radius * to[0], y + radius * to[1], width, colour);
  }
}

void Painter::stroke(double x0, double y0, double x1, double y1, double width, const cv::Scalar& colour) {
  const double length = std::max(std::hypot(x1 - x0, y1 - y0), 1e-6);
  const double across_x = (y1 - y0) / length * width / 2;
  const double across_y = (x0 - x1) / length * width / 2;
  polygon({{x0 + across_x, y0 + across_y},
           {x1 + across_x, y1 + across_y},
           {x1 - across_x, y1 - across_y},
           {x0 - across_x, y0 - across_y}},
          colour);
}

cv::Scalar random_colour(Random& random, double low, double high) {
  // One statement each: the order of evaluation of arguments is the compiler's choice.
  const double blue = random.between(low, high);
  const double green = random.between(low, high);
  const double red = random.between(low, high);
  return {blue, green, red};
}

cv::Scalar shaded(const cv::Scalar& colour, double factor) {
  return {std::min(colour[0] * factor, 255.0), std::min(colour[1] * factor, 255.0),
          std::min(colour[2] * factor, 255.0)};
}

void fill_blend(cv::Mat& bgr, const cv::Scalar& top, const cv::Scalar& bottom) {
  for (int row = 0; row < bgr.rows; ++row) {
    const double share = (row + 0.5) / bgr.rows;
    bgr.row(row).setTo(top * (1.0 - share) + bottom * share);
  }
}

void draw_clutter(cv::Mat& bgr, int count, Random& random) {
  Painter painter(bgr, Pose{});
  const double side = bgr.cols;
  for (int at = 0; at < count; ++at) {
    const cv::Scalar colour = random_colour(random, 10, 240);
    const double x = random.between(0, side);
    const double y = random.between(0, side);
    const int kind = random.below(3);
    if (kind == 0) {
      const double to_x = random.between(0, side);
      const double to_y = random.between(0, side);
      painter.stroke(x, y, to_x, to_y, random.between(1, 4), colour);
    } else if (kind == 1) {
      const double width = random.between(4, 24);
      const double height = random.between(4, 24);
      painter.box(x, y, x + width, y + height, colour);
    } else {
      painter.disc(x, y, random.between(2, 10), colour);
    }
  }
}

void degrade(cv::Mat& bgr, const Degradation& degradation, Random& random) {
  if (random.chance(degradation.occlusion_chance)) {
    occlude(bgr, degradation.occlusion_share, random);
  }
  if (random.chance(degradation.blur_chance)) blur(bgr, random);
  const double gain = random.between(degradation.gain_low, degradation.gain_high);
  const double slope_x = random.between(-degradation.light_range, degradation.light_range);
  const double slope_y = random.between(-degradation.light_range, degradation.light_range);
  const double amplitude = random.between(degradation.noise_low, degradation.noise_high);
  light_and_noise(bgr, gain, slope_x, slope_y, amplitude, random);
}

}  // namespace saccade::images
