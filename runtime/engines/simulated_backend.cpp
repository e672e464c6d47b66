#include "runtime/engines/simulated_backend.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "runtime/engines/model_file.hpp"

namespace saccade::runtime {

namespace {

class SimulatedEngine final : public Engine {
 public:
  SimulatedEngine(EngineSpec spec, std::shared_ptr<const SimulatedBehaviour> behaviour)
      : spec_(std::move(spec)),
        behaviour_(std::move(behaviour)),
        inferences_to_fail_(behaviour_->failing_inferences) {}

  Status infer(std::span<const float> input, std::span<float> logits) override {
    const std::size_t images = static_cast<std::size_t>(spec_.batch);
    SACCADE_CHECK(input.size() == images * spec_.input.size());
    SACCADE_CHECK(logits.size() == images * spec_.classes);
    if (behaviour_->before_inference) {
      Status allowed = behaviour_->before_inference(spec_);
      if (!allowed) return allowed;
    }
    if (inferences_to_fail_ > 0) {
      --inferences_to_fail_;
      return Error{spec_.model.string(), "the inference failed as planned", ""};
    }
    for (std::size_t image = 0; image < images; ++image) {
      answer(input.subspan(image * spec_.input.size(), spec_.input.size()),
             logits.subspan(image * spec_.classes, spec_.classes));
    }
    return Done{};
  }

  [[nodiscard]] int batch() const override { return spec_.batch; }
  [[nodiscard]] std::size_t classes() const override { return spec_.classes; }

 private:
  // Class c gets the sum of every classes-th number, beginning with the c-th.
  static void answer(std::span<const float> image, std::span<float> logits) {
    std::fill(logits.begin(), logits.end(), 0.0F);
    std::size_t label = 0;
    for (const float number : image) {
      logits[label] += number;
      label = label + 1 == logits.size() ? 0 : label + 1;
    }
  }

  EngineSpec spec_;
  std::shared_ptr<const SimulatedBehaviour> behaviour_;
  int inferences_to_fail_;
};

}  // namespace

SimulatedBackend::SimulatedBackend(SimulatedBehaviour behaviour)
    : behaviour_(std::make_shared<const SimulatedBehaviour>(std::move(behaviour))),
      loads_to_fail_(behaviour_->failing_loads) {}

Result<std::unique_ptr<Engine>> SimulatedBackend::load(const EngineSpec& spec) const {
  SACCADE_CHECK(spec.batch > 0 && spec.classes > 0 && spec.input.size() > 0);
  if (behaviour_->before_load) {
    const Status allowed = behaviour_->before_load(spec);
    if (!allowed) return allowed.errors();
  }
  if (loads_to_fail_.fetch_sub(1) > 0) return Error{spec.model.string(), "the load failed as planned", ""};
  if (!spec.model.empty()) {
    const auto bytes = read_model(spec.model, spec.sha256);
    if (!bytes) return bytes.errors();
  }
  EngineSpec kept = spec;
  kept.profile = nullptr;  // outlives the load only
  return std::unique_ptr<Engine>(std::make_unique<SimulatedEngine>(std::move(kept), behaviour_));
}

}  // namespace saccade::runtime
