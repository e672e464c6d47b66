// What the sources that decode with OpenCV's videoio share: how a capture is opened (time limits,
// no hardware decoder), and that the library says nothing by itself.
// Threads: plain functions. Errors: OpenCV's exceptions end here.
#pragma once

#include <opencv2/videoio.hpp>
#include <string>

namespace saccade::runtime {

// False when it cannot be opened within 5 s.
[[nodiscard]] bool open_capture(cv::VideoCapture& capture, const std::string& path);
[[nodiscard]] bool open_capture(cv::VideoCapture& capture, int device);

// The next picture is made ready, or decoded; false at the end, on a broken stream or a time-out.
[[nodiscard]] bool grab(cv::VideoCapture& capture);
[[nodiscard]] bool retrieve(cv::VideoCapture& capture, cv::Mat& picture);

}  // namespace saccade::runtime
