// A camera: a V4L2 device or a network stream. A thread of its own reads it as fast as it delivers and keeps
// only the newest picture, so that a task slower than its camera never sees an old one. A tick takes the
// newest picture, or nothing if none arrived since the last tick. Only pictures that a tick is likely to take
// are decoded (decode_schedule.hpp). A camera that is lost is reopened after a pause (retry.hpp); meanwhile
// fault() gives the reason. Closing waits until the reader has released the device, at most a second.
// Threads: as FrameSource, and one reader of its own. Errors: no first picture, or one that does not fit the
// regions; no thread for the reader.
#pragma once

#include <memory>
#include <string>

#include "runtime/sources/frame_source.hpp"
#include "runtime/sources/live_capture.hpp"

namespace saccade::runtime {

// `name`: the camera's name in messages. Waits for the first picture.
[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_live(std::shared_ptr<LiveCapture> capture,
                                                             const std::string& name, const Regions& regions,
                                                             const NetworkInputs& inputs);

}  // namespace saccade::runtime
