// The objects that the yard's detectors detect, drawn from the side or the front in varying proportions,
// colours, poses and equipment. Objects stand on (0, 0) of their own plane, with negative y upwards, their
// larger side about 1. Threads: plain functions.
#pragma once

#include <opencv2/core/mat.hpp>
#include <string>
#include <vector>

#include "images/random.hpp"
#include "images/scene.hpp"
#include "images/stencil.hpp"

namespace saccade::images {

// person, cyclist, car, van, truck, dog: the index is the label. Lives as long as the process.
[[nodiscard]] const std::vector<std::string>& yard_labels();

// The larger side of objects of a class, in units: a 224th of the picture's height.
struct YardSizes {
  double least = 0.0;
  double most = 0.0;
};
[[nodiscard]] YardSizes yard_sizes(int label);

// Draws one object that stands at (x, y) pixels of the picture, `size` pixels being its larger side.
struct YardPlace {
  double x = 0.0;
  double y = 0.0;
  double size = 0.0;
};
void draw_yard_object(cv::Mat& bgr, Stencil* stencil, int label, const YardPlace& place, Random& random);

}  // namespace saccade::images
