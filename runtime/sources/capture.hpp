// Shared by the sources that decode with OpenCV's videoio: opening a capture (time limits, no hardware
// decoder), and silencing the library's own messages.
// Threads: plain functions. Errors: OpenCV's exceptions are caught here.
#pragma once

#include <functional>
#include <memory>
#include <opencv2/videoio.hpp>
#include <string>

#include "runtime/sources/live_capture.hpp"

namespace saccade::runtime {

// False if it cannot be opened within 5 s.
[[nodiscard]] bool open_capture(cv::VideoCapture& capture, const std::string& path);
[[nodiscard]] bool open_capture(cv::VideoCapture& capture, int device);

// Grabs, or decodes, the next picture; false at the end, on a broken stream or a time-out.
[[nodiscard]] bool grab(cv::VideoCapture& capture);
[[nodiscard]] bool retrieve(cv::VideoCapture& capture, cv::Mat& picture);

// Anything that open_capture() can open, read as a live source. `reopen` opens it again; a capture that is
// already open stays so at the first open().
[[nodiscard]] std::shared_ptr<LiveCapture> live_capture(std::unique_ptr<cv::VideoCapture> capture,
                                                        std::function<bool(cv::VideoCapture&)> reopen);

}  // namespace saccade::runtime
