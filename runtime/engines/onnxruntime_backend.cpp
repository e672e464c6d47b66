#include "runtime/engines/onnxruntime_backend.hpp"

#ifdef SACCADE_WITH_ONNXRUNTIME
#include <dlfcn.h>
#include <onnxruntime_c_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "runtime/engines/model_file.hpp"
#include "runtime/engines/stderr_filter.hpp"
#include "runtime/machine.hpp"

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
  void operator()(OrtValue* value) const { api->ReleaseValue(value); }
  void operator()(OrtTypeInfo* info) const { api->ReleaseTypeInfo(info); }
  void operator()(OrtCUDAProviderOptionsV2* options) const { api->ReleaseCUDAProviderOptions(options); }
};
template <class T>
using Handle = std::unique_ptr<T, Released>;

// One input or output of a model: its name, and its shape with negative numbers where it is open.
struct Port {
  std::string name;
  bool is_float = false;
  std::vector<std::int64_t> shape;
};

std::string to_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) {
    if (!text.empty()) text += " x ";
    text += size < 0 ? std::string("any") : std::to_string(size);
  }
  return text;
}

bool fits(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& wanted) {
  return std::equal(shape.begin(), shape.end(), wanted.begin(), wanted.end(),
                    [](std::int64_t has, std::int64_t wants) { return has < 0 || has == wants; });
}

class OnnxRuntimeEngine final : public Engine {
 public:
  OnnxRuntimeEngine(const Library& library, Handle<OrtSession> session, const EngineSpec& spec,
                    std::string input_name, std::string output_name)
      : library_(library),
        session_(std::move(session)),
        where_(spec.model.string()),
        batch_(spec.batch),
        classes_(spec.classes),
        input_size_(spec.input.size()),
        input_name_(std::move(input_name)),
        output_name_(std::move(output_name)),
        input_shape_{spec.batch, spec.input.channels, spec.input.height, spec.input.width},
        logits_shape_{spec.batch, static_cast<std::int64_t>(spec.classes)} {}

  Status infer(std::span<const float> input, std::span<float> logits) override {
    const std::size_t images = static_cast<std::size_t>(batch_);
    SACCADE_CHECK(input.size() == images * input_size_);
    SACCADE_CHECK(logits.size() == images * classes_);
    const OrtApi& api = *library_.api;
    // The library takes inputs by a pointer it does not write through.
    auto failed = wrap(const_cast<float*>(input.data()), input.size_bytes(), input_shape_, input_);
    if (!failed) failed = wrap(logits.data(), logits.size_bytes(), logits_shape_, logits_);
    if (!failed) {
      const char* const input_name = input_name_.c_str();
      const char* const output_name = output_name_.c_str();
      const OrtValue* const input_value = input_.get();
      OrtValue* logits_value = logits_.get();
      failed = failure(api, api.Run(session_.get(), nullptr, &input_name, &input_value, 1, &output_name, 1,
                                    &logits_value));
    }
    if (failed) return Error{where_, "the inference failed: " + *failed, ""};
    return Done{};
  }

  [[nodiscard]] int batch() const override { return batch_; }
  [[nodiscard]] std::size_t classes() const override { return classes_; }

 private:
  template <std::size_t kRank>
  std::optional<std::string> wrap(float* data, std::size_t bytes,
                                  const std::array<std::int64_t, kRank>& shape, Handle<OrtValue>& value) {
    OrtValue* made = nullptr;
    auto failed = failure(*library_.api, library_.api->CreateTensorWithDataAsOrtValue(
                                             library_.cpu_memory, data, bytes, shape.data(), kRank,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &made));
    value.reset(made);
    return failed;
  }

  const Library& library_;
  Handle<OrtSession> session_;
  std::string where_;
  int batch_;
  std::size_t classes_;
  std::size_t input_size_;
  std::string input_name_;
  std::string output_name_;
  std::array<std::int64_t, 4> input_shape_;
  std::array<std::int64_t, 2> logits_shape_;
  Handle<OrtValue> input_{nullptr, Released{library_.api}};
  Handle<OrtValue> logits_{nullptr, Released{library_.api}};
};

class OnnxRuntimeBackend final : public EngineBackend {
 public:
  OnnxRuntimeBackend(const Library& library, std::shared_ptr<const GraphCache> cache)
      : library_(library), cache_(std::move(cache)) {}

  [[nodiscard]] std::string name() const override { return "onnxruntime"; }
  [[nodiscard]] std::string version() const override { return "onnxruntime " + library_.version; }
  [[nodiscard]] bool keeps_graphs() const override { return cache_ != nullptr; }

  [[nodiscard]] Result<std::unique_ptr<Engine>> load(const EngineSpec& spec) const override {
    SACCADE_CHECK(spec.batch > 0 && spec.classes > 0 && spec.input.size() > 0);
    const auto bytes = read_model(spec.model, spec.sha256);
    if (!bytes) return bytes.errors();
    auto options = session_options(spec);
    if (!options) return options.errors();

    const std::string where = spec.model.string();
    Handle<OrtSession> session(nullptr, released());
    if (const auto failed = open_session(spec, bytes.value(), *options.value(), session)) {
      return Error{where, "cannot be loaded: " + *failed, "the file is damaged or not an ONNX model"};
    }
    Port input;
    Port output;
    if (const auto failed = read_ports(*session, input, output)) return Error{where, *failed, ""};
    if (auto errors = compare(spec, input, output); !errors.empty()) return errors;
    return std::unique_ptr<Engine>(std::make_unique<OnnxRuntimeEngine>(
        library_, std::move(session), spec, std::move(input.name), std::move(output.name)));
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
    if (spec.provider == "cuda") return with_cuda(std::move(options), spec);
    return Error{"processor '" + spec.processor.str() + "'",
                 "execution provider '" + spec.provider + "' is not known", "\"cpu\" or \"cuda\""};
  }

  [[nodiscard]] Result<Handle<OrtSessionOptions>> with_cuda(Handle<OrtSessionOptions> options,
                                                            const EngineSpec& spec) const {
    const OrtApi& api = *library_.api;
    const std::string where = "processor '" + spec.processor.str() + "'";
    if (!offers("CUDAExecutionProvider")) {
      return Error{where, "this build of ONNX Runtime has no execution provider 'cuda'",
                   "use provider \"cpu\", or install ONNX Runtime with CUDA"};
    }
    OrtCUDAProviderOptionsV2* made = nullptr;
    auto failed = failure(api, api.CreateCUDAProviderOptions(&made));
    const Handle<OrtCUDAProviderOptionsV2> cuda(made, released());
    if (!failed) {
      failed = failure(api, api.SessionOptionsAppendExecutionProvider_CUDA_V2(options.get(), cuda.get()));
    }
    if (failed) return Error{where, "execution provider 'cuda' cannot be used: " + *failed, ""};
    return options;
  }

  [[nodiscard]] bool offers(std::string_view provider) const {
    char** names = nullptr;
    int count = 0;
    if (failure(*library_.api, library_.api->GetAvailableProviders(&names, &count))) return false;
    const bool found = std::find(names, names + count, provider) != names + count;
    OrtStatus* const status = library_.api->ReleaseAvailableProviders(names, count);
    return !failure(*library_.api, status) && found;
  }

  // From the optimised graph where one is kept, else from the model, whose optimised graph is kept then.
  // The kept graph is used only after the model's own hash was found right: its key holds that hash.
  [[nodiscard]] std::optional<std::string> open_session(const EngineSpec& spec, const ModelBytes& model,
                                                        OrtSessionOptions& options,
                                                        Handle<OrtSession>& session) const {
    if (!cache_ || spec.provider != "cpu" || !spec.optimised) return create_session(model, options, session);
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
    static std::mutex first_sessions;
    const std::lock_guard lock(first_sessions);
    std::optional<std::string> failed;
    {
      const StderrFilter quiet(kHarmlessNoise);
      failed = create();
    }
    if (!failed) noise_is_over = true;
    return failed;
  }

  [[nodiscard]] std::optional<std::string> read_ports(const OrtSession& session, Port& input,
                                                      Port& output) const {
    const OrtApi& api = *library_.api;
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    if (auto failed = failure(api, api.SessionGetInputCount(&session, &inputs))) return failed;
    if (auto failed = failure(api, api.SessionGetOutputCount(&session, &outputs))) return failed;
    if (inputs != 1 || outputs != 1) {
      return "the model has " + std::to_string(inputs) + " inputs and " + std::to_string(outputs) +
             " outputs instead of one each";
    }
    OrtAllocator* allocator = nullptr;
    if (auto failed = failure(api, api.GetAllocatorWithDefaultOptions(&allocator))) return failed;
    char* name = nullptr;
    OrtTypeInfo* type = nullptr;
    if (auto failed = failure(api, api.SessionGetInputName(&session, 0, allocator, &name))) return failed;
    input.name = take(allocator, name);
    if (auto failed = failure(api, api.SessionGetInputTypeInfo(&session, 0, &type))) return failed;
    if (auto failed = read_shape(Handle<OrtTypeInfo>(type, released()), input)) return failed;
    if (auto failed = failure(api, api.SessionGetOutputName(&session, 0, allocator, &name))) return failed;
    output.name = take(allocator, name);
    if (auto failed = failure(api, api.SessionGetOutputTypeInfo(&session, 0, &type))) return failed;
    return read_shape(Handle<OrtTypeInfo>(type, released()), output);
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
    port.is_float = element == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
    std::size_t rank = 0;
    if (auto failed = failure(api, api.GetDimensionsCount(tensor, &rank))) return failed;
    port.shape.resize(rank);
    return failure(api, api.GetDimensions(tensor, port.shape.data(), rank));
  }

  [[nodiscard]] static Errors compare(const EngineSpec& spec, const Port& input, const Port& output) {
    const std::vector<std::int64_t> images{spec.batch, spec.input.channels, spec.input.height,
                                           spec.input.width};
    const std::vector<std::int64_t> logits{spec.batch, static_cast<std::int64_t>(spec.classes)};
    Errors errors;
    const auto complain = [&](const std::string& what) {
      errors.push_back({spec.model.string(), what, "the model and its profile set do not belong together"});
    };
    for (const Port* port : {&input, &output}) {
      if (!port->is_float) complain("'" + port->name + "' does not hold float32 numbers");
    }
    if (!fits(input.shape, images)) {
      complain("the model takes " + to_text(input.shape) + " instead of " + to_text(images));
    }
    if (!fits(output.shape, logits)) {
      complain("the model answers " + to_text(output.shape) + " instead of " + to_text(logits));
    }
    return errors;
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
