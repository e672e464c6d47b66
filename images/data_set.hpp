#pragma once

#include <cstdint>
#include <opencv2/core/mat.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "images/random.hpp"

namespace saccade::images {

// What one data set adds to the generator: its name, its labels, and how to draw one label.
// `draw` gets a black kImageSide x kImageSide CV_8UC3 image and must derive every decision from
// `random`, at most one draw per function call's arguments: compilers evaluate those in orders of their
// own. To add a data set, write one file pair that defines such a value and list it in
// image_generator.cpp.
struct DataSet {
  std::string_view name;
  std::vector<std::string> labels;
  void (*draw)(cv::Mat& bgr, int label, Random& random);
};

}  // namespace saccade::images
