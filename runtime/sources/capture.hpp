// What the sources that decode with OpenCV's videoio share: how a capture is opened (time limits,
// no hardware decoder), and that the library says nothing by itself.
// Threads: plain functions. Errors: OpenCV's exceptions end here.
#pragma once

#include <functional>
#include <memory>
#include <opencv2/videoio.hpp>
#include <string>

#include "runtime/sources/live_capture.hpp"

namespace saccade::runtime {

// False when it cannot be opened within 5 s.
[[nodiscard]] bool open_capture(cv::VideoCapture& capture, const std::string& path);
[[nodiscard]] bool open_capture(cv::VideoCapture& capture, int device);

// The next picture is made ready, or decoded; false at the end, on a broken stream or a time-out.
[[nodiscard]] bool grab(cv::VideoCapture& capture);
[[nodiscard]] bool retrieve(cv::VideoCapture& capture, cv::Mat& picture);

// What open_capture() knows to open, read as a live source. `reopen` opens it again; a capture that is open
// already stays so at the first open().
[[nodiscard]] std::shared_ptr<LiveCapture> live_capture(std::unique_ptr<cv::VideoCapture> capture,
                                                        std::function<bool(cv::VideoCapture&)> reopen);

}  // namespace saccade::runtime
