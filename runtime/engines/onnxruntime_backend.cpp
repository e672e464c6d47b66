#include "runtime/engines/onnxruntime_backend.hpp"

#ifdef SACCADE_WITH_ONNXRUNTIME
#include <atomic>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "runtime/engines/model_file.hpp"
#include "runtime/engines/onnxruntime_cuda.hpp"
#include "runtime/engines/onnxruntime_engine.hpp"
#include "runtime/engines/owned_engine.hpp"
#include "runtime/engines/stderr_filter.hpp"
#include "runtime/machine/machine.hpp"

namespace saccade::runtime {
namespace {

using onnxruntime::failure;
using onnxruntime::Handle;
using onnxruntime::kHarmlessNoise;
using onnxruntime::kWhere;
using onnxruntime::Library;
using onnxruntime::Released;

class OnnxRuntimeBackend final : public EngineBackend {
 public:
  OnnxRuntimeBackend(const Library& library, std::shared_ptr<const GraphCache> cache)
      : library_(library), cache_(std::move(cache)) {}

  [[nodiscard]] std::string name() const override { return "onnxruntime"; }
  [[nodiscard]] std::string version() const override { return "onnxruntime " + library_.version; }
  [[nodiscard]] bool keeps_graphs() const override { return cache_ != nullptr; }

  [[nodiscard]] Result<std::unique_ptr<Engine>> load(const EngineSpec& spec) const override {
    SACCADE_CHECK(spec.batch > 0 && (spec.takes_tensors() || spec.input_size() > 0));
    if (spec.provider != "cuda") return load_here(spec);
    const auto make = [&](const EngineSpec& fitting) -> Result<std::unique_ptr<Engine>> {
      if (Status begun = onnxruntime::begin_cuda(fitting); !begun) return begun.errors();
      return load_here(fitting);
    };
    return make_owned_engine(*device_threads_, spec, make);
  }

 private:
  [[nodiscard]] Released released() const { return Released{library_.api}; }

  // On the calling thread.
  [[nodiscard]] Result<std::unique_ptr<Engine>> load_here(const EngineSpec& spec) const {
    const auto bytes = read_model(spec.model, spec.sha256);
    if (!bytes) return bytes.errors();
    auto options = session_options(spec);
    if (!options) return options.errors();
    const bool cuda = spec.provider == "cuda";
    onnxruntime::DeviceStream stream;
    if (cuda) {
      auto made = onnxruntime::add_cuda(library_, spec, *options.value());
      if (!made) return made.errors();
      stream = std::move(made).value();
    }
    const std::string where = spec.model.string();
    Handle<OrtSession> session(nullptr, released());
    if (const auto failed = open_session(spec, bytes.value(), *options.value(), session)) {
      return Error{where, "cannot be loaded: " + *failed,
                   cuda ? onnxruntime::kCudaHint : "the file is damaged or not an ONNX model"};
    }
    return onnxruntime::make_engine(library_, std::move(session), spec, std::move(stream));
  }

  [[nodiscard]] Result<Handle<OrtSessionOptions>> session_options(const EngineSpec& spec) const {
    const OrtApi& api = *library_.api;
    OrtSessionOptions* made = nullptr;
    auto failed = failure(api, api.CreateSessionOptions(&made));
    Handle<OrtSessionOptions> options(made, released());
    if (!failed) failed = failure(api, api.SetSessionExecutionMode(made, ORT_SEQUENTIAL));
    if (!failed) failed = failure(api, api.SetIntraOpNumThreads(made, spec.threads));
    // Engines take turns on a processor: threads of one that wait actively would take the time of the next.
    if (!failed && spec.threads > 1) {
      failed = failure(api, api.AddSessionConfigEntry(made, "session.intra_op.allow_spinning", "0"));
    }
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
    if (spec.provider == "cpu" || spec.provider == "cuda") return options;
    return Error{"processor '" + spec.processor.str() + "'",
                 "execution provider '" + spec.provider + "' is not supported", "use \"cpu\" or \"cuda\""};
  }

  // From the optimised graph where one is kept, else from the model, whose optimised graph is kept then.
  // The kept graph is used only after the model's own hash was found right: its key holds that hash.
  [[nodiscard]] std::optional<std::string> open_session(const EngineSpec& spec, const ModelBytes& model,
                                                        OrtSessionOptions& options,
                                                        Handle<OrtSession>& session) const {
    if (!cache_ || !spec.optimised || spec.provider != "cpu") return create_session(model, options, session);
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

  const Library& library_;
  std::shared_ptr<const GraphCache> cache_;  // null = none
  std::string cpu_ = instruction_set();      // the optimiser chooses layouts by it
  std::shared_ptr<DeviceThreads> device_threads_ = DeviceThreads::make(nullptr);  // of accelerators
};

}  // namespace

Result<std::unique_ptr<EngineBackend>> make_onnxruntime_backend(std::shared_ptr<const GraphCache> cache,
                                                                const std::string& library_folder) {
  const Result<const Library*> library = onnxruntime::shared_library(library_folder);
  if (!library) return library.errors();
  return std::unique_ptr<EngineBackend>(
      std::make_unique<OnnxRuntimeBackend>(*library.value(), std::move(cache)));
}

std::optional<OnnxRuntimePlace> onnxruntime_place(const std::string& library_folder) {
  const Result<const Library*> library = onnxruntime::shared_library(library_folder);
  if (!library) return std::nullopt;
  return OnnxRuntimePlace{library.value()->folder, library.value()->version};
}

}  // namespace saccade::runtime

#else

namespace saccade::runtime {

Result<std::unique_ptr<EngineBackend>> make_onnxruntime_backend(std::shared_ptr<const GraphCache>,
                                                                const std::string&) {
  return Error{"ONNX Runtime", "Saccade was built without it", "scripts/setup provides it; then build again"};
}

std::optional<OnnxRuntimePlace> onnxruntime_place(const std::string&) { return std::nullopt; }

}  // namespace saccade::runtime

#endif
