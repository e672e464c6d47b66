// The objects reported for a frame: those of a detector, or for a classifier one per region, with the
// region's box and the score of its best label. Threads: function without state.
#pragma once

#include "runtime/run/result_listener.hpp"
#include "vision/decode/objects.hpp"

namespace saccade::service {

// Into `objects`, whose memory is reused; best score first.
void take_objects(const runtime::SeenFrame& frame, vision::Objects& objects);

}  // namespace saccade::service
