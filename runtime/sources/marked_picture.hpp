// A frame's picture for display: in the size of the source's frame, with boxes and captions drawn over it. A
// frame that was reduced for its network is enlarged, so that captions are legible. A label has the same
// colour in every picture. Units: pixels of the source's frame. Threads: function without state. Errors:
// empty if there is no picture.
#pragma once

#include <span>
#include <string>

#include "runtime/pictures/picture.hpp"
#include "vision/decode/objects.hpp"

namespace saccade::runtime {

inline constexpr int kLeastMarkedPixels = 640;  // of the longer side

struct Mark {
  vision::Box box;
  std::string label;
  double score = 0.0;  // in [0, 1]
};

// JPEG. The first mark is on top.
[[nodiscard]] std::string marked_picture(const Picture& picture, std::span<const Mark> marks);

}  // namespace saccade::runtime
