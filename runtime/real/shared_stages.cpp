#include "runtime/real/shared_stages.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace saccade::runtime {
namespace {

EngineSpec without_profile(EngineSpec spec) {
  spec.profile = nullptr;
  return spec;
}

}  // namespace

// Remembers that it was stopped, for all that use it.
class SharedStages::Stage final : public Engine {
 public:
  Stage(std::unique_ptr<Engine> engine, std::string file)
      : engine_(std::move(engine)), file_(std::move(file)) {}

  Status prepare(std::size_t place, const Picture& picture, const PixelBox& region) override {
    return stopped_ ? refused() : engine_->prepare(place, picture, region);
  }
  Status prepare(std::span<const float> planes) override {
    return stopped_ ? refused() : engine_->prepare(planes);
  }
  Status take(std::span<const vision::TensorView> tensors) override {
    return stopped_ ? refused() : engine_->take(tensors);
  }
  Status infer(Outputs& outputs) override { return stopped_ ? refused() : engine_->infer(outputs); }
  void stop() override {
    stopped_ = true;
    engine_->stop();
  }
  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override { return engine_->outputs(); }
  [[nodiscard]] int batch() const override { return engine_->batch(); }
  [[nodiscard]] std::size_t classes() const override { return engine_->classes(); }
  [[nodiscard]] std::string remark() const override { return engine_->remark(); }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  [[nodiscard]] Status refused() const {
    return Error{file_, "this stage was stopped because an inference took too long",
                 "it is loaded again with the next variant that has it"};
  }

  const std::unique_ptr<Engine> engine_;
  const std::string file_;
  std::atomic<bool> stopped_{false};
};

struct SharedStages::Offered {
  TaskIndex task;
  EngineSpec spec;
  std::weak_ptr<Stage> stage;
};

SharedStages::SharedStages() = default;
SharedStages::~SharedStages() = default;

std::shared_ptr<Engine> SharedStages::sharable(std::unique_ptr<Engine> engine, const EngineSpec& spec) {
  return std::make_shared<Stage>(std::move(engine), spec.model.string());
}

std::shared_ptr<Engine> SharedStages::find(TaskIndex task, const EngineSpec& spec) {
  if (spec.sha256.empty()) return nullptr;
  const EngineSpec wanted = without_profile(spec);
  const Lock lock(mutex_);
  for (const Offered& each : offered_) {
    if (each.task != task || each.spec != wanted) continue;
    if (std::shared_ptr<Stage> stage = each.stage.lock(); stage && !stage->stopped()) return stage;
  }
  return nullptr;
}

void SharedStages::offer(TaskIndex task, const EngineSpec& spec, const std::shared_ptr<Engine>& engine) {
  const Lock lock(mutex_);
  std::erase_if(offered_, [](const Offered& each) { return each.stage.expired(); });
  offered_.push_back({task, without_profile(spec), std::static_pointer_cast<Stage>(engine)});
}

}  // namespace saccade::runtime
