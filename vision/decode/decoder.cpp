#include "vision/decode/decoder.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "base/check.hpp"
#include "vision/decode/activation.hpp"
#include "vision/decode/complaints.hpp"
#include "vision/decode/score_scan.hpp"

namespace saccade::vision {
namespace {

using profiles::ClassifyDecoder;
using profiles::DetrDecoder;
using profiles::ElementType;
using profiles::ModelInterface;
using profiles::NetworkTask;
using profiles::SsdDecoder;
using profiles::TensorDecoder;
using profiles::YoloDecoder;

constexpr std::size_t kMostHandedOn = 16U << 20U;  // bytes
constexpr std::size_t kBadShare = 100;             // more than one row in that many

NetworkTask task_of(const profiles::Decoder& decoder) {
  if (std::holds_alternative<ClassifyDecoder>(decoder)) return NetworkTask::classify;
  if (std::holds_alternative<TensorDecoder>(decoder)) return NetworkTask::tensor;
  return NetworkTask::detect;
}

OutputSpec check_classify(const ClassifyDecoder& spec, Complaints& complaints) {
  OutputSpec scores{spec.output, 1, complaints.labels(), kAnySize, true};
  const OutputPort* const port = complaints.output("output", scores);
  const std::vector<std::int64_t> own = own_shape(port, 1);
  if (own.empty() || fits(own[0], complaints.labels())) {
    complaints.check_shape("output", scores);
  } else {
    complaints.wrong_classes("output", *port, own[0]);
  }
  return scores;
}

std::size_t bytes_of(ElementType type) {
  switch (type) {
    case ElementType::uint8:
    case ElementType::int8:
      return 1;
    case ElementType::int64:
      return 8;
    default:
      return 4;  // fp16 is fp32 when it leaves the engine
  }
}

// Bytes of a shape whose dimensions are all known; 0 else. Stops counting far above the limit.
std::size_t known_bytes(const OutputPort& port) {
  std::size_t bytes = bytes_of(port.type.value_or(ElementType::fp32));
  if (!port.shape) return 0;
  for (const std::int64_t size : *port.shape) {
    if (size <= 0) return 0;
    bytes = std::min(bytes * std::min(static_cast<std::size_t>(size), 2 * kMostHandedOn), 2 * kMostHandedOn);
  }
  return bytes;
}

void check_tensors(const TensorDecoder& spec, Complaints& complaints) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < spec.outputs.size(); ++i) {
    OutputSpec output;
    output.name = spec.outputs[i];
    output.floats = false;
    const OutputPort* const port = complaints.ports().empty() ? nullptr : complaints.port(output.name);
    if (port != nullptr) bytes += known_bytes(*port);
    if (port == nullptr && !complaints.ports().empty())
      complaints.add("outputs/" + std::to_string(i), "the graph has no output '" + output.name + "'",
                     "it has " + ports_text(complaints.ports()));
  }
  if (spec.outputs.empty())
    for (const OutputPort& port : complaints.ports()) bytes += known_bytes(port);
  if (bytes > kMostHandedOn)
    complaints.add("outputs", "the outputs have more than 16 MiB: " + ports_text(complaints.ports()),
                   "name those that are needed");
}

// D-FINE and RT-DETR scale their boxes to orig_target_sizes. Only the input's size can be undone, which knows
// of the letterbox.
void check_constants(const ModelInterface& interface, Errors& errors) {
  const auto* const detr = std::get_if<DetrDecoder>(&interface.decoder);
  if (detr == nullptr || detr->unit != profiles::BoxUnit::input_pixels) return;
  for (std::size_t i = 0; i < interface.constants.size(); ++i) {
    for (const auto& value : interface.constants[i].value) {
      const auto* const size = std::get_if<profiles::Dimension>(&value);
      if (size == nullptr || *size == profiles::Dimension::input_width ||
          *size == profiles::Dimension::input_height) {
        continue;
      }
      errors.push_back(
          {"/interface/constants/" + std::to_string(i) + "/value",
           "the boxes would be in pixels of the frame; `unit` says that they are in pixels of the "
           "input",
           "use input_width and input_height"});
      break;
    }
  }
}

}  // namespace

Decoder::Decoder(const ModelInterface& interface)
    : task_(interface.task),
      score_threshold_(static_cast<float>(interface.selection.score_threshold)),
      selection_(interface.selection) {}

Result<Decoder> Decoder::make(const ModelInterface& interface, std::size_t labels, PixelSize input,
                              std::span<const OutputPort> outputs) {
  SACCADE_CHECK(input.width > 0 && input.height > 0);
  Complaints complaints(labels, input, outputs);
  if (task_of(interface.decoder) != interface.task) {
    complaints.add("type", "the decoder does not belong to the interface's task",
                   "classify has `classify`; detect has `yolo`, `ssd` or `detr`; tensor has `tensor`");
    return complaints.take();
  }
  if (labels == 0 && interface.task != NetworkTask::tensor) {
    complaints.add("", "there are no labels",
                   "give the labels that the network was trained with, in its order");
    return complaints.take();
  }
  Decoder decoder(interface);
  if (const auto* const classify = std::get_if<ClassifyDecoder>(&interface.decoder)) {
    decoder.activation_ = classify->activation;
    decoder.class_scores_ = check_classify(*classify, complaints);
  } else if (const auto* const tensor = std::get_if<TensorDecoder>(&interface.decoder)) {
    decoder.handed_on_ = tensor->outputs;
    check_tensors(*tensor, complaints);
  } else if (const auto* const yolo = std::get_if<YoloDecoder>(&interface.decoder)) {
    decoder.detector_ = make_yolo(*yolo, complaints);
  } else if (const auto* const ssd = std::get_if<SsdDecoder>(&interface.decoder)) {
    decoder.detector_ = make_ssd(*ssd, complaints);
  } else {
    decoder.detector_ = make_detr(std::get<DetrDecoder>(interface.decoder), complaints);
  }
  Errors errors = complaints.take();
  check_constants(interface, errors);
  if (!errors.empty()) return errors;
  return decoder;
}

Decoded Decoder::decode(std::span<const TensorView> outputs, const Placement& placement, Objects& objects,
                        std::size_t picture) {
  SACCADE_CHECK(task_ == NetworkTask::detect);
  Decoded decoded;
  if (!detector_->bind(outputs, picture)) {
    decoded.fault = Fault::outputs;
    return decoded;
  }
  candidates_.clear();
  const RowCount rows = detector_->scan(score_threshold_, candidates_);
  decoded.rows = rows.rows;
  decoded.bad_rows = rows.bad;
  decoded.unlabelled = rows.unlabelled;
  const std::size_t before = objects.size();
  const SelectionCount selected = selection_.select(*detector_, candidates_, placement, objects);
  decoded.beyond = selected.beyond;
  decoded.bad_rows += selected.bad;
  if (decoded.bad_rows * kBadShare > decoded.rows) {
    decoded.fault = Fault::numbers;
    objects.resize(before);
  }
  return decoded;
}

Classified Decoder::classify(std::span<const TensorView> outputs, std::size_t picture) const {
  SACCADE_CHECK(task_ == NetworkTask::classify);
  const std::optional<Table> table = find_table(class_scores_, outputs, picture);
  if (!table) return {Fault::outputs, -1, 0.0F};
  const std::span<const float> values(table->floats, table->rows);
  if (!all_finite(values.data(), values.size(), 1)) return {Fault::numbers, -1, 0.0F};
  const std::size_t best = index_of_largest(values.data(), values.size(), 1);
  float score = values[best];
  if (activation_ == profiles::Activation::softmax) score = softmax_of(values, best);
  if (activation_ == profiles::Activation::sigmoid) score = sigmoid_of(values[best]);
  return {Fault::none, static_cast<int>(best), std::clamp(score, 0.0F, 1.0F)};
}

Fault Decoder::hand_on(std::span<const TensorView> outputs, std::vector<const TensorView*>& handed) const {
  SACCADE_CHECK(task_ == NetworkTask::tensor);
  handed.clear();
  std::size_t bytes = 0;
  const auto add = [&](const TensorView& view) {
    handed.push_back(&view);
    bytes += std::visit([](const auto& data) { return data.size_bytes(); }, view.data);
  };
  for (const std::string& name : handed_on_) {
    const auto found = std::find_if(outputs.begin(), outputs.end(),
                                    [&](const TensorView& view) { return view.name == name; });
    if (found == outputs.end()) return Fault::outputs;
    add(*found);
  }
  if (handed_on_.empty()) std::for_each(outputs.begin(), outputs.end(), add);
  return bytes > kMostHandedOn ? Fault::outputs : Fault::none;
}

}  // namespace saccade::vision
