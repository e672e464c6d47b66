// Converts a source's own picture to the one that a frame carries: reduced once to the smallest size that no
// variant of the task and no region would enlarge, with the network's filter. The regions are boxes of the
// reduced picture, rounded outwards. The engine's input is made from it on the worker
// (runtime/pictures/preparer.hpp). Units: pixels. Threads: none of its own; one instance belongs to one
// capture thread.
#pragma once

#include <cstddef>
#include <opencv2/core/mat.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

// The regions as boxes of a picture of that size, in the order of the labels (a grid row by row; its cells
// cover the picture without gap or overlap). Errors: a box that is empty or exceeds the picture, a grid finer
// than the pixels.
[[nodiscard]] Result<std::vector<PixelBox>> region_boxes(const Regions& regions, int width, int height);

// The smallest size to which a picture of that size can be reduced such that no variant enlarges any of the
// boxes; never larger than the picture.
[[nodiscard]] cv::Size least_size(cv::Size size, const std::vector<PixelBox>& boxes,
                                  const NetworkInputs& inputs);

// Advice if a camera sends more than four times the pixels that any variant needs; empty: it does not.
[[nodiscard]] std::string advice_on(cv::Size sent, cv::Size reduced);

// How many of `count` regions are side by side on a sheet that shows them all: those of a grid as in the
// picture.
[[nodiscard]] int sheet_columns(const Regions& regions, int count);

class FramePicture {
 public:
  FramePicture(Regions regions, NetworkInputs inputs);

  // Whether the regions fit pictures of this size.
  [[nodiscard]] Status fit(int width, int height) const;
  // Of a frame of a picture of this size, which fits.
  [[nodiscard]] std::size_t bytes(int width, int height) const;

  // The reduced size of a picture of this size; the size itself if the regions do not fit.
  [[nodiscard]] cv::Size reduced(cv::Size size) const;
  // The filter used for it.
  [[nodiscard]] profiles::Filter filter() const;

  // Fills the frame's picture and regions from an 8-bit BGR picture. A source's picture size may change at
  // run time: false if the regions do not fit this one.
  [[nodiscard]] bool write(const cv::Mat& bgr, Frame& frame) { return write(bgr, bgr.size(), frame); }
  // Of a source's picture of size `of`, which may be reduced() already.
  [[nodiscard]] bool write(const cv::Mat& bgr, cv::Size of, Frame& frame);

 private:
  Regions regions_;
  NetworkInputs inputs_;
  cv::Size size_;                // of the pictures that follow
  cv::Size reduced_;             // what they are reduced to
  std::vector<PixelBox> boxes_;  // in that; empty = the regions do not fit size_
};

}  // namespace saccade::runtime
