#include "runtime/sources/held_out_images.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "images/image_generator.hpp"
#include "images/scene_generator.hpp"
#include "runtime/sources/drawn_scene.hpp"
#include "runtime/sources/frame_picture.hpp"

namespace saccade::runtime {

namespace {

constexpr std::size_t kHeldOutImages = 4000;
constexpr std::size_t kHeldOutScenes = 1000;

template <class Generator>
std::optional<Generator> generator_of(const std::vector<std::string>& labels) {
  for (const std::string& name : Generator::names()) {
    const auto generator = Generator::find(name);
    if (generator && generator->labels() == labels) return generator;
  }
  return std::nullopt;
}

bool finds_objects(const profiles::ProfileSet& set) {
  return set.interface.task == profiles::NetworkTask::detect;
}

struct DrawnImage {
  cv::Mat bgr;
  PictureTruth truth;
};

// `draw(index)` gives a DrawnImage.
template <class Draw>
LabelledImages drawn_images(const NetworkInputs& inputs, std::size_t count, const Draw& draw) {
  auto images = std::make_shared<std::vector<DrawnImage>>();
  images->reserve(count);
  for (std::size_t index = 0; index < count; ++index) images->push_back(draw(index));
  auto pictures = std::make_shared<FramePicture>(WholeFrame{}, inputs);
  auto frame = std::make_shared<Frame>();
  const auto show = [images, pictures, frame](std::size_t index, Picture& picture) -> Result<PictureTruth> {
    const DrawnImage& image = images->at(index);
    SACCADE_CHECK(pictures->write(image.bgr, *frame));
    picture = *frame->picture;
    return image.truth;
  };
  return LabelledImages{count, show};
}

Error no_data_set() {
  return {"labels", "no data set has the labels of this network, so its accuracy cannot be measured",
          "--data WHAT measures it on your own labelled pictures; --quick takes the accuracies over from the "
          "profile set"};
}

}  // namespace

profiles::InputShape drawn_shape() {
  return {images::kImageSide, images::kImageSide, images::kImageChannels};
}

std::size_t held_out_count(const profiles::ProfileSet& set) {
  return finds_objects(set) ? kHeldOutScenes : kHeldOutImages;
}

Result<LabelledImages> held_out_images(const profiles::ProfileSet& set, std::size_t count) {
  const auto generator = generator_of<images::ImageGenerator>(set.labels);
  const auto scenes = generator_of<images::SceneGenerator>(set.labels);
  if (finds_objects(set) ? !scenes : !generator) return no_data_set();
  const NetworkInputs inputs = inputs_of(set);
  const std::string name(finds_objects(set) ? scenes->name() : generator->name());
  if (inputs.channels != images::kImageChannels) {
    return Error{"input",
                 "the images of data set '" + name + "' have " + std::to_string(images::kImageChannels) +
                     " channels, the network takes " + std::to_string(inputs.channels),
                 ""};
  }
  if (!finds_objects(set)) {
    return drawn_images(inputs, count, [&](std::size_t index) {
      images::LabelledImage image = generator->make(images::Split::held_out, index);
      return DrawnImage{std::move(image.bgr), {image.label, {}}};
    });
  }
  LabelledImages drawn = drawn_images(inputs, count, [&](std::size_t index) {
    images::LabelledScene scene = scenes->make(images::Split::held_out, index);
    return DrawnImage{std::move(scene.bgr), {-1, truths_of(scene.boxes)}};
  });
  drawn.name = "the first " + std::to_string(count) + " held-out scenes of data set " + name;
  drawn.identity = drawn.name;
  return drawn;
}

}  // namespace saccade::runtime
