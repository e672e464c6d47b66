// A yard without the objects that its detectors detect. Coordinates are units, see yard.hpp.
// Threads: plain functions.
#pragma once

#include <opencv2/core/mat.hpp>

#include "images/random.hpp"
#include "images/scene.hpp"
#include "images/stencil.hpp"

namespace saccade::images {

// Sky or wall, buildings and trees above the horizon, below it the ground with its patches and lines.
// `unit` is in pixels.
void draw_yard_ground(cv::Mat& bgr, double unit, double horizon, Random& random);

// Clutter at (x, y) pixels: a post, a crate, a barrel, a cone, a bush, a fence, a stack of pallets, a
// container, a sign. `size` pixels is its larger side.
void draw_yard_clutter(cv::Mat& bgr, Stencil& stencil, double x, double y, double size, Random& random);

}  // namespace saccade::images
