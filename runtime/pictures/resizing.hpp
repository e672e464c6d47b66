// Resizing as OpenCV does it, by the filters of the model interface. The one place where it is called.
// Threads: functions without state.
#pragma once

#include <opencv2/core/mat.hpp>

#include "profiles/interface.hpp"
#include "runtime/pictures/picture.hpp"

namespace saccade::runtime {

// The pixels of a picture, and of a box in it, without a copy. To be read only.
[[nodiscard]] cv::Mat view_of(const Picture& picture);
[[nodiscard]] cv::Mat view_of(const Picture& picture, const PixelBox& box);

// Into `resized`, whose memory is used again when it has that size. Area averaging where both sides shrink,
// so that fine structure does not alias; where one does not, Filter::area is linear.
void resize_to(const cv::Mat& from, cv::Size size, profiles::Filter filter, cv::Mat& resized);

}  // namespace saccade::runtime
