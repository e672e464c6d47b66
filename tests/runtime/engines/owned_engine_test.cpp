// An engine on a thread of its own does what the engine within does; fake_accelerator_test.cpp has its loads.
#include "runtime/engines/owned_engine.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "runtime/engines/kept_tensors.hpp"

namespace saccade::runtime {
namespace {

// A later stage of a network: takes tensors, no picture.
class LaterStage final : public Engine {
 public:
  explicit LaterStage(std::size_t& taken) : taken_(taken) {}
  Status prepare(std::size_t, const Picture&, const PixelBox&) override {
    return Error{"", "no pictures", ""};
  }
  Status prepare(std::span<const float>) override { return Error{"", "no pictures", ""}; }
  Status take(std::span<const vision::TensorView> tensors) override {
    taken_ += tensors.size();
    return Done{};
  }
  Status infer(Outputs&) override { return Done{}; }
  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override { return {}; }
  [[nodiscard]] int batch() const override { return 1; }
  [[nodiscard]] std::size_t classes() const override { return 0; }

 private:
  std::size_t& taken_;
};

TEST(OwnedEngine, OfALaterStageIsWarmedUpAndRunOnWhatAnEarlierOneGives) {
  std::size_t taken = 0;
  const auto threads = DeviceThreads::make([] {});
  EngineSpec spec;
  spec.tensors = {{"middle", profiles::ElementType::fp32, {1, 2}}};
  const auto engine =
      make_owned_engine(*threads, spec, [&](const EngineSpec&) -> Result<std::unique_ptr<Engine>> {
        return std::unique_ptr<Engine>(std::make_unique<LaterStage>(taken));
      });
  ASSERT_TRUE(engine.ok()) << to_string(engine.errors());
  EXPECT_EQ(taken, 1U) << "zeros, to warm up";
  const KeptTensors given(spec.tensors);
  EXPECT_TRUE(engine.value()->take(given.views()));
  EXPECT_EQ(taken, 2U);
}

}  // namespace
}  // namespace saccade::runtime
