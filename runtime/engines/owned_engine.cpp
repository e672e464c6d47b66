#include "runtime/engines/owned_engine.hpp"

#include <optional>
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
  Status infer(Outputs& outputs) override {
    Status status = Done{};
    thread_->run([&] { status = engine_->infer(outputs); });
    return status;
  }
  void stop() override { engine_->stop(); }
  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override { return engine_->outputs(); }
  [[nodiscard]] int batch() const override { return engine_->batch(); }
  [[nodiscard]] std::size_t classes() const override { return engine_->classes(); }
  [[nodiscard]] Mutex& rare() const { return thread_->rare(); }

 private:
  std::unique_ptr<DeviceThreads::Lease> thread_;
  std::unique_ptr<Engine> engine_;
};

constexpr int kCapture = 1;  // which of the inferences of a warm-up captures

Status warm_up(OwnedEngine& engine, const EngineSpec& spec) {
  Outputs outputs;
  Status status = prepare_black(engine, spec);
  for (int i = 0; i < kPlanCaptureReplay && status.ok(); ++i) {
    if (i == kCapture) {
      const Lock alone(engine.rare());
      status = engine.infer(outputs);
    } else {
      status = engine.infer(outputs);
    }
  }
  return status;
}

}  // namespace

Result<std::unique_ptr<Engine>> make_owned_engine(DeviceThreads& threads, const EngineSpec& spec,
                                                  const MakeEngine& make) {
  std::unique_ptr<DeviceThreads::Lease> thread;
  try {
    thread = threads.take();
  } catch (const std::system_error& error) {
    return Error{spec.model.string(), std::string("no thread can be started for its engine: ") + error.what(),
                 ""};
  }
  std::optional<Result<std::unique_ptr<Engine>>> made;
  thread->run([&] { made.emplace(make()); });
  if (!made->ok()) return made->errors();
  auto engine = std::make_unique<OwnedEngine>(std::move(thread), std::move(*made).value());
  if (const Status warm = warm_up(*engine, spec); !warm) return warm.errors();
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace saccade::runtime
