// Recorded arrivals as a source: pictures of a folder in turn, at the times in the file, whatever the task
// demands. A tick takes one if at least one arrived since the previous tick, as with a camera of which only
// the newest picture is kept.
// Threads: as FrameSource. Errors: those of the folder (images_source.hpp).
#pragma once

#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_replay(const ReplaySource& source,
                                                               const Regions& regions,
                                                               const NetworkInputs& inputs);

}  // namespace saccade::runtime
