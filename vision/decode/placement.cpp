#include "vision/decode/placement.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/check.hpp"

namespace saccade::vision {
namespace {

// A side of the region in the input. The limit keeps a region of one pixel by thousands, covered, within int.
int resized(double side, double ratio) {
  constexpr double kLongest = 1e9;
  return static_cast<int>(std::clamp(std::round(side * ratio), 1.0, kLongest));
}

// floor((input - picture) / 2), also where the picture is the longer one.
int centred(int input, int picture) {
  const int room = input - picture;
  return (room >= 0 ? room : room - 1) / 2;
}

PixelRect picture_in(const profiles::PictureInput& input, const Box& region) {
  const double ratio_x = input.width / static_cast<double>(region.width);
  const double ratio_y = input.height / static_cast<double>(region.height);
  PixelRect picture{0, 0, input.width, input.height};
  switch (input.resize) {
    case profiles::Resize::stretch:
      return picture;
    case profiles::Resize::letterbox: {
      const double ratio = std::min(ratio_x, ratio_y);
      picture.width = std::min(resized(region.width, ratio), input.width);
      picture.height = std::min(resized(region.height, ratio), input.height);
      if (input.align == profiles::Align::top_left) return picture;
      break;
    }
    case profiles::Resize::cover: {
      const double ratio = std::max(ratio_x, ratio_y);
      picture.width = std::max(resized(region.width, ratio), input.width);
      picture.height = std::max(resized(region.height, ratio), input.height);
      break;
    }
  }
  picture.left = centred(input.width, picture.width);
  picture.top = centred(input.height, picture.height);
  return picture;
}

}  // namespace

Placement place(const profiles::PictureInput& input, const Box& region, PixelSize frame, int number) {
  SACCADE_CHECK(input.width > 0 && input.height > 0 && frame.width > 0 && frame.height > 0);
  SACCADE_CHECK(std::isfinite(region.x) && std::isfinite(region.y) && std::isfinite(region.width) &&
                std::isfinite(region.height) && region.width > 0.0F && region.height > 0.0F);
  Placement placement;
  placement.frame = frame;
  placement.region = region;
  placement.number = number;
  placement.input = {input.width, input.height};
  placement.picture = picture_in(input, region);
  const PixelRect& picture = placement.picture;
  placement.scale_x = picture.width / static_cast<double>(region.width);
  placement.scale_y = picture.height / static_cast<double>(region.height);
  PixelRect& target = placement.target;
  target.left = std::max(picture.left, 0);
  target.top = std::max(picture.top, 0);
  target.width = std::min(picture.width, input.width);
  target.height = std::min(picture.height, input.height);
  const auto part = [](float origin, int from, int size, double scale) {
    return std::pair{static_cast<float>(origin + from / scale), static_cast<float>(size / scale)};
  };
  std::tie(placement.source.x, placement.source.width) =
      part(region.x, target.left - picture.left, target.width, placement.scale_x);
  std::tie(placement.source.y, placement.source.height) =
      part(region.y, target.top - picture.top, target.height, placement.scale_y);
  return placement;
}

Corners to_frame(const Placement& placement, const Corners& in_input) {
  const auto x = [&](double value) {
    return static_cast<float>(placement.region.x + (value - placement.picture.left) / placement.scale_x);
  };
  const auto y = [&](double value) {
    return static_cast<float>(placement.region.y + (value - placement.picture.top) / placement.scale_y);
  };
  return {x(in_input.left), y(in_input.top), x(in_input.right), y(in_input.bottom)};
}

Corners to_input(const Placement& placement, const Corners& in_frame) {
  const auto x = [&](double value) {
    return static_cast<float>((value - placement.region.x) * placement.scale_x + placement.picture.left);
  };
  const auto y = [&](double value) {
    return static_cast<float>((value - placement.region.y) * placement.scale_y + placement.picture.top);
  };
  return {x(in_frame.left), y(in_frame.top), x(in_frame.right), y(in_frame.bottom)};
}

}  // namespace saccade::vision
