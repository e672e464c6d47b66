#include "runtime/sources/held_out_images.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/sources/frame_tensor.hpp"
#include "runtime/sources/procedural/image_generator.hpp"

namespace saccade::runtime {

namespace {

std::optional<ImageGenerator> generator_of(const std::vector<std::string>& labels) {
  for (const std::string& name : ImageGenerator::names()) {
    const auto generator = ImageGenerator::find(name);
    if (generator && generator->labels() == labels) return generator;
  }
  return std::nullopt;
}

}  // namespace

profiles::InputShape drawn_shape() { return {kImageSide, kImageSide, kImageChannels}; }

Result<LabelledImages> held_out_images(const std::vector<std::string>& labels,
                                       const profiles::InputShape& input, std::size_t count) {
  const auto generator = generator_of(labels);
  if (!generator) {
    return Error{"labels", "no data set has the labels of this network, so its accuracy cannot be measured",
                 "--quick takes the accuracies over from the profile set"};
  }
  if (input.channels != kImageChannels) {
    return Error{"input",
                 "the images of data set '" + std::string(generator->name()) + "' have " +
                     std::to_string(kImageChannels) + " channels, the network takes " +
                     std::to_string(input.channels),
                 ""};
  }
  auto images = std::make_shared<std::vector<LabelledImage>>();
  images->reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    images->push_back(generator->make(Split::held_out, index));
  }
  auto tensor = std::make_shared<FrameTensor>(WholeFrame{}, input);
  auto buffer = std::make_shared<std::vector<float>>();
  const auto write = [images, tensor, buffer](std::size_t index, float* planes) {
    const LabelledImage& image = images->at(index);
    SACCADE_CHECK(tensor->write(image.bgr, *buffer));
    std::copy(buffer->begin(), buffer->end(), planes);
    return image.label;
  };
  return LabelledImages{count, write};
}

}  // namespace saccade::runtime
