// A small picture of a frame. Of a frame that a client sent as numbers: the regions side by side, where they
// are a grid as they lie in the camera's picture. Threads: functions without state. Errors: empty when there
// is no frame.
#pragma once

#include <string>
#include <vector>

#include "profiles/profile_set.hpp"
#include "runtime/pictures/picture.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::runtime {

inline constexpr int kThumbnailPixels = 320;  // of the longer side, at most

// JPEG, with the sides of the source's frame.
[[nodiscard]] std::string thumbnail(const Picture& picture);
// `input` as in Frame.
[[nodiscard]] std::string thumbnail(const std::vector<float>& input, const profiles::InputShape& shape,
                                    const Regions& regions);

}  // namespace saccade::runtime
