// Sizes and boxes by their corners, the form used by decoders.
// Units: pixels, of the frame or of the network's input as each use says; x to the right, y down.
// Threads: plain values.
#pragma once

#include <cmath>

#include "profiles/interface.hpp"

namespace saccade::vision {

struct PixelSize {
  int width = 0;
  int height = 0;
  bool operator==(const PixelSize&) const = default;
};

struct Corners {
  float left = 0.0F;
  float top = 0.0F;
  float right = 0.0F;
  float bottom = 0.0F;
  bool operator==(const Corners&) const = default;
};

[[nodiscard]] inline bool is_finite(const Corners& box) {
  return std::isfinite(box.left) && std::isfinite(box.top) && std::isfinite(box.right) &&
         std::isfinite(box.bottom);
}
[[nodiscard]] inline bool has_area(const Corners& box) {
  return box.right > box.left && box.bottom > box.top;
}

// Four numbers of a network as corners in pixels of its input.
struct BoxReader {
  profiles::BoxForm form = profiles::BoxForm::cxcywh;
  float scale_x = 1.0F;  // pixels per unit of the numbers
  float scale_y = 1.0F;

  [[nodiscard]] Corners operator()(float a, float b, float c, float d) const {
    switch (form) {
      case profiles::BoxForm::cxcywh:
        return scaled({a - c * 0.5F, b - d * 0.5F, a + c * 0.5F, b + d * 0.5F});
      case profiles::BoxForm::xyxy:
        return scaled({a, b, c, d});
      case profiles::BoxForm::xywh:
        return scaled({a, b, a + c, b + d});
      case profiles::BoxForm::yxyx:
        return scaled({b, a, d, c});
    }
    return {};
  }

 private:
  [[nodiscard]] Corners scaled(const Corners& box) const {
    return {box.left * scale_x, box.top * scale_y, box.right * scale_x, box.bottom * scale_y};
  }
};

[[nodiscard]] inline BoxReader box_reader(profiles::BoxForm form, profiles::BoxUnit unit, PixelSize input) {
  if (unit == profiles::BoxUnit::input_pixels) return {form};
  return {form, static_cast<float>(input.width), static_cast<float>(input.height)};
}

}  // namespace saccade::vision
