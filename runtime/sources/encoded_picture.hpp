// A JPEG or PNG picture in memory as a frame for an engine. What the picture says of its size is read
// before anything is decoded, so that a few bytes cannot ask for gigabytes.
// Units: pixels, bytes. Threads: functions without state. Errors: Result; `where` is empty, or names a
// region.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/run_config.hpp"

namespace saccade::runtime {

inline constexpr std::int64_t kMostPixels = 64'000'000;  // of a picture; a decoded pixel takes 3 bytes

struct PictureSize {
  int width = 0;
  int height = 0;
};
// As the picture's header has it. Errors: neither JPEG nor PNG, or cut short.
[[nodiscard]] Result<PictureSize> picture_size(std::string_view bytes);

// As Frame::input: the regions cut out, each resized to the network's input, which has three channels.
[[nodiscard]] Result<std::vector<float>> frame_of_picture(std::string_view bytes, const Regions& regions,
                                                          const profiles::InputShape& input);

}  // namespace saccade::runtime
