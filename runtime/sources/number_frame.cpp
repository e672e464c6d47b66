#include "runtime/sources/number_frame.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace saccade::runtime {

Frame frame_of_numbers(std::vector<float> numbers, const profiles::InputShape& shape,
                       const NetworkInputs& inputs) {
  SACCADE_CHECK(shape.size() > 0 && numbers.size() % shape.size() == 0);
  Frame frame;
  frame.captured_at = captured_now();
  const bool fit_all =
      std::all_of(inputs.variants.begin(), inputs.variants.end(), [&](const profiles::PictureInput& input) {
        return input.width == shape.width && input.height == shape.height;
      });
  if (fit_all || (shape.channels != 3 && shape.channels != 1)) {
    frame.input = std::move(numbers);
    return frame;
  }
  frame.apart = true;
  const auto regions = static_cast<int>(numbers.size() / shape.size());
  Picture& picture = renew(frame.picture);
  picture.resize(shape.width, regions * shape.height);  // one below the other
  picture.order = profiles::ColorOrder::rgb;
  const std::size_t plane = shape.size() / static_cast<std::size_t>(shape.channels);
  for (int region = 0; region < regions; ++region) {
    const std::size_t first = static_cast<std::size_t>(region) * shape.size();
    frame.regions.push_back({0, region * shape.height, shape.width, shape.height});
    for (std::size_t at = 0; at < 3 * plane; ++at) {
      const std::size_t channel = shape.channels == 3 ? at % 3 : 0;
      const float number = numbers[first + channel * plane + at / 3];
      picture.pixels[3 * static_cast<std::size_t>(region) * plane + at] =
          static_cast<std::uint8_t>(std::lround(std::clamp(number, 0.0F, 1.0F) * 255.0F));
    }
  }
  return frame;
}

}  // namespace saccade::runtime
