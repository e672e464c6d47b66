// A thumbnail of a frame. For a frame that a client sent as a tensor: the regions side by side, those of a
// grid as in the camera's picture. Threads: functions without state. Errors: empty if there is no frame.
#pragma once

#include <string>
#include <vector>

#include "profiles/profile_set.hpp"
#include "runtime/pictures/picture.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::runtime {

inline constexpr int kThumbnailPixels = 320;  // of the longer side, at most

// JPEG, with the aspect ratio of the source's frame.
[[nodiscard]] std::string thumbnail(const Picture& picture);
// `input` as in Frame.
[[nodiscard]] std::string thumbnail(const std::vector<float>& input, const profiles::InputShape& shape,
                                    const Regions& regions);

}  // namespace saccade::runtime
