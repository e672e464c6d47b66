#pragma once

#include <cstddef>
#include <initializer_list>
#include <opencv2/core/mat.hpp>
#include <opencv2/core/types.hpp>

#include "images/random.hpp"
#include "images/stencil.hpp"

namespace saccade::images {

// The drawing tools that the data sets share. All take BGR images of kImageSide pixels (yard scenes: of any
// size), draw on the calling thread, and derive every decision from the Random they are given.

// The pose of a plane in front of the camera, in pixels and radians: objects are described in their own plane
// (y downwards) and placed in the image by rotation, slant, scale, perspective and shift.
struct Pose {
  double centre_x = 0.0;
  double centre_y = 0.0;
  double scale_x = 1.0;  // pixels per object unit
  double scale_y = 1.0;
  double rotation = 0.0;
  double slant = 0.0;          // x += slant * y
  double perspective_x = 0.0;  // depth gained per object unit to the right
  double perspective_y = 0.0;

  [[nodiscard]] cv::Point2d operator()(double x, double y) const;
};

// Fills anti-aliased shapes given in object coordinates, and records the pixels they cover in the stencil, if
// there is one.
class Painter {
 public:
  Painter(cv::Mat& bgr, const Pose& pose, Stencil* stencil = nullptr)
      : bgr_(&bgr), pose_(pose), stencil_(stencil) {}

  void polygon(std::initializer_list<cv::Point2d> corners, const cv::Scalar& colour);
  void box(double left, double top, double right, double bottom, const cv::Scalar& colour);
  void disc(double x, double y, double radius, const cv::Scalar& colour);
  void ring(double x, double y, double radius, double width, const cv::Scalar& colour);
  void stroke(double x0, double y0, double x1, double y1, double width, const cv::Scalar& colour);

 private:
  void fill(const cv::Point* corners, std::size_t count, const cv::Scalar& colour);

  cv::Mat* bgr_;
  Pose pose_;
  Stencil* stencil_;
};

// A colour with each channel uniform in [low, high).
[[nodiscard]] cv::Scalar random_colour(Random& random, double low, double high);

// The colour with every channel multiplied by the factor.
[[nodiscard]] cv::Scalar shaded(const cv::Scalar& colour, double factor);

// Fills the image with a vertical blend of two colours.
void fill_blend(cv::Mat& bgr, const cv::Scalar& top, const cv::Scalar& bottom);

// Draws `count` lines, rectangles and discs as clutter.
void draw_clutter(cv::Mat& bgr, int count, Random& random);

// How strongly camera and weather degrade an image.
struct Degradation {
  double occlusion_chance = 0.0;  // a bar or corner hides a part
  double occlusion_share = 0.0;   // its largest width, as a share of the image side
  double blur_chance = 0.0;       // out of focus, in motion, or from a lower resolution
  double light_range = 0.0;       // gain varies by up to this factor over the image
  double gain_low = 1.0;          // gain of the whole image, uniform in [gain_low, gain_high)
  double gain_high = 1.0;
  double noise_low = 0.0;  // amplitude of triangular sensor noise in grey levels
  double noise_high = 0.0;
};

// Degrades the image: occlusion, then blur, then uneven light and noise.
void degrade(cv::Mat& bgr, const Degradation& degradation, Random& random);

}  // namespace saccade::images
