// Pictures of a video file, evenly spaced, as a source would deliver them: input for a teacher if there are
// no labels. Decoded once, reduced, and kept. Threads: one. Errors: a file that cannot be opened as a video,
// or of which no frame can be decoded.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "base/result.hpp"
#include "runtime/pictures/picture.hpp"
#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

struct VideoLimits {
  std::size_t pictures = 1000;
  std::size_t bytes = std::size_t{512} << 20U;  // of the reduced pictures
};

// In the order of the video; at least one, at most as many as the limits allow.
[[nodiscard]] Result<std::vector<PicturePtr>> video_pictures(const std::filesystem::path& file,
                                                             const NetworkInputs& inputs,
                                                             const VideoLimits& limits = {});

}  // namespace saccade::runtime
