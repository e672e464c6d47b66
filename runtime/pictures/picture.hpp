// A picture as a source delivers it: 8 bits per channel, three channels, possibly reduced from the source's
// own frame. Shared and immutable once delivered, so that a waiting frame, a worker and a thumbnail use the
// same memory. Units: pixels. Threads: plain values; renew() is called by the sole owner of the pointer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "profiles/interface.hpp"

namespace saccade::runtime {

using PixelBox = std::array<int, 4>;  // x, y, width, height

struct Picture {
  int width = 0;
  int height = 0;
  int frame_width = 0;  // of the source's frame, which it shows completely
  int frame_height = 0;
  profiles::ColorOrder order = profiles::ColorOrder::bgr;  // rgb or bgr
  std::vector<std::uint8_t> pixels;  // row by row, 3 bytes per pixel, no padding between rows

  [[nodiscard]] static std::size_t bytes(int width, int height) {
    return 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  // Sets the size, also that of the frame. The contents are undefined; no memory is allocated if it was as
  // large before.
  void resize(int new_width, int new_height);
  [[nodiscard]] PixelBox whole() const { return {0, 0, width, height}; }
};

// Of pictures made by renew() or std::make_shared<Picture>().
using PicturePtr = std::shared_ptr<const Picture>;

// The pointer's picture for writing: the same object, with its memory, if it is not shared, else a new one.
[[nodiscard]] Picture& renew(PicturePtr& picture);

}  // namespace saccade::runtime
