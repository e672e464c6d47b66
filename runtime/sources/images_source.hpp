// The pictures of a folder (.jpg, .jpeg, .png, .bmp in any case) in the order of their names, one per tick. A
// file that cannot be read is skipped; fault() names it until the next picture is delivered.
// Threads: as FrameSource. Errors: a missing or empty folder, a first picture that does not fit the regions,
// no readable picture.
#pragma once

#include <memory>

#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_images(const ImagesSource& source,
                                                               const Regions& regions,
                                                               const NetworkInputs& inputs);

}  // namespace saccade::runtime
