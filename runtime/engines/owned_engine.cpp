#include "runtime/engines/owned_engine.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace saccade::runtime {
namespace {

class OwnedEngine final : public Engine {
 public:
  OwnedEngine(std::unique_ptr<DeviceThreads::Lease> thread, std::unique_ptr<Engine> engine)
      : thread_(std::move(thread)), engine_(std::move(engine)) {}
  ~OwnedEngine() override {
    const Lock alone(thread_->rare());
    thread_->run([&] { engine_.reset(); });
  }
  OwnedEngine(const OwnedEngine&) = delete;
  OwnedEngine& operator=(const OwnedEngine&) = delete;

  Status prepare(std::size_t place, const Picture& picture, const PixelBox& region) override {
    return engine_->prepare(place, picture, region);
  }
  Status prepare(std::span<const float> planes) override { return engine_->prepare(planes); }
  Status take(std::span<const vision::TensorView> tensors) override { return engine_->take(tensors); }
  Status infer(Outputs& outputs) override {
    Status status = Done{};
    thread_->run([&] { status = engine_->infer(outputs); });
    return status;
  }
  void stop() override { engine_->stop(); }
  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override { return engine_->outputs(); }
  [[nodiscard]] int batch() const override { return engine_->batch(); }
  [[nodiscard]] std::size_t classes() const override { return engine_->classes(); }
  [[nodiscard]] std::string remark() const override { return remark_; }
  void set_remark(std::string remark) { remark_ = std::move(remark); }
  [[nodiscard]] Mutex& rare() const { return thread_->rare(); }

 private:
  std::unique_ptr<DeviceThreads::Lease> thread_;
  std::unique_ptr<Engine> engine_;
  std::string remark_;
};

// In which call a library captures is its own affair: ONNX Runtime runs a network again within the first one
// until there is a graph. So every inference but the last may capture.
Status warm_up(OwnedEngine& engine, const EngineSpec& spec) {
  Outputs outputs;
  Status status = prepare_black(engine, spec);
  for (int i = 0; i < kPlanCaptureReplay && status.ok(); ++i) {
    if (spec.graphs && i + 1 < kPlanCaptureReplay) {
      const Lock alone(engine.rare());
      status = engine.infer(outputs);
    } else {
      status = engine.infer(outputs);
    }
  }
  return status;
}

Result<std::unique_ptr<OwnedEngine>> make_warm(DeviceThreads& threads, const EngineSpec& spec,
                                               const MakeEngine& make) {
  std::unique_ptr<DeviceThreads::Lease> thread;
  try {
    thread = threads.take();
  } catch (const std::system_error& error) {
    return Error{spec.model.string(), std::string("no thread can be started for its engine: ") + error.what(),
                 ""};
  }
  std::optional<Result<std::unique_ptr<Engine>>> made;
  thread->run([&] { made.emplace(make(spec)); });
  if (!made->ok()) return made->errors();
  auto engine = std::make_unique<OwnedEngine>(std::move(thread), std::move(*made).value());
  if (const Status warm = warm_up(*engine, spec); !warm) return warm.errors();
  return engine;
}

}  // namespace

// The library's words, and the driver's of a call that a capture does not allow.
const Error* find_capture_failure(const Errors& errors) {
  constexpr std::array<const char*, 3> kWords = {"cannot be captured", "graph capture feature",
                                                 "stream is capturing"};
  const auto found = std::find_if(errors.begin(), errors.end(), [&](const Error& error) {
    return std::any_of(kWords.begin(), kWords.end(),
                       [&](const char* words) { return error.what.find(words) != std::string::npos; });
  });
  return found == errors.end() ? nullptr : &*found;
}

Result<std::unique_ptr<Engine>> make_owned_engine(DeviceThreads& threads, const EngineSpec& spec,
                                                  const MakeEngine& make) {
  auto engine = make_warm(threads, spec, make);
  if (engine.ok()) return std::unique_ptr<Engine>(std::move(engine).value());
  const Error* uncaptured = spec.graphs ? find_capture_failure(engine.errors()) : nullptr;
  if (uncaptured == nullptr) return engine.errors();
  EngineSpec plain = spec;
  plain.graphs = false;
  auto without = make_warm(threads, plain, make);
  if (!without.ok()) return without.errors();
  without.value()->set_remark("runs without a captured graph: " + uncaptured->what);
  return std::unique_ptr<Engine>(std::move(without).value());
}

}  // namespace saccade::runtime
