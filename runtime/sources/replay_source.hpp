// Recorded arrivals as a source: pictures of a folder in turn, which come when the file says, whatever the
// task demands. A tick takes one if at least one arrived since the tick before it, as of a camera whose older
// pictures nobody keeps.
// Threads: as FrameSource. Errors: those of the folder (images_source.hpp).
#pragma once

#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_replay(const ReplaySource& source,
                                                               const Regions& regions,
                                                               const NetworkInputs& inputs);

}  // namespace saccade::runtime
