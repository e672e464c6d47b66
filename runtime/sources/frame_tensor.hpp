// From a picture to what an engine takes: cuts the regions out, resizes each to the network's input
// and writes them as float32 NCHW, RGB, value / 255. The one place where this is done, for every
// source alike.
// Units: pixels. Threads: none of its own; one instance belongs to one capture thread.
#pragma once

#include <array>
#include <cstddef>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/run_config.hpp"

namespace saccade::runtime {

// The regions as boxes of a picture of that size, in the order of the labels (a grid row by row; its
// cells cover the picture without gap or overlap). Errors: a box that is empty or leaves the picture,
// a grid finer than the pixels.
[[nodiscard]] Result<std::vector<PixelBox>> region_boxes(const Regions& regions, int width, int height);

// One region, already of the network's size, into `planes` (3 * width * height floats).
void write_planes(const cv::Mat& bgr, float* planes);

class FrameTensor {
 public:
  // input.channels must be 3; open_source() sees to it.
  FrameTensor(Regions regions, const profiles::InputShape& input);

  // Says whether the regions fit pictures of this size.
  [[nodiscard]] Status fit(int width, int height) const;

  // Fills `tensor` (resized to regions * input size) from an 8-bit BGR picture. A source may change
  // its picture size while it runs: false when the regions do not fit this one.
  [[nodiscard]] bool write(const cv::Mat& bgr, std::vector<float>& tensor);

 private:
  Regions regions_;
  profiles::InputShape input_;
  cv::Size size_;                // of the pictures that boxes_ belong to
  std::vector<PixelBox> boxes_;  // empty = the regions do not fit size_
  cv::Mat resized_;
};

}  // namespace saccade::runtime
