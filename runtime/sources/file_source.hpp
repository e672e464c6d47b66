// A video file by its media time: at time t the frame t * rate of the file is shown, so a 25 fps file
// asked 10 times a second plays at normal speed with frames skipped, and asked 50 times each frame
// comes twice. Decoding is sequential; a tick that would have to catch up more than two seconds plays
// on from where it is instead. A file that ends early (cut off, broken) ends at its last good frame.
// Threads: as FrameSource. Errors: regions that do not fit; the capture is already open.
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
