// Variants of two stages on "cpu" and "cpu1", and engines that stand in for their stages: they are counted by
// file, and a test says what happens in them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/engines/engine.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::test {

struct StageWitness {
  using Counts = std::map<std::string, int>;  // by file
  std::mutex mutex;                           // of the next two
  Counts loaded, inferred, alive;
  std::map<std::string, std::vector<float>> taken;  // last, by file; of floats
  // Set before the engines are used; called on the thread that infers or stops.
  std::function<Status(const std::string& file)> before_inference = [](const auto&) { return Done{}; };
  std::function<void(const std::string& file)> stops = [](const auto&) {};

  void count(Counts StageWitness::*which, const std::string& file, int by = 1) {
    const std::lock_guard lock(mutex);
    (this->*which)[file] += by;
  }
};

class StandInStage final : public runtime::Engine {
 public:
  StandInStage(std::shared_ptr<StageWitness> witness, const runtime::EngineSpec& spec)
      : witness_(std::move(witness)), file_(spec.model.filename().string()), last_(spec.classes > 0) {
    witness_->count(&StageWitness::alive, file_);
    witness_->count(&StageWitness::loaded, file_);
  }
  ~StandInStage() override { witness_->count(&StageWitness::alive, file_, -1); }
  StandInStage(const StandInStage&) = delete;
  StandInStage& operator=(const StandInStage&) = delete;

  Status prepare(std::size_t, const runtime::Picture&, const runtime::PixelBox&) override { return Done{}; }
  Status prepare(std::span<const float>) override { return Done{}; }
  Status take(std::span<const vision::TensorView> tensors) override {
    const auto& numbers = std::get<std::span<const float>>(tensors.front().data);
    const std::lock_guard lock(witness_->mutex);
    witness_->taken[file_].assign(numbers.begin(), numbers.end());
    return Done{};
  }
  Status infer(runtime::Outputs& outputs) override {
    witness_->count(&StageWitness::inferred, file_);
    if (Status allowed = witness_->before_inference(file_); !allowed) return allowed;
    outputs = {{last_ ? "prob" : "middle", shape_, std::span<const float>(numbers_)}};
    return Done{};
  }
  void stop() override { witness_->stops(file_); }
  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override {
    if (!last_) return {};
    return {{"prob", shape_, profiles::ElementType::fp32}};
  }
  [[nodiscard]] int batch() const override { return 1; }
  [[nodiscard]] std::size_t classes() const override { return last_ ? 2 : 0; }

 private:
  std::shared_ptr<StageWitness> witness_;
  const std::string file_;
  const bool last_;
  const std::vector<std::int64_t> shape_ = {1, 2};
  const std::vector<float> numbers_ = {0.0F, 1.0F};
};

class StandInStages final : public runtime::EngineBackend {
 public:
  explicit StandInStages(std::shared_ptr<StageWitness> witness) : witness_(std::move(witness)) {}
  [[nodiscard]] std::string name() const override { return "stand-in"; }
  [[nodiscard]] std::string version() const override { return "stand-in"; }
  [[nodiscard]] Result<std::unique_ptr<runtime::Engine>> load(
      const runtime::EngineSpec& spec) const override {
    return std::unique_ptr<runtime::Engine>(std::make_unique<StandInStage>(witness_, spec));
  }

 private:
  std::shared_ptr<StageWitness> witness_;
};

// The first stage gives a tensor of two numbers; the last one takes one of `taken`.
inline profiles::Variant in_two_stages(const std::vector<std::string>& files,
                                       const std::vector<std::string>& processors, bool hashed = true,
                                       std::int64_t taken = 2) {
  profiles::Variant variant = two_variants(2).variants.front();
  variant.frame_time = {{ProcessorId("cpu"), Seconds(5e-5)}, {ProcessorId("cpu1"), Seconds(5e-5)}};
  variant.staging.latency = Seconds(1e-4);
  variant.staging.max_fps = Fps(1e4);
  variant.staging.max_in_flight = 2;
  for (std::size_t i = 0; i < files.size(); ++i) {
    profiles::Stage& stage = variant.staging.stages.emplace_back();
    stage.kind = ProcessorId(processors.at(i));
    stage.model = files[i];
    stage.sha256 = hashed ? "hash of " + files[i] : "";
    stage.frame_time = Seconds(5e-5);
    if (i > 0) stage.takes = {{"middle", profiles::ElementType::fp32, {1, taken}}};
    if (i + 1 < files.size()) stage.gives = {{"middle", profiles::ElementType::fp32, {1, 2}}};
  }
  return variant;
}

}  // namespace saccade::test
