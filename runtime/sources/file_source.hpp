// A video file by its media time: at time t it shows the frame t * rate of the file, so that a 25 fps file
// read 10 times a second plays at normal speed with frames skipped, and read 50 times shows each frame twice.
// Decoding is sequential; if a tick would have to catch up more than two seconds, playback continues from the
// current frame instead. A truncated or damaged file ends at its last good frame. A file that loops and
// cannot be opened again is tried again (retry.hpp). Threads: as FrameSource. Errors: regions that do not
// fit; the capture is already open.
#pragma once

#include <memory>
#include <opencv2/videoio.hpp>

#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_file(cv::VideoCapture capture,
                                                             const VideoSource& source,
                                                             const Regions& regions,
                                                             const NetworkInputs& inputs);

}  // namespace saccade::runtime
