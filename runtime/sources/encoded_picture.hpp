// A JPEG or PNG picture in memory as a frame for an engine. The size in its header is checked before anything
// is decoded, so that a few bytes cannot request gigabytes.
// Units: pixels, bytes. Threads: functions without state. Errors: Result; `where` is empty, or names a
// region.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

// Limits of a picture; a decoded pixel takes 3 bytes, one of a progressive JPEG 9, and every scan visits all.
inline constexpr std::int64_t kMostPixels = 64'000'000;
inline constexpr std::int64_t kMostProgressivePixels = 16'000'000;
inline constexpr std::size_t kMostScans = 64;  // encoders make about ten

struct PictureSize {
  int width = 0;
  int height = 0;
  bool progressive = false;
};
// From the picture's header. Errors: neither JPEG nor PNG, or truncated.
[[nodiscard]] Result<PictureSize> picture_size(std::string_view bytes);

// As a source would deliver it. Errors also for a network that does not accept colour pictures.
[[nodiscard]] Result<Frame> frame_of_picture(std::string_view bytes, const Regions& regions,
                                             const NetworkInputs& inputs);

}  // namespace saccade::runtime
