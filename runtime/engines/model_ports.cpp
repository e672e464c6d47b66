#include "runtime/engines/model_ports.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/engines/prepared_input.hpp"

namespace saccade::runtime {
namespace {

using profiles::ElementType;

std::string to_text(std::span<const std::int64_t> shape) {
  std::string text;
  for (const std::int64_t size : shape) {
    if (!text.empty()) text += " x ";
    text += size < 0 ? std::string("any") : std::to_string(size);
  }
  return text;
}

// "'output0' (1 x 84 x any), 'output1' (any)"
std::string to_text(const std::vector<Port>& ports) {
  std::string text;
  for (const Port& port : ports)
    text += (text.empty() ? "'" : ", '") + port.name + "' (" + to_text(port.shape) + ")";
  return text;
}

bool fits(std::span<const std::int64_t> shape, std::span<const std::int64_t> wanted) {
  return std::equal(shape.begin(), shape.end(), wanted.begin(), wanted.end(),
                    [](std::int64_t has, std::int64_t wants) { return has < 0 || has == wants; });
}

Error mismatch(const EngineSpec& spec, const std::string& what) {
  return {spec.model.string(), what, "the model and its profile set do not belong together"};
}

const Port* port_named(const std::vector<Port>& ports, const std::string& name) {
  const auto found =
      std::find_if(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name; });
  return found == ports.end() ? nullptr : &*found;
}

Errors match_picture(EngineSpec& spec, const Port& port) {
  Errors errors;
  spec.input.name = port.name;
  const bool plain = spec.channels != profiles::channels_of(spec.input.color);  // numbers only
  const ElementType wanted =
      spec.input.type.value_or(plain ? ElementType::fp32 : port.type.value_or(ElementType::fp32));
  if (port.type != wanted || (plain && wanted != ElementType::fp32) ||
      (wanted != ElementType::fp32 && wanted != ElementType::fp16 && wanted != ElementType::uint8)) {
    errors.push_back(mismatch(spec, "'" + port.name + "' does not hold float32 numbers"));
  } else if (wanted == ElementType::uint8 && spec.input.scale != 1.0) {
    errors.push_back(mismatch(spec, "'" + port.name + "' holds bytes, which cannot be scaled"));
  }
  spec.input.type = wanted;
  if (!spec.input.layout && port.shape.size() == 4 && !plain) {
    const bool last = port.shape[1] != spec.channels && port.shape[3] == spec.channels;
    spec.input.layout = last ? profiles::TensorLayout::nhwc : profiles::TensorLayout::nchw;
  }
  const auto images = shape_of(spec);
  if (!fits(port.shape, images)) {
    errors.push_back(
        mismatch(spec, "the model takes " + to_text(port.shape) + " instead of " + to_text(images)));
  }
  return errors;
}

Errors match_inputs(EngineSpec& spec, const std::vector<Port>& inputs, std::vector<Port>& constants) {
  Errors errors;
  for (const profiles::ConstantInput& constant : spec.constants) {
    const Port* const port = port_named(inputs, constant.name);
    const bool known = constant.type == ElementType::fp32 || constant.type == ElementType::int32 ||
                       constant.type == ElementType::int64;
    if (port == nullptr) {
      errors.push_back(mismatch(spec, "the model has no input '" + constant.name + "'"));
    } else if (port->type != constant.type || !known || constant.value.empty()) {
      errors.push_back(
          mismatch(spec, "'" + constant.name + "' does not hold numbers of the constant's type"));
    } else {
      constants.push_back(*port);
    }
  }
  const Port* picture = nullptr;
  for (const Port& port : inputs) {
    if (port_named(constants, port.name) != nullptr) continue;
    if (port.name == spec.input.name || (spec.input.name.empty() && picture == nullptr)) {
      picture = &port;
    } else {
      errors.push_back(mismatch(spec, "the model also takes '" + port.name + "', which nothing gives"));
    }
  }
  if (picture == nullptr) {
    errors.push_back(mismatch(spec, "the model has no input '" + spec.input.name + "'"));
  } else if (errors.empty()) {
    errors = match_picture(spec, *picture);
  }
  return errors;
}

Errors match_tensors(const EngineSpec& spec, const std::vector<Port>& inputs) {
  Errors errors;
  for (const profiles::StageTensor& tensor : spec.tensors) {
    const Port* const port = port_named(inputs, tensor.name);
    if (port == nullptr) {
      errors.push_back(
          mismatch(spec, "the model has no input '" + tensor.name + "'; it has " + to_text(inputs)));
    } else if (port->type != tensor.type) {
      errors.push_back(mismatch(spec, "'" + tensor.name + "' holds numbers of another type"));
    } else if (!fits(port->shape, tensor.shape)) {
      errors.push_back(
          mismatch(spec, "the model takes " + to_text(port->shape) + " instead of " + to_text(tensor.shape)));
    }
  }
  for (const Port& port : inputs) {
    const bool given =
        std::any_of(spec.tensors.begin(), spec.tensors.end(),
                    [&](const profiles::StageTensor& tensor) { return tensor.name == port.name; });
    if (!given)
      errors.push_back(mismatch(spec, "the model also takes '" + port.name + "', which nothing gives"));
  }
  return errors;
}

Errors match_outputs(const EngineSpec& spec, std::vector<Port>& outputs) {
  Errors errors;
  std::vector<Port> wanted;
  for (const std::string& name : spec.outputs) {
    const Port* const port = port_named(outputs, name);
    if (port != nullptr) wanted.push_back(*port);
    if (port == nullptr)
      errors.push_back(mismatch(spec, "the model has no output '" + name + "'; it has " + to_text(outputs)));
  }
  if (!spec.outputs.empty()) outputs = std::move(wanted);
  if (outputs.empty()) return errors;
  if (spec.classes > 0) {
    outputs.resize(1);
    const std::array<std::int64_t, 2> logits{spec.batch, static_cast<std::int64_t>(spec.classes)};
    const Port& port = outputs.front();
    if (port.type != ElementType::fp32 && port.type != ElementType::fp16)
      errors.push_back(mismatch(spec, "'" + port.name + "' does not hold float32 numbers"));
    if (!fits(port.shape, logits)) {
      errors.push_back(
          mismatch(spec, "the model answers " + to_text(port.shape) + " instead of " + to_text(logits)));
    }
  }
  for (const Port& port : outputs) {
    if (!port.type || port.type == ElementType::int8)
      errors.push_back(mismatch(spec, "'" + port.name + "' holds numbers of a type that nothing takes"));
  }
  return errors;
}

}  // namespace

std::optional<std::size_t> bytes_of(std::span<const std::int64_t> shape, ElementType type) {
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  std::size_t bytes = size_of(type);
  for (const std::int64_t side : shape) {
    if (side < 0) return std::nullopt;
    if (side > 0 && bytes > kMost / static_cast<std::size_t>(side)) return std::nullopt;
    bytes *= static_cast<std::size_t>(side);
  }
  return bytes;
}

Errors match_ports(EngineSpec& spec, const std::vector<Port>& inputs, std::vector<Port>& constants,
                   std::vector<Port>& outputs) {
  const bool one_input =
      spec.takes_tensors() || !spec.input.name.empty() || inputs.size() == 1 + spec.constants.size();
  const bool one_output = spec.classes == 0 || !spec.outputs.empty() || outputs.size() == 1;
  if (inputs.empty() || !one_input || !one_output) {
    return {{spec.model.string(),
             "the model has " + std::to_string(inputs.size()) + " inputs and " +
                 std::to_string(outputs.size()) + " outputs instead of one each",
             ""}};
  }
  Errors errors = spec.takes_tensors() ? match_tensors(spec, inputs) : match_inputs(spec, inputs, constants);
  for (Error& error : match_outputs(spec, outputs)) errors.push_back(std::move(error));
  return errors;
}

}  // namespace saccade::runtime
