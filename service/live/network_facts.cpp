#include "service/live/network_facts.hpp"

#include <algorithm>

#include "service/api/infer_outputs.hpp"
#include "service/api/infer_request.hpp"
#include "vision/decode/output_port.hpp"

namespace saccade::service {
namespace {

using profiles::ElementType;
using profiles::NetworkTask;

// As an engine gives it: fp16 has become fp32 by then.
const char* datatype_of_port(const vision::OutputPort& port) {
  switch (port.type.value_or(ElementType::fp32)) {
    case ElementType::uint8:
    case ElementType::int8:
      return "UINT8";
    case ElementType::int32:
      return "INT32";
    case ElementType::int64:
      return "INT64";
    case ElementType::fp32:
    case ElementType::fp16:
      break;
  }
  return "FP32";
}

// Of those that the engine gives, the ones that the interface names, or all.
std::vector<NetworkTensor> handed_on(const profiles::TensorDecoder& decoder,
                                     const std::vector<vision::OutputPort>& ports) {
  std::vector<NetworkTensor> tensors;
  for (const vision::OutputPort& port : ports) {
    const auto& names = decoder.outputs;
    if (!names.empty() && std::find(names.begin(), names.end(), port.name) == names.end()) continue;
    tensors.push_back({port.name, datatype_of_port(port), port.shape.value_or(std::vector<std::int64_t>())});
  }
  return tensors;
}

std::string input_name_of(const profiles::ModelInterface& interface) {
  const bool named = interface.task != NetworkTask::classify && !interface.input.name.empty();
  return named ? interface.input.name : kInferInput;
}

}  // namespace

NetworkFacts network_facts(const runtime::RunOutline& run, const runtime::TaskOutline& task) {
  const profiles::ProfileSet& set = *task.profiles;
  const profiles::InputShape& input = set.input;
  NetworkFacts facts;
  facts.kind = set.interface.task;
  facts.platform = "saccade";
  facts.region_count = std::max(1, runtime::region_count(task.regions));
  for (const profiles::Variant& variant : set.variants) facts.versions.push_back(variant.id.str());
  if (task.variant) facts.serving = facts.versions.at(*task.variant);
  facts.inputs = {{input_name_of(set.interface),
                   "FP32",
                   {facts.region_count, input.channels, input.height, input.width}}};
  facts.outputs =
      declared_outputs(facts.kind, facts.region_count, static_cast<std::int64_t>(set.labels.size()));
  const auto* const tensor = std::get_if<profiles::TensorDecoder>(&set.interface.decoder);
  if (tensor != nullptr && task.outputs) facts.outputs = handed_on(*tensor, *task.outputs);
  facts.pushed = task.pushed;
  facts.task = task.index;
  facts.input = input;
  facts.takes = runtime::inputs_of(set);
  facts.regions = task.regions;
  facts.labels = set.labels;
  for (const scheduler::Processor& processor : run.wanted->processors)
    facts.processors.push_back(processor.id.str());
  return facts;
}

}  // namespace saccade::service
