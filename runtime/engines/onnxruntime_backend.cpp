#include "runtime/engines/onnxruntime_backend.hpp"

#ifdef SACCADE_WITH_ONNXRUNTIME
#include <dlfcn.h>
#include <onnxruntime_c_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "runtime/engines/model_file.hpp"
#include "runtime/engines/model_ports.hpp"
#include "runtime/engines/prepared_input.hpp"
#include "runtime/engines/stderr_filter.hpp"
#include "runtime/machine/machine.hpp"
#include "runtime/pictures/half.hpp"

namespace saccade::runtime {

namespace {

constexpr const char* kWhere = "ONNX Runtime";
// A build of the library that was linked with a shared ONNX registers every operator twice and says
// so, a thousand times, when it first builds a graph.
constexpr const char* kHarmlessNoise = "Schema error";

// The loaded library: its function table and its environment. Lives until the process ends.
struct Library {
  const OrtApi* api = nullptr;
  OrtEnv* env = nullptr;
  OrtMemoryInfo* cpu_memory = nullptr;
  std::string version;
};

// The text of a failed call; nothing when it succeeded.
std::optional<std::string> failure(const OrtApi& api, OrtStatus* status) {
  if (status == nullptr) return std::nullopt;
  std::string text = api.GetErrorMessage(status);
  api.ReleaseStatus(status);
  return text;
}

Result<Library> open_library() {
  void* handle = nullptr;
  for (const char* file : {SACCADE_ONNXRUNTIME_LIBRARY, "libonnxruntime.so.1"}) {
    handle = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) break;
  }
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    return Error{kWhere, std::string("cannot be loaded: ") + (reason != nullptr ? reason : "not found"),
                 "scripts/setup provides it"};
  }
  using GetApiBase = const OrtApiBase*(ORT_API_CALL*)();
  const auto get_api_base = reinterpret_cast<GetApiBase>(::dlsym(handle, "OrtGetApiBase"));
  if (get_api_base == nullptr) return Error{kWhere, "the library has no OrtGetApiBase", ""};

  Library library;
  library.version = get_api_base()->GetVersionString();
  const StderrFilter quiet(kHarmlessNoise);
  library.api = get_api_base()->GetApi(ORT_API_VERSION);
  if (library.api == nullptr) {
    return Error{kWhere,
                 "version " + library.version + " does not offer C API " + std::to_string(ORT_API_VERSION) +
                     ", which Saccade was built with",
                 "install one version of the library and its headers, and build again"};
  }
  // Errors come back as values; the library's own log says nothing that they do not.
  auto failed =
      failure(*library.api, library.api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "saccade", &library.env));
  if (!failed) {
    failed = failure(*library.api, library.api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault,
                                                                    &library.cpu_memory));
  }
  if (failed) return Error{kWhere, "cannot be started: " + *failed, ""};
  return library;
}

const Result<Library>& shared_library() {
  static const auto* const library = new Result<Library>(open_library());  // never destroyed
  return *library;
}

struct Released {
  const OrtApi* api;
  void operator()(OrtSession* session) const { api->ReleaseSession(session); }
  void operator()(OrtSessionOptions* options) const { api->ReleaseSessionOptions(options); }
  void operator()(OrtRunOptions* options) const { api->ReleaseRunOptions(options); }
  void operator()(OrtValue* value) const { api->ReleaseValue(value); }
  void operator()(OrtTypeInfo* info) const { api->ReleaseTypeInfo(info); }
  void operator()(OrtTensorTypeAndShapeInfo* info) const { api->ReleaseTensorTypeAndShapeInfo(info); }
};
template <class T>
using Handle = std::unique_ptr<T, Released>;

using profiles::ElementType;

constexpr std::array kElements{
    std::pair{ElementType::fp32, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},
    std::pair{ElementType::fp16, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16},
    std::pair{ElementType::uint8, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8},
    std::pair{ElementType::int8, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8},
    std::pair{ElementType::int32, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32},
    std::pair{ElementType::int64, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64},
};
ONNXTensorElementDataType element_of(ElementType type) {
  for (const auto& [ours, theirs] : kElements) {
    if (ours == type) return theirs;
  }
  check_failed("known element type", __FILE__, __LINE__);
}

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
                    const std::vector<Port>& constants, std::vector<Port> outputs)
      : library_(library),
        session_(std::move(session)),
        where_(spec.model.string()),
        batch_(spec.batch),
        classes_(spec.classes),
        input_(spec),
        constants_(spec.constants),
        input_width_(spec.input.width),
        input_height_(spec.input.height),
        ports_(std::move(outputs)) {
    OrtRunOptions* made = nullptr;
    if (!failure(*library_.api, library_.api->CreateRunOptions(&made))) run_options_.reset(made);
    input_names_.push_back(spec.input.name);
    inputs_.push_back({{input_.shape().begin(), input_.shape().end()}, {}, none()});
    for (const Port& constant : constants) {
      input_names_.push_back(constant.name);
      KeptTensor& kept = inputs_.emplace_back(KeptTensor{constant.shape, {}, none()});
      for (std::int64_t& side : kept.shape) side = side < 0 ? batch_ : side;
      kept.memory.resize(bytes_of(kept.shape, *constant.type).value_or(0));
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
    auto failed = wrap(input_.bytes(), inputs_[0].shape, input_.type(), inputs_[0].value);
    for (std::size_t i = 1; i < inputs_.size() && !failed; ++i) {
      failed = wrap(inputs_[i].memory, inputs_[i].shape, constants_[i - 1].type, inputs_[i].value);
    }
    for (std::size_t i = 0; i < outputs_.size() && !failed; ++i) {
      if (!bytes_of(ports_[i].shape, *ports_[i].type)) continue;  // the library takes memory for it
      failed = wrap(outputs_[i].memory, outputs_[i].shape, *ports_[i].type, outputs_[i].value);
    }
    write_constants(input_width_, input_height_);
    return failed;
  }

  Status prepare(std::size_t place, const Picture& picture, const PixelBox& region) override {
    write_constants(picture.frame_width, picture.frame_height);
    return input_.prepare(place, picture, region);
  }
  Status prepare(std::span<const float> planes) override {
    write_constants(input_width_, input_height_);
    return input_.prepare(planes);
  }

  Status infer(Outputs& outputs) override {
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
  Handle<OrtSession> session_;
  std::string where_;
  int batch_;
  std::size_t classes_;
  PreparedInput input_;
  std::vector<profiles::ConstantInput> constants_;
  int input_width_;
  int input_height_;
  std::vector<Port> ports_;  // of the outputs
  std::vector<std::string> input_names_;
  std::vector<KeptTensor> inputs_;  // the picture's, whose memory is input_'s, and the constants
  std::vector<KeptTensor> outputs_;
  std::vector<std::vector<float>> widened_;  // outputs of 16 bits
  // What a run is given, as the library wants it.
  std::vector<const OrtValue*> run_inputs_;
  std::vector<const char*> run_input_names_;
  std::vector<OrtValue*> run_outputs_;
  std::vector<const char*> run_output_names_;
  Handle<OrtRunOptions> run_options_{nullptr, Released{library_.api}};
};

class OnnxRuntimeBackend final : public EngineBackend {
 public:
  OnnxRuntimeBackend(const Library& library, std::shared_ptr<const GraphCache> cache)
      : library_(library), cache_(std::move(cache)) {}

  [[nodiscard]] std::string name() const override { return "onnxruntime"; }
  [[nodiscard]] std::string version() const override { return "onnxruntime " + library_.version; }
  [[nodiscard]] bool keeps_graphs() const override { return cache_ != nullptr; }

  [[nodiscard]] Result<std::unique_ptr<Engine>> load(const EngineSpec& spec) const override {
    SACCADE_CHECK(spec.batch > 0 && spec.input_size() > 0);
    const auto bytes = read_model(spec.model, spec.sha256);
    if (!bytes) return bytes.errors();
    auto options = session_options(spec);
    if (!options) return options.errors();

    const std::string where = spec.model.string();
    Handle<OrtSession> session(nullptr, released());
    if (const auto failed = open_session(spec, bytes.value(), *options.value(), session)) {
      return Error{where, "cannot be loaded: " + *failed, "the file is damaged or not an ONNX model"};
    }
    std::vector<Port> inputs;
    std::vector<Port> outputs;
    if (const auto failed = read_ports(*session, inputs, outputs)) return Error{where, *failed, ""};
    EngineSpec fitted = spec;
    std::vector<Port> constants;
    if (auto errors = match_ports(fitted, inputs, constants, outputs); !errors.empty()) return errors;
    auto engine = std::make_unique<OnnxRuntimeEngine>(library_, std::move(session), fitted, constants,
                                                      std::move(outputs));
    if (const auto failed = engine->bind()) return Error{where, "cannot be loaded: " + *failed, ""};
    return std::unique_ptr<Engine>(std::move(engine));
  }

 private:
  [[nodiscard]] Released released() const { return Released{library_.api}; }

  [[nodiscard]] Result<Handle<OrtSessionOptions>> session_options(const EngineSpec& spec) const {
    const OrtApi& api = *library_.api;
    OrtSessionOptions* made = nullptr;
    auto failed = failure(api, api.CreateSessionOptions(&made));
    Handle<OrtSessionOptions> options(made, released());
    if (!failed) failed = failure(api, api.SetSessionExecutionMode(made, ORT_SEQUENTIAL));
    if (!failed) failed = failure(api, api.SetIntraOpNumThreads(made, 1));
    if (!failed) failed = failure(api, api.SetInterOpNumThreads(made, 1));
    if (!failed)
      failed = failure(
          api, api.SetSessionGraphOptimizationLevel(made, spec.optimised ? ORT_ENABLE_ALL : ORT_DISABLE_ALL));
    if (!failed) failed = failure(api, api.SetSessionLogSeverityLevel(made, ORT_LOGGING_LEVEL_FATAL));
    // The arena holds activations alone. Without it large batches are given back to the kernel after every
    // inference and faulted in again, which makes frame times fall into two groups up to 1.8 times apart.
    if (!failed) {
      failed =
          failure(api, api.AddSessionConfigEntry(made, "session.use_device_allocator_for_initializers", "1"));
    }
    if (failed) return Error{kWhere, *failed, ""};
    if (spec.provider == "cpu") return options;
    return Error{"processor '" + spec.processor.str() + "'",
                 "execution provider '" + spec.provider + "' is not supported", "use \"cpu\""};
  }

  // From the optimised graph where one is kept, else from the model, whose optimised graph is kept then.
  // The kept graph is used only after the model's own hash was found right: its key holds that hash.
  [[nodiscard]] std::optional<std::string> open_session(const EngineSpec& spec, const ModelBytes& model,
                                                        OrtSessionOptions& options,
                                                        Handle<OrtSession>& session) const {
    if (!cache_ || !spec.optimised) return create_session(model, options, session);
    const OrtApi& api = *library_.api;
    const std::string key = "model " + (spec.sha256.empty() ? sha256_hex(model) : spec.sha256) + "\n" +
                            version() + " cpu, all optimisations\n" + cpu_;
    const auto plain = [&] { return create_session(model, options, session); };
    if (const auto graph = cache_->find(key)) {
      if (graph->empty()) return plain();
      if (failure(api, api.SetSessionGraphOptimizationLevel(&options, ORT_DISABLE_ALL))) return plain();
      if (!create_session(*graph, options, session)) return std::nullopt;
      cache_->store(key, {});  // whole, and the library cannot read back what it wrote
      const auto failed = failure(api, api.SetSessionGraphOptimizationLevel(&options, ORT_ENABLE_ALL));
      return failed ? failed : plain();
    }
    Handle<OrtSessionOptions> writing(nullptr, released());
    OrtSessionOptions* made = nullptr;
    const std::filesystem::path scratch = cache_->scratch_file();
    auto failed = failure(api, api.CloneSessionOptions(&options, &made));
    writing.reset(made);
    if (!failed) failed = failure(api, api.SetOptimizedModelFilePath(made, scratch.c_str()));
    if (!failed) failed = create_session(model, *made, session);
    if (!failed) cache_->adopt(key, scratch);
    std::error_code gone;
    std::filesystem::remove(scratch, gone);
    return failed ? plain() : std::nullopt;  // a full disk is no reason not to load
  }

  [[nodiscard]] std::optional<std::string> create_session(const ModelBytes& bytes,
                                                          const OrtSessionOptions& options,
                                                          Handle<OrtSession>& session) const {
    const OrtApi& api = *library_.api;
    const auto create = [&] {
      OrtSession* made = nullptr;
      auto failed =
          failure(api, api.CreateSessionFromArray(library_.env, bytes.data(), bytes.size(), &options, &made));
      session.reset(made);
      return failed;
    };
    static std::atomic<bool> noise_is_over = false;
    if (noise_is_over) return create();
    static Mutex first_sessions;
    const Lock lock(first_sessions);
    std::optional<std::string> failed;
    {
      const StderrFilter quiet(kHarmlessNoise);
      failed = create();
    }
    if (!failed) noise_is_over = true;
    return failed;
  }

  [[nodiscard]] std::optional<std::string> read_ports(const OrtSession& session, std::vector<Port>& inputs,
                                                      std::vector<Port>& outputs) const {
    const OrtApi& api = *library_.api;
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
        if (auto failed = read_shape(Handle<OrtTypeInfo>(type, released()), ports[i])) return failed;
      }
      return std::nullopt;
    };
    if (auto failed = read(inputs, api.SessionGetInputName, api.SessionGetInputTypeInfo)) return failed;
    return read(outputs, api.SessionGetOutputName, api.SessionGetOutputTypeInfo);
  }

  [[nodiscard]] static std::string take(OrtAllocator* allocator, char* name) {
    std::string text = name;
    allocator->Free(allocator, name);
    return text;
  }

  [[nodiscard]] std::optional<std::string> read_shape(Handle<OrtTypeInfo> type, Port& port) const {
    const OrtApi& api = *library_.api;
    const OrtTensorTypeAndShapeInfo* tensor = nullptr;  // belongs to `type`
    if (auto failed = failure(api, api.CastTypeInfoToTensorInfo(type.get(), &tensor))) return failed;
    if (tensor == nullptr) return "'" + port.name + "' is not a tensor";
    ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    if (auto failed = failure(api, api.GetTensorElementType(tensor, &element))) return failed;
    for (const auto& [ours, theirs] : kElements) {
      if (theirs == element) port.type = ours;
    }
    std::size_t rank = 0;
    if (auto failed = failure(api, api.GetDimensionsCount(tensor, &rank))) return failed;
    port.shape.resize(rank);
    return failure(api, api.GetDimensions(tensor, port.shape.data(), rank));
  }

  const Library& library_;
  std::shared_ptr<const GraphCache> cache_;  // null = none
  std::string cpu_ = instruction_set();      // the optimiser chooses layouts by it
};

}  // namespace

Result<std::unique_ptr<EngineBackend>> make_onnxruntime_backend(std::shared_ptr<const GraphCache> cache) {
  const Result<Library>& library = shared_library();
  if (!library) return library.errors();
  return std::unique_ptr<EngineBackend>(
      std::make_unique<OnnxRuntimeBackend>(library.value(), std::move(cache)));
}

}  // namespace saccade::runtime

#else

namespace saccade::runtime {

Result<std::unique_ptr<EngineBackend>> make_onnxruntime_backend(std::shared_ptr<const GraphCache>) {
  return Error{"ONNX Runtime", "Saccade was built without it", "scripts/setup provides it; then build again"};
}

}  // namespace saccade::runtime

#endif
