#include "runtime/engines/onnxruntime_engine.hpp"

#ifdef SACCADE_WITH_ONNXRUNTIME
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/engines/kept_tensors.hpp"
#include "runtime/engines/model_ports.hpp"
#include "runtime/engines/prepared_input.hpp"
#include "runtime/pictures/half.hpp"

namespace saccade::runtime::onnxruntime {
namespace {

using profiles::ElementType;

// A tensor that an engine keeps from one inference to the next; the library writes to it or reads from it in
// place.
struct KeptTensor {
  std::vector<std::int64_t> shape;
  std::vector<std::byte> memory;
  Handle<OrtValue> value;
};

class OnnxRuntimeEngine final : public Engine {
 public:
  // `spec` as the graph has it: names, layout and type of the input are there. `outputs`: those that are
  // wanted.
  OnnxRuntimeEngine(const Library& library, Handle<OrtSession> session, const EngineSpec& spec,
                    const std::vector<Port>& constants, std::vector<Port> outputs, DeviceStream stream)
      : library_(library),
        stream_(std::move(stream)),
        session_(std::move(session)),
        where_(spec.model.string()),
        batch_(spec.batch),
        classes_(spec.classes),
        constants_(spec.takes_tensors() ? std::vector<profiles::ConstantInput>() : spec.constants),
        input_width_(spec.input.width),
        input_height_(spec.input.height),
        ports_(std::move(outputs)) {
    OrtRunOptions* made = nullptr;
    if (!failure(*library_.api, library_.api->CreateRunOptions(&made))) run_options_.reset(made);
    if (spec.takes_tensors()) {
      keep_tensors(spec.tensors);
    } else {
      keep_picture(spec, constants);
    }
    for (Port& port : ports_) {
      if (classes_ > 0) port.shape = {batch_, static_cast<std::int64_t>(classes_)};
      KeptTensor& kept = outputs_.emplace_back(KeptTensor{port.shape, {}, none()});
      if (const auto bytes = bytes_of(port.shape, *port.type)) kept.memory.resize(*bytes);
    }
    widened_.resize(outputs_.size());
  }

  // Binds the memory that is kept. After it the constants have their values for a frame of the input's size.
  std::optional<std::string> bind() {
    std::optional<std::string> failed;
    for (std::size_t i = 0; i < inputs_.size() && !failed; ++i)
      failed = wrap(input_memory(i), inputs_[i].shape, input_type(i), inputs_[i].value);
    for (std::size_t i = 0; i < outputs_.size() && !failed; ++i) {
      if (!bytes_of(ports_[i].shape, *ports_[i].type)) continue;  // the library takes memory for it
      failed = wrap(outputs_[i].memory, outputs_[i].shape, *ports_[i].type, outputs_[i].value);
    }
    write_constants(input_width_, input_height_);
    return failed;
  }

  // Binds memory of the device in addition, between which and what is kept every inference copies.
  std::optional<std::string> bind_on_device(int device) {
    std::vector<DevicePort> inputs;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      inputs.push_back({input_names_[i], input_memory(i), inputs_[i].shape, input_type(i)});
    std::vector<DevicePort> outputs;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (is_open(i)) return "'" + ports_[i].name + "' has no fixed size, so that no graph can be captured";
      outputs.push_back({ports_[i].name, outputs_[i].memory, outputs_[i].shape, *ports_[i].type});
    }
    auto bound = DeviceBinding::make(library_, *session_, device, stream_.get(), inputs, outputs);
    if (!bound) return to_string(bound.errors());
    device_ = std::move(bound).value();
    return std::nullopt;
  }

  Status prepare(std::size_t place, const Picture& picture, const PixelBox& region) override {
    if (!input_) return no_picture();
    write_constants(picture.frame_width, picture.frame_height);
    return input_->prepare(place, picture, region);
  }
  Status prepare(std::span<const float> planes) override {
    if (!input_) return no_picture();
    write_constants(input_width_, input_height_);
    return input_->prepare(planes);
  }
  Status take(std::span<const vision::TensorView> tensors) override {
    if (input_) return Engine::take(tensors);
    Errors errors;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const auto given = std::find_if(tensors.begin(), tensors.end(), [&](const vision::TensorView& tensor) {
        return tensor.name == tensors_[i].name;
      });
      if (given == tensors.end() || !copy_tensor(*given, tensors_[i].type, inputs_[i].memory))
        errors.push_back({where_,
                          "'" + tensors_[i].name +
                              (given == tensors.end() ? "' is missing" : "' has another type or size"),
                          "the stage before it gives something else"});
    }
    if (!errors.empty()) return errors;
    return Done{};
  }

  Status infer(Outputs& outputs) override {
    if (device_) return infer_on_device(outputs);
    const OrtApi& api = *library_.api;
    run_inputs_.clear();
    run_input_names_.clear();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      run_inputs_.push_back(inputs_[i].value.get());
      run_input_names_.push_back(input_names_[i].c_str());
    }
    run_outputs_.clear();
    run_output_names_.clear();
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (is_open(i)) outputs_[i].value.reset();
      run_outputs_.push_back(outputs_[i].value.get());
      run_output_names_.push_back(ports_[i].name.c_str());
    }
    auto failed = failure(api, api.Run(session_.get(), run_options_.get(), run_input_names_.data(),
                                       run_inputs_.data(), run_inputs_.size(), run_output_names_.data(),
                                       run_output_names_.size(), run_outputs_.data()));
    outputs.resize(outputs_.size());
    for (std::size_t i = 0; i < outputs_.size() && !failed; ++i) {
      if (is_open(i)) {
        outputs_[i].value.reset(run_outputs_[i]);
        failed = read_shape(outputs_[i]);
      }
      if (!failed) failed = show(i, outputs[i]);
    }
    if (failed) return Error{where_, "the inference failed: " + *failed, ""};
    return Done{};
  }

  void stop() override {
    // What the library says to it changes nothing: the caller waits for infer() to return, or does not.
    if (run_options_) (void)failure(*library_.api, library_.api->RunOptionsSetTerminate(run_options_.get()));
  }

  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override {
    std::vector<vision::OutputPort> outputs;
    for (const Port& port : ports_) outputs.push_back({port.name, port.shape, port.type});
    return outputs;
  }
  [[nodiscard]] int batch() const override { return batch_; }
  [[nodiscard]] std::size_t classes() const override { return classes_; }

 private:
  Status infer_on_device(Outputs& outputs) {
    auto failed = device_->run(run_options_.get());
    outputs.resize(outputs_.size());
    for (std::size_t i = 0; i < outputs_.size() && !failed; ++i) failed = show(i, outputs[i]);
    if (failed) return Error{where_, "the inference failed: " + *failed, kCudaHint};
    return Done{};
  }
  // Input 0 is the picture where the engine takes one, and the constants follow; else all are tensors of a
  // stage.
  std::span<std::byte> input_memory(std::size_t i) {
    return input_ && i == 0 ? input_->bytes() : std::span<std::byte>(inputs_[i].memory);
  }
  [[nodiscard]] ElementType input_type(std::size_t i) const {
    if (!input_) return tensors_[i].type;
    return i == 0 ? input_->type() : constants_[i - 1].type;
  }
  void keep_picture(const EngineSpec& spec, const std::vector<Port>& constants) {
    input_.emplace(spec);
    input_names_.push_back(spec.input.name);
    inputs_.push_back({{input_->shape().begin(), input_->shape().end()}, {}, none()});
    for (const Port& constant : constants) {
      input_names_.push_back(constant.name);
      KeptTensor& kept = inputs_.emplace_back(KeptTensor{constant.shape, {}, none()});
      for (std::int64_t& side : kept.shape) side = side < 0 ? batch_ : side;
      kept.memory.resize(bytes_of(kept.shape, *constant.type).value_or(0));
    }
  }
  void keep_tensors(const std::vector<profiles::StageTensor>& tensors) {
    tensors_ = tensors;
    for (const profiles::StageTensor& tensor : tensors_) {
      input_names_.push_back(tensor.name);
      KeptTensor& kept = inputs_.emplace_back(KeptTensor{tensor.shape, {}, none()});
      kept.memory.resize(elements_of(tensor.shape) * size_of(tensor.type));
    }
  }
  [[nodiscard]] Status no_picture() const {
    return Error{where_, "is a later stage of a network and takes no picture", ""};
  }

  [[nodiscard]] Handle<OrtValue> none() const { return {nullptr, Released{library_.api}}; }
  [[nodiscard]] bool is_open(std::size_t output) const {
    return !bytes_of(ports_[output].shape, *ports_[output].type);
  }

  std::optional<std::string> wrap(std::span<std::byte> memory, std::span<const std::int64_t> shape,
                                  ElementType type, Handle<OrtValue>& value) {
    OrtValue* made = nullptr;
    auto failed = failure(*library_.api, library_.api->CreateTensorWithDataAsOrtValue(
                                             library_.cpu_memory, memory.data(), memory.size(), shape.data(),
                                             shape.size(), element_of(type), &made));
    value.reset(made);
    return failed;
  }

  // The values of a constant follow each other until its tensor is full: one set per place of the batch.
  void write_constants(int frame_width, int frame_height) {
    const auto number = [&](const std::variant<double, profiles::Dimension>& value) -> double {
      if (const double* given = std::get_if<double>(&value)) return *given;
      switch (std::get<profiles::Dimension>(value)) {
        case profiles::Dimension::input_width:
          return input_width_;
        case profiles::Dimension::input_height:
          return input_height_;
        case profiles::Dimension::frame_width:
          return frame_width;
        case profiles::Dimension::frame_height:
          break;
      }
      return frame_height;
    };
    for (std::size_t i = 0; i < constants_.size(); ++i) {
      const profiles::ConstantInput& constant = constants_[i];
      std::vector<std::byte>& memory = inputs_[i + 1].memory;
      const std::size_t each = size_of(constant.type);
      for (std::size_t at = 0; at < memory.size() / each; ++at) {
        const double value = number(constant.value[at % constant.value.size()]);
        const auto put = [&](auto element) {
          std::memcpy(memory.data() + at * each, &element, sizeof element);
        };
        if (constant.type == ElementType::int64) put(static_cast<std::int64_t>(value));
        if (constant.type == ElementType::int32) put(static_cast<std::int32_t>(value));
        if (constant.type == ElementType::fp32) put(static_cast<float>(value));
      }
    }
  }

  std::optional<std::string> read_shape(KeptTensor& tensor) const {
    const OrtApi& api = *library_.api;
    OrtTensorTypeAndShapeInfo* made = nullptr;
    if (auto failed = failure(api, api.GetTensorTypeAndShape(tensor.value.get(), &made))) return failed;
    const Handle<OrtTensorTypeAndShapeInfo> info(made, Released{&api});
    std::size_t rank = 0;
    if (auto failed = failure(api, api.GetDimensionsCount(made, &rank))) return failed;
    tensor.shape.resize(rank);
    return failure(api, api.GetDimensions(made, tensor.shape.data(), rank));
  }

  std::optional<std::string> show(std::size_t output, vision::TensorView& view) {
    const KeptTensor& tensor = outputs_[output];
    void* data = nullptr;
    if (auto failed = failure(*library_.api, library_.api->GetTensorMutableData(tensor.value.get(), &data)))
      return failed;
    std::size_t count = 1;
    for (const std::int64_t side : tensor.shape) count *= static_cast<std::size_t>(side);
    view.name = ports_[output].name;
    view.shape = tensor.shape;
    switch (*ports_[output].type) {
      case ElementType::fp16: {
        std::vector<float>& wide = widened_[output];
        wide.resize(count);
        const auto* const halves = static_cast<const std::uint16_t*>(data);
        std::transform(halves, halves + count, wide.begin(), from_half);
        view.data = std::span<const float>(wide);
        break;
      }
      case ElementType::int64:
        view.data = std::span(static_cast<const std::int64_t*>(data), count);
        break;
      case ElementType::int32:
        view.data = std::span(static_cast<const std::int32_t*>(data), count);
        break;
      case ElementType::uint8:
        view.data = std::span(static_cast<const std::uint8_t*>(data), count);
        break;
      case ElementType::fp32:
      case ElementType::int8:  // refused when it was loaded
        view.data = std::span(static_cast<const float*>(data), count);
        break;
    }
    return std::nullopt;
  }

  const Library& library_;
  DeviceStream stream_;  // outlives the session that works on it
  Handle<OrtSession> session_;
  std::unique_ptr<DeviceBinding> device_;  // null: inputs and outputs are the host's
  std::string where_;
  int batch_;
  std::size_t classes_;
  std::optional<PreparedInput> input_;          // absent: a later stage of a network
  std::vector<profiles::StageTensor> tensors_;  // its inputs
  std::vector<profiles::ConstantInput> constants_;
  int input_width_;
  int input_height_;
  std::vector<Port> ports_;  // of the outputs
  std::vector<std::string> input_names_;
  std::vector<KeptTensor> inputs_;  // the picture's, whose memory is input_'s, and the constants; or tensors
  std::vector<KeptTensor> outputs_;
  std::vector<std::vector<float>> widened_;  // outputs of 16 bits
  // What a run is given, as the library wants it.
  std::vector<const OrtValue*> run_inputs_;
  std::vector<const char*> run_input_names_;
  std::vector<OrtValue*> run_outputs_;
  std::vector<const char*> run_output_names_;
  Handle<OrtRunOptions> run_options_{nullptr, Released{library_.api}};
};

// --- What the graph declares ----------------------------------------------------------------------

std::string take(OrtAllocator* allocator, char* name) {
  std::string text = name;
  allocator->Free(allocator, name);
  return text;
}

std::optional<std::string> read_shape(const OrtApi& api, const Handle<OrtTypeInfo>& type, Port& port) {
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;  // belongs to `type`
  if (auto failed = failure(api, api.CastTypeInfoToTensorInfo(type.get(), &tensor))) return failed;
  if (tensor == nullptr) return "'" + port.name + "' is not a tensor";
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  if (auto failed = failure(api, api.GetTensorElementType(tensor, &element))) return failed;
  port.type = type_of(element);
  std::size_t rank = 0;
  if (auto failed = failure(api, api.GetDimensionsCount(tensor, &rank))) return failed;
  port.shape.resize(rank);
  return failure(api, api.GetDimensions(tensor, port.shape.data(), rank));
}

std::optional<std::string> read_ports(const OrtApi& api, const OrtSession& session, std::vector<Port>& inputs,
                                      std::vector<Port>& outputs) {
  std::size_t count = 0;
  if (auto failed = failure(api, api.SessionGetInputCount(&session, &count))) return failed;
  inputs.resize(count);
  if (auto failed = failure(api, api.SessionGetOutputCount(&session, &count))) return failed;
  outputs.resize(count);
  OrtAllocator* allocator = nullptr;
  if (auto failed = failure(api, api.GetAllocatorWithDefaultOptions(&allocator))) return failed;
  const auto read = [&](std::vector<Port>& ports, auto get_name,
                        auto get_type) -> std::optional<std::string> {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      char* name = nullptr;
      OrtTypeInfo* type = nullptr;
      if (auto failed = failure(api, get_name(&session, i, allocator, &name))) return failed;
      ports[i].name = take(allocator, name);
      if (auto failed = failure(api, get_type(&session, i, &type))) return failed;
      if (auto failed = read_shape(api, Handle<OrtTypeInfo>(type, Released{&api}), ports[i])) return failed;
    }
    return std::nullopt;
  };
  if (auto failed = read(inputs, api.SessionGetInputName, api.SessionGetInputTypeInfo)) return failed;
  return read(outputs, api.SessionGetOutputName, api.SessionGetOutputTypeInfo);
}

}  // namespace

Result<std::unique_ptr<Engine>> make_engine(const Library& library, Handle<OrtSession> session,
                                            const EngineSpec& spec, DeviceStream stream) {
  const bool on_device = stream != nullptr && spec.graphs;
  const std::string where = spec.model.string();
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  if (const auto failed = read_ports(*library.api, *session, inputs, outputs))
    return Error{where, *failed, ""};
  EngineSpec fitted = spec;
  std::vector<Port> constants;
  if (auto errors = match_ports(fitted, inputs, constants, outputs); !errors.empty()) return errors;
  auto engine = std::make_unique<OnnxRuntimeEngine>(library, std::move(session), fitted, constants,
                                                    std::move(outputs), std::move(stream));
  if (const auto failed = engine->bind()) return Error{where, "cannot be loaded: " + *failed, ""};
  if (on_device) {
    if (const auto failed = engine->bind_on_device(spec.device)) {
      return Error{where, "cannot be bound in the device's memory: " + *failed,
                   "\"graphs\": false serves it without"};
    }
  }
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace saccade::runtime::onnxruntime
#endif
