// A small picture of a frame, made of what the network sees: the regions side by side, where they are
// a grid as they lie in the camera's picture.
// Threads: functions without state. Errors: empty when there is no frame.
#pragma once

#include <string>
#include <vector>

#include "profiles/profile_set.hpp"
#include "runtime/run_config.hpp"

namespace saccade::runtime {

inline constexpr int kThumbnailPixels = 320;  // of the longer side, at most

// JPEG; `input` as in Frame.
[[nodiscard]] std::string thumbnail(const std::vector<float>& input, const profiles::InputShape& shape,
                                    const Regions& regions);

}  // namespace saccade::runtime
