// Resizing with OpenCV, by the filters of the model interface; the only place where that is called. And the
// threads that OpenCV uses.
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

// From then on OpenCV's loops run on the thread that calls it, in the whole process. For larger pictures it
// would start threads of its own, one per CPU, whose time is in no plan and in no measured frame. Threads:
// any; the first call counts.
void keep_opencv_on_the_calling_thread();

}  // namespace saccade::runtime
