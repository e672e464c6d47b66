// Yard scenes for detectors: persons, cyclists, cars, vans, trucks and dogs in front of buildings and trees,
// among clutter that hides parts of them, under uneven light and noise; each with the boxes of the visible
// objects. A scene is planned in units, a 224th of the picture's height, and so looks the same in every size;
// only blur, noise and rounding to pixels differ. Everything is a pure function of its arguments. Threads:
// plain functions.
#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core/mat.hpp>
#include <opencv2/core/types.hpp>
#include <vector>

#include "images/random.hpp"

namespace saccade::images {

// The visible extent of a thing as drawn, in whole pixels of the picture, corners from 0; never empty.
struct LabelledBox {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  int label = 0;
  double hidden = 0.0;  // share of its pixels that others or the border hide, at most kMostHidden
  bool operator==(const LabelledBox&) const = default;
};

// Units along the height of a picture.
inline constexpr double kYardUnits = 224.0;
// Objects that are hidden to a larger share get no box, nor do those whose visible part has fewer units along
// the larger side. They are drawn nevertheless.
inline constexpr double kMostHidden = 0.7;
inline constexpr double kLeastVisible = 5.0;
inline constexpr int kMostYardObjects = 7;

// The items from back to front. Everything drawn of an item follows from its own key, so that items can be
// removed without changing the others.
struct YardItem {
  int label = 0;   // clutter: negative
  double x = 0.0;  // units, where it touches the ground
  double y = 0.0;
  double size = 0.0;  // units
  std::uint64_t key = 0;
};
struct YardPlan {
  double width = 0.0;          // units
  double horizon = 0.0;        // units from the top
  std::uint64_t backdrop = 0;  // key of the background
  std::vector<YardItem> items;
  std::vector<YardItem> shadows;  // of the items, on the ground
  std::uint64_t camera = 0;       // key of blur, light and noise
};

// `width` units wide, the height being kYardUnits; 1 to kMostYardObjects items have a label.
[[nodiscard]] YardPlan plan_yard(double width, Random& random);

// The picture before the camera spoils it, CV_8UC3 in OpenCV's BGR order, and its boxes in the order of the
// items. `picture` is the size in pixels, each side within 32 .. 4096.
struct YardPicture {
  cv::Mat bgr;
  std::vector<LabelledBox> boxes;
};
[[nodiscard]] YardPicture paint_yard(const YardPlan& plan, cv::Size picture);

// Blur, uneven light and noise.
void spoil_yard(cv::Mat& bgr, std::uint64_t key);

}  // namespace saccade::images
