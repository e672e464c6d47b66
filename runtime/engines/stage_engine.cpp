#include "runtime/engines/stage_engine.hpp"

#include <utility>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {

EngineSpec without_profile(EngineSpec spec) {
  spec.profile = nullptr;  // outlives the load only
  return spec;
}

}  // namespace

StageEngine::StageEngine(std::unique_ptr<Engine> engine, EngineSpec spec)
    : engine_(std::move(engine)),
      spec_(without_profile(std::move(spec))),
      ports_(engine_->outputs()),
      classes_(engine_->classes()),
      remark_(engine_->remark()) {}

Status StageEngine::not_stopped() const {
  if (!is_stopped()) return Done{};
  return Error{spec_.model.string(), "this stage was stopped because an inference did not return",
               "it is loaded again with the next variant that has it"};
}

template <class Call>
Status StageEngine::run(const Call& call) {
  if (auto refused = not_stopped(); !refused) return refused;
  Status status = call();
  if (!status.ok()) failed_ = true;
  return status;
}

Status StageEngine::prepare(std::size_t place, const Picture& picture, const PixelBox& region) {
  return run([&] { return engine_->prepare(place, picture, region); });
}

Status StageEngine::prepare(std::span<const float> planes) {
  return run([&] { return engine_->prepare(planes); });
}

Status StageEngine::take(std::span<const vision::TensorView> tensors) {
  return run([&] { return engine_->take(tensors); });
}

Status StageEngine::infer(Outputs& outputs) {
  Status status = run([&] { return engine_->infer(outputs); });
  if (status.ok()) failed_ = false;
  return status;
}

void StageEngine::stop() {
  stopped_.store(true, std::memory_order_release);
  engine_->stop();
}

bool StageEngine::equals(const EngineSpec& spec) const {
  if (spec.sha256.empty()) return false;
  EngineSpec wanted = without_profile(spec);
  wanted.model = spec_.model;
  return wanted == spec_;
}

Status StageEngine::note_outputs(const Outputs& outputs) {
  SACCADE_CHECK(!is_warm());
  std::vector<profiles::StageTensor> tensors;
  for (const vision::TensorView& view : outputs) {
    tensors.push_back(
        {std::string(view.name), type_of(view), std::vector(view.shape.begin(), view.shape.end())});
  }
  return gave_.emplace(std::move(tensors)).keep(outputs);
}

}  // namespace saccade::runtime
