#include "service/api/infer_outputs.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.hpp"
#include "vision/decode/objects.hpp"

namespace saccade::service {
namespace {

constexpr std::array kDatatypes{"BYTES", "FP32", "INT64", "INT32", "UINT8"};  // by index of TensorData

std::string label_text(const std::vector<std::string>& labels, std::int64_t number) {
  const auto index = static_cast<std::size_t>(number);
  return index < labels.size() ? labels[index] : std::to_string(number);
}

std::vector<OutputTensor> of_regions(const NetworkFacts& facts, const std::vector<float>& logits) {
  const auto regions = static_cast<std::size_t>(facts.region_count);
  SACCADE_CHECK(regions > 0 && logits.size() % regions == 0);
  const std::size_t count = logits.size() / regions;
  std::vector<std::string> labels;
  std::vector<std::int64_t> classes;
  for (auto region = logits.begin(); region != logits.end(); region += static_cast<std::ptrdiff_t>(count)) {
    classes.push_back(std::max_element(region, region + static_cast<std::ptrdiff_t>(count)) - region);
    labels.push_back(label_text(facts.labels, classes.back()));
  }
  return {{"label", {facts.region_count}, std::move(labels)},
          {"class", {facts.region_count}, std::move(classes)},
          {"logits", {facts.region_count, static_cast<std::int64_t>(count)}, logits}};
}

std::vector<OutputTensor> of_objects(const NetworkFacts& facts, const vision::Objects& objects) {
  std::vector<float> boxes;
  std::vector<float> scores;
  std::vector<std::int64_t> classes;
  std::vector<std::string> labels;
  std::vector<std::int32_t> regions;
  for (const vision::Object& object : objects) {
    const vision::Box& box = object.box;
    boxes.insert(boxes.end(), {box.x, box.y, box.x + box.width, box.y + box.height});
    scores.push_back(object.score);
    classes.push_back(object.label);
    labels.push_back(label_text(facts.labels, object.label));
    regions.push_back(object.region);
  }
  const auto count = static_cast<std::int64_t>(objects.size());
  return {{"boxes", {count, 4}, std::move(boxes)},
          {"scores", {count}, std::move(scores)},
          {"class", {count}, std::move(classes)},
          {"label", {count}, std::move(labels)},
          {"region", {count}, std::move(regions)}};
}

std::vector<OutputTensor> of_tensors(const std::vector<runtime::NamedTensor>& tensors) {
  std::vector<OutputTensor> outputs;
  for (const runtime::NamedTensor& tensor : tensors) {
    outputs.push_back({tensor.name, tensor.shape, {}});
    std::visit([&](const auto& numbers) { outputs.back().data = numbers; }, tensor.data);
  }
  return outputs;
}

}  // namespace

const char* datatype_of(const TensorData& data) { return kDatatypes[data.index()]; }

std::vector<NetworkTensor> declared_outputs(profiles::NetworkTask kind, std::int64_t regions,
                                            std::int64_t classes) {
  constexpr std::int64_t kAnyNumber = -1;  // of objects
  switch (kind) {
    case profiles::NetworkTask::classify:
      return {{"label", "BYTES", {regions}},
              {"class", "INT64", {regions}},
              {"logits", "FP32", {regions, classes}}};
    case profiles::NetworkTask::detect:
      return {{"boxes", "FP32", {kAnyNumber, 4}},
              {"scores", "FP32", {kAnyNumber}},
              {"class", "INT64", {kAnyNumber}},
              {"label", "BYTES", {kAnyNumber}},
              {"region", "INT32", {kAnyNumber}}};
    case profiles::NetworkTask::tensor:
      break;
  }
  return {};
}

std::vector<OutputTensor> outputs_of(const NetworkFacts& facts, const runtime::FrameAnswer& answer) {
  switch (facts.kind) {
    case profiles::NetworkTask::classify:
      return of_regions(facts, answer.logits);
    case profiles::NetworkTask::detect:
      return of_objects(facts, answer.objects);
    case profiles::NetworkTask::tensor:
      break;
  }
  return of_tensors(answer.tensors);
}

}  // namespace saccade::service
