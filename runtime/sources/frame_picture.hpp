// From a source's own picture to the one that a frame carries: reduced once to the least size that no variant
// of the task and no region would enlarge, by the filter of the network. The regions are boxes of the reduced
// picture, rounded outwards. What an engine takes is made of it on the worker
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

// The regions as boxes of a picture of that size, in the order of the labels (a grid row by row; its
// cells cover the picture without gap or overlap). Errors: a box that is empty or leaves the picture,
// a grid finer than the pixels.
[[nodiscard]] Result<std::vector<PixelBox>> region_boxes(const Regions& regions, int width, int height);

// The least size of a picture of that size of which no variant would enlarge any of the boxes; never larger
// than it.
[[nodiscard]] cv::Size least_size(cv::Size size, const std::vector<PixelBox>& boxes,
                                  const NetworkInputs& inputs);

// What to say of a camera that sends more than four times the pixels that any variant takes; empty: it does
// not.
[[nodiscard]] std::string advice_on(cv::Size sent, cv::Size reduced);

// How many of `count` regions lie side by side on a sheet that shows them all: those of a grid as they lie in
// the picture.
[[nodiscard]] int sheet_columns(const Regions& regions, int count);

class FramePicture {
 public:
  FramePicture(Regions regions, NetworkInputs inputs);

  // Says whether the regions fit pictures of this size.
  [[nodiscard]] Status fit(int width, int height) const;
  // Of a frame of a picture of this size, which fits.
  [[nodiscard]] std::size_t bytes(int width, int height) const;

  // What a picture of this size is reduced to; the size itself where the regions do not fit.
  [[nodiscard]] cv::Size reduced(cv::Size size) const;
  // How it is reduced.
  [[nodiscard]] profiles::Filter filter() const;

  // Fills the frame's picture and regions from an 8-bit BGR picture. A source may change its picture size
  // while it runs: false when the regions do not fit this one.
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
