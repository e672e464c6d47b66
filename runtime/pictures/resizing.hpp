// Resizing with OpenCV, by the filters of the model interface. The only place where it is called.
// Threads: functions without state.
#pragma once

#include <opencv2/core/mat.hpp>

#include "profiles/interface.hpp"
#include "runtime/pictures/picture.hpp"

namespace saccade::runtime {

// The pixels of a picture, and of a box in it, without a copy. Read-only.
[[nodiscard]] cv::Mat view_of(const Picture& picture);
[[nodiscard]] cv::Mat view_of(const Picture& picture, const PixelBox& box);

// Into `resized`, whose memory is reused if it has that size. Area averaging if both sides shrink, so that
// fine structure does not alias; if one does not, Filter::area is linear.
void resize_to(const cv::Mat& from, cv::Size size, profiles::Filter filter, cv::Mat& resized);

}  // namespace saccade::runtime
