// The zoo's yard detector as a profile set made in code, and scenes whose objects are known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "images/scene_generator.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/sources/frame_source.hpp"
#include "vision/accuracy/matching.hpp"

namespace saccade::test {

struct YardVariant {
  std::string model;  // "w0.50-fp32"
  int side = 0;       // of its input, a multiple of 32
};

// The set's input is that of the first variant. The better variants are larger and slower.
inline profiles::ProfileSet yard_detector(const std::vector<YardVariant>& variants) {
  profiles::ProfileSet set;
  set.network = "yard-detector";
  set.device = {"test", {ProcessorId("cpu")}, std::nullopt};
  set.directory = std::filesystem::path(SACCADE_SOURCE_DIR) / "profiles/zoo/yard-detector";
  set.labels = images::SceneGenerator::find("yard")->labels();
  set.input = {variants.front().side, variants.front().side, 3};
  set.interface.task = profiles::NetworkTask::detect;
  set.interface.metric = "map";
  set.interface.input = {};
  set.interface.input.name = "images";
  set.interface.input.resize = profiles::Resize::letterbox;
  auto& yolo = set.interface.decoder.emplace<profiles::YoloDecoder>();
  yolo.output = "output0";
  yolo.layout = profiles::YoloLayout::anchors_last;
  for (const YardVariant& wanted : variants) {
    profiles::Variant variant;
    variant.id = VariantId(wanted.model + "-" + std::to_string(wanted.side));
    variant.model = wanted.model + ".onnx";
    variant.interface = set.interface;
    variant.interface->input.width = variant.interface->input.height = wanted.side;
    const auto rank = static_cast<double>(set.variants.size() + 1);
    variant.accuracy = 0.2 + 0.1 * rank;
    variant.frame_time[ProcessorId("cpu")] = Seconds(1e-3 * rank);
    variant.memory = Bytes(1e6 * rank);
    variant.load_time = Seconds(1e-3);
    set.variants.push_back(std::move(variant));
  }
  return set;
}

inline vision::Truths truths_of(const images::LabelledScene& scene) {
  vision::Truths truths;
  for (const images::LabelledBox& box : scene.boxes) {
    vision::Truth& truth = truths.emplace_back();
    truth.box = {static_cast<float>(box.left), static_cast<float>(box.top), static_cast<float>(box.width),
                 static_cast<float>(box.height)};
    truth.label = box.label;
  }
  return truths;
}

inline images::LabelledScene yard_scene(std::uint64_t index, cv::Size size = {224, 224}) {
  return images::SceneGenerator::find("yard")->make(images::Split::live, index, size);
}

// As a source delivers it that reduces nothing.
inline runtime::Frame frame_of_scene(const images::LabelledScene& scene) {
  runtime::Frame frame;
  runtime::Picture& picture = runtime::renew(frame.picture);
  picture.resize(scene.bgr.cols, scene.bgr.rows);
  const auto* const first = scene.bgr.ptr<std::uint8_t>();
  std::copy(first, first + scene.bgr.total() * 3, picture.pixels.begin());
  frame.regions = {picture.whole()};
  frame.truths = truths_of(scene);
  frame.truths_known = true;
  return frame;
}

}  // namespace saccade::test
