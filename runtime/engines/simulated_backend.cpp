#include "runtime/engines/simulated_backend.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/check.hpp"
#include "runtime/engines/model_file.hpp"
#include "runtime/engines/prepared_input.hpp"
#include "runtime/pictures/half.hpp"

namespace saccade::runtime {

namespace {

class SimulatedEngine final : public Engine {
 public:
  SimulatedEngine(EngineSpec spec, std::shared_ptr<const SimulatedBehaviour> behaviour)
      : spec_(std::move(spec)),
        behaviour_(std::move(behaviour)),
        inferences_to_fail_(behaviour_->failing_inferences),
        input_(spec_),
        numbers_(static_cast<std::size_t>(spec_.batch) * spec_.input_size()),
        logits_(static_cast<std::size_t>(spec_.batch) * spec_.classes),
        logits_shape_{spec_.batch, static_cast<std::int64_t>(spec_.classes)} {
    if (!spec_.outputs.empty()) logits_name_ = spec_.outputs.front();
  }

  Status prepare(std::size_t place, const Picture& picture, const PixelBox& region) override {
    return input_.prepare(place, picture, region);
  }
  Status prepare(std::span<const float> planes) override { return input_.prepare(planes); }

  Status infer(Outputs& outputs) override {
    if (behaviour_->before_inference) {
      Status allowed = behaviour_->before_inference(spec_);
      if (!allowed) return allowed;
    }
    if (inferences_to_fail_ > 0) {
      --inferences_to_fail_;
      return Error{spec_.model.string(), "the inference failed as planned", ""};
    }
    read_numbers();
    outputs.resize(1);
    if (spec_.classes == 0) {
      outputs[0] = {"output", input_.shape(), std::span<const float>(numbers_)};
      return Done{};
    }
    for (std::size_t image = 0; image < static_cast<std::size_t>(spec_.batch); ++image) {
      answer(std::span(numbers_).subspan(image * spec_.input_size(), spec_.input_size()),
             std::span(logits_).subspan(image * spec_.classes, spec_.classes));
    }
    outputs[0] = {logits_name_, logits_shape_, std::span<const float>(logits_)};
    return Done{};
  }

  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override {
    if (spec_.classes == 0) return {};
    return {
        {logits_name_, std::vector(logits_shape_.begin(), logits_shape_.end()), profiles::ElementType::fp32}};
  }
  [[nodiscard]] int batch() const override { return spec_.batch; }
  [[nodiscard]] std::size_t classes() const override { return spec_.classes; }

 private:
  // The input as numbers, whatever its type.
  void read_numbers() {
    const std::byte* const bytes = input_.bytes().data();
    const auto read = [&](auto element, const auto& number) {
      for (std::size_t i = 0; i < numbers_.size(); ++i) {
        std::memcpy(&element, bytes + i * sizeof element, sizeof element);
        numbers_[i] = number(element);
      }
    };
    if (input_.type() == profiles::ElementType::fp32) read(0.0F, [](float x) { return x; });
    if (input_.type() == profiles::ElementType::fp16) read(std::uint16_t{}, from_half);
    if (input_.type() == profiles::ElementType::uint8)
      read(std::uint8_t{}, [](std::uint8_t x) { return static_cast<float>(x); });
  }

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
  PreparedInput input_;
  std::vector<float> numbers_;
  std::vector<float> logits_;
  std::array<std::int64_t, 2> logits_shape_;
  std::string logits_name_ = "logits";
};

}  // namespace

SimulatedBackend::SimulatedBackend(SimulatedBehaviour behaviour)
    : behaviour_(std::make_shared<const SimulatedBehaviour>(std::move(behaviour))),
      loads_to_fail_(behaviour_->failing_loads) {}

Result<std::unique_ptr<Engine>> SimulatedBackend::load(const EngineSpec& spec) const {
  SACCADE_CHECK(spec.batch > 0 && (spec.takes_tensors() || spec.input_size() > 0));
  if (spec.takes_tensors())
    return Error{spec.model.string(), "is a later stage of a network, which nothing simulates",
                 "use ONNX Runtime"};
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
