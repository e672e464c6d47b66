// A camera: a V4L2 device or a network stream. A thread of its own reads it as fast as it delivers and
// keeps the newest picture only, so that a task slower than its camera never sees an old one. A tick
// takes the newest picture, or nothing when none came since the last tick. Only pictures that a tick is
// likely to take are decoded (decode_schedule.hpp). A camera that goes away is opened again after a pause
// (retry.hpp); fault() says so meanwhile. Closing waits until the reader has let go of the device, at most a
// second. Threads: as FrameSource, and one reader inside. Errors: a first picture that does not come or does
// not fit the regions; no thread for the reader.
#pragma once

#include <memory>
#include <string>

#include "runtime/sources/frame_source.hpp"
#include "runtime/sources/live_capture.hpp"

namespace saccade::runtime {

// `name` is what messages call the camera. The first picture is waited for.
[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_live(std::shared_ptr<LiveCapture> capture,
                                                             const std::string& name, const Regions& regions,
                                                             const NetworkInputs& inputs);

}  // namespace saccade::runtime
