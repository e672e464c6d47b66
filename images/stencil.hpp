// Which pixels of a picture each drawn object covers: a canvas of ids that is painted along with the colours.
// It has hard edges and is computed from the fixed-point corners that are drawn, so that boxes do not depend
// on the version of OpenCV. A pixel belongs to a shape if its centre is inside (even-odd) or at most kReach
// from the outline: at that distance OpenCV's blended edges, which extend beyond the shape, have half of its
// colour. The canvas is larger than the picture, so that what the border cuts off is known as well. Threads:
// one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core/mat.hpp>
#include <opencv2/core/types.hpp>

namespace saccade::images {

// Fixed-point bits of the corners given to OpenCV's drawing functions and to Stencil::fill.
inline constexpr int kSubPixelBits = 4;
// In 1 / 2^kSubPixelBits pixels: 0.69 pixels.
inline constexpr int kReach = 11;

class Stencil {
 public:
  static constexpr std::uint8_t kNothing = 0;

  // For a picture of that size, with `margin` more pixels on every side.
  Stencil(cv::Size picture, int margin);

  // From now on filled shapes cover what was there and belong to `id`, or to nothing.
  void begin(std::uint8_t id) noexcept { id_ = id; }

  // Corners in 1 / 2^kSubPixelBits pixels of the picture; whole numbers are pixel centres, as in OpenCV.
  // Parts beyond the margin are clipped.
  void fill(const cv::Point* corners, std::size_t count);

  // The pixels of an id. The rectangle is in pixels of the picture; empty if there are none.
  struct Extent {
    cv::Rect box;
    int pixels = 0;
  };
  [[nodiscard]] Extent on_canvas(std::uint8_t id) const;   // margin included
  [[nodiscard]] Extent in_picture(std::uint8_t id) const;  // the part inside the border

 private:
  void fill_interior(const cv::Point* corners, std::size_t count);
  void fill_edge(const cv::Point& from, const cv::Point& to);
  // Rows and columns are those of the picture; pixels outside the canvas are ignored.
  [[nodiscard]] std::uint8_t* row_at(std::int64_t row);
  [[nodiscard]] Extent within(const cv::Rect& part, std::uint8_t id) const;

  cv::Rect picture_;  // on the canvas
  cv::Mat ids_;
  std::uint8_t id_ = kNothing;
};

}  // namespace saccade::images
