// A camera: a V4L2 device or a network stream. A thread of its own reads it as fast as it delivers and
// keeps the newest picture only, so that a task slower than its camera never sees an old one. A tick
// takes the newest picture, or nothing when none came since the last tick. A camera that goes away is
// opened again after a pause (retry.hpp); fault() says so meanwhile.
// Threads: as FrameSource, and one reader inside. Errors: a first picture that does not come or does
// not fit the regions.
#pragma once

#include <functional>
#include <memory>
#include <opencv2/videoio.hpp>
#include <string>

#include "runtime/frame_source.hpp"

namespace saccade::runtime {

// `open` (re)opens the capture; `name` is what messages call the camera. The capture is already open.
[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_live(cv::VideoCapture capture,
                                                             std::function<bool(cv::VideoCapture&)> open,
                                                             const std::string& name, const Regions& regions,
                                                             const profiles::InputShape& input);

}  // namespace saccade::runtime
