// The canvas of ids against the definition of what a shape covers.
#include "images/stencil.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace saccade::images {
namespace {

double distance_to(double x, double y, const cv::Point& from, const cv::Point& to) {
  const double edge_x = to.x - from.x;
  const double edge_y = to.y - from.y;
  const double length = edge_x * edge_x + edge_y * edge_y;
  const double along =
      length > 0.0 ? std::clamp(((x - from.x) * edge_x + (y - from.y) * edge_y) / length, 0.0, 1.0) : 0.0;
  return std::hypot(x - from.x - along * edge_x, y - from.y - along * edge_y);
}

// A polygon's pixels against the definition, in floating point: the centre is inside by the even-odd rule or
// at most kReach from an edge. Where rounding decides, both are right.
TEST(Stencil, CoversThePixelsWhoseCentresAreInsideOrNear) {
  std::mt19937 random(11);  // NOLINT: fixed on purpose
  std::uniform_int_distribution<int> coordinate(-30 * 16, 70 * 16);
  for (int round = 0; round < 300; ++round) {
    std::vector<cv::Point> corners(static_cast<std::size_t>(3 + round % 7));
    for (cv::Point& point : corners) point = {coordinate(random), coordinate(random)};
    Stencil stencil({40, 40}, 8);
    stencil.begin(3);
    stencil.fill(corners.data(), corners.size());
    int least = 0;
    int most = 0;
    for (int y = -8; y < 48; ++y) {
      for (int x = -8; x < 48; ++x) {
        bool odd = false;
        double nearest = 1e9;
        for (std::size_t at = 0; at < corners.size(); ++at) {
          const cv::Point a = corners[at];
          const cv::Point b = corners[(at + 1) % corners.size()];
          nearest = std::min(nearest, distance_to(x * 16.0, y * 16.0, a, b));
          if ((a.y > y * 16) == (b.y > y * 16)) continue;
          const double across = a.x + static_cast<double>(y * 16 - a.y) * (b.x - a.x) / (b.y - a.y);
          if (across < x * 16.0) odd = !odd;
        }
        least += odd || nearest < kReach - 1e-6 ? 1 : 0;
        most += odd || nearest < kReach + 1e-6 ? 1 : 0;
      }
    }
    EXPECT_GE(stencil.on_canvas(3).pixels, least) << "round " << round;
    EXPECT_LE(stencil.on_canvas(3).pixels, most) << "round " << round;
  }
}

TEST(Stencil, WhatIsDrawnLaterCoversWhatIsThere) {
  // Corners half a pixel within the outermost pixels' centres, which the reach then includes.
  const auto square = [](int left, int top, int side) {
    const int low_x = left * 16 + 8;
    const int low_y = top * 16 + 8;
    const int length = (side - 2) * 16;
    return std::vector<cv::Point>{
        {low_x, low_y}, {low_x + length, low_y}, {low_x + length, low_y + length}, {low_x, low_y + length}};
  };
  Stencil stencil({20, 20}, 5);
  stencil.begin(1);
  stencil.fill(square(2, 3, 10).data(), 4);
  EXPECT_EQ(stencil.in_picture(1).box, cv::Rect(2, 3, 10, 10));
  EXPECT_EQ(stencil.in_picture(1).pixels, 96);  // the corners are too far
  stencil.begin(2);
  stencil.fill(square(2, 3, 4).data(), 4);
  stencil.begin(Stencil::kNothing);
  stencil.fill(square(10, 0, 20).data(), 4);
  EXPECT_EQ(stencil.in_picture(1).box, cv::Rect(2, 3, 8, 10));
  stencil.begin(4);
  stencil.fill(square(-4, 16, 6).data(), 4);
  EXPECT_EQ(stencil.on_canvas(4).box, cv::Rect(-4, 16, 6, 6));
  EXPECT_EQ(stencil.in_picture(4).box, cv::Rect(0, 16, 2, 4));
  EXPECT_EQ(stencil.in_picture(9).pixels, 0);
  EXPECT_TRUE(stencil.in_picture(9).box.empty());
}

}  // namespace
}  // namespace saccade::images
