// A frame that waits while its task switches to a variant of another input is prepared and decoded by the
// engine that runs it: none is lost and none is answered wrongly. A worker's real thread, and engines whose
// inputs differ in everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/engines/simulated_backend.hpp"
#include "tests/conformance/engine_models.hpp"
#include "tests/support/gated_serving.hpp"
#include "tests/support/onnx_graph.hpp"
#include "tests/support/yard_detector.hpp"

namespace saccade::runtime {
namespace {

constexpr int kColours = 3;  // red, green, blue: the labels

class HotSwitch : public test::GatedServing {
 protected:
  // Of one colour, larger than every input.
  Frame frame_of(int colour) override {
    Frame frame;
    Picture& picture = renew(frame.picture);
    picture.resize(41, 29);
    for (std::size_t i = 0; i < picture.pixels.size(); ++i)
      picture.pixels[i] = static_cast<int>(i % 3) == 2 - colour ? 200 : 20;  // blue comes first
    frame.regions = {picture.whole()};
    frame.labels = {colour};
    return frame;
  }
  bool is_right(int colour, const FrameAnswer& answer) override {
    return std::max_element(answer.logits.begin(), answer.logits.end()) - answer.logits.begin() == colour;
  }
  void add_classifier(const EngineBackend& backend, const EngineSpec& spec) {
    profiles::ModelInterface interface;
    interface.input = spec.input;
    add(conformance::load(backend, spec), interface, kColours);
  }
  void expect_all_judged_right() const {
    std::int64_t correct = 0;
    for (const VariantFrames& variant : books().variants) correct += variant.correct;
    EXPECT_EQ(correct, 2 * kSwitches);
  }
};

EngineSpec spec_for(int width, int height) {
  EngineSpec spec;
  spec.classes = kColours;
  spec.processor = ProcessorId("cpu");
  spec.input.width = width;
  spec.input.height = height;
  return spec;
}

TEST_F(HotSwitch, OfSimulatedEnginesLosesAndMistakesNothing) {
  const SimulatedBackend backend;
  // With the channels innermost the simulated engine adds up the colours.
  for (const auto& [width, height, type, resize] :
       {std::tuple{320, 240, profiles::ElementType::fp32, profiles::Resize::letterbox},
        {8, 8, profiles::ElementType::uint8, profiles::Resize::stretch},
        {33, 17, profiles::ElementType::fp16, profiles::Resize::cover}}) {
    EngineSpec spec = spec_for(width, height);
    spec.input.layout = profiles::TensorLayout::nhwc;
    spec.input.type = type;
    spec.input.resize = resize;
    if (type == profiles::ElementType::uint8) spec.input.scale = 1.0;
    add_classifier(backend, spec);
  }
  switch_again_and_again(kColours);
  expect_all_judged_right();
}

TEST_F(HotSwitch, OfEnginesOfOneModelWithOpenSidesLosesAndMistakesNothing) {
  const auto backend = make_backend("onnxruntime");
  if (!backend) GTEST_SKIP() << to_string(backend.errors());
  using test::OnnxType;
  // The mean of every channel: the brightest colour.
  const conformance::TemporaryFile model(
      test::onnx_model({{"x", OnnxType::fp32, {-1, 3, -1, -1}}}, {{"y", OnnxType::fp32, {-1, 3}}},
                       {{"GlobalAveragePool", {"x"}, {"mean"}}, {"Flatten", {"mean"}, {"y"}}}));
  for (const auto& [width, height] : {std::pair{64, 48}, {32, 32}, {7, 11}}) {
    EngineSpec spec = spec_for(width, height);
    spec.model = model.path();
    add_classifier(*backend.value(), spec);
  }
  switch_again_and_again(kColours);
  expect_all_judged_right();
}

constexpr int kScenes = 5;

class HotSwitchOfDetectors : public test::GatedServing {
 protected:
  HotSwitchOfDetectors() {
    for (int i = 0; i < kScenes; ++i)
      scenes_.push_back(test::yard_scene(static_cast<std::uint64_t>(i), {320, 240}));
  }
  Frame frame_of(int scene) override {
    return test::frame_of_scene(scenes_[static_cast<std::size_t>(scene)]);
  }
  bool is_right(int scene, const FrameAnswer& answer) override {
    return answer.objects == alone_.at({answer.variant, scene});
  }
  // What the variant answers when nothing else goes on.
  void find_alone(std::size_t variant, Engine& engine, FrameDecoder& decoder) {
    vision::RecentPrecision precision;
    for (int scene = 0; scene < kScenes; ++scene) {
      const Frame frame = frame_of(scene);
      ASSERT_TRUE(engine.prepare(0, *frame.picture, frame.regions[0]));
      Outputs outputs;
      ASSERT_TRUE(engine.infer(outputs));
      FrameResult result;
      ASSERT_TRUE(decoder.decode(outputs, {frame.picture.get(), frame.regions, false}, result));
      precision.add(frame.truths, result.objects);
      alone_[{variant, scene}] = result.objects;
    }
    EXPECT_GT(precision.value().value_or(vision::MeanPrecision{}).map50, 0.4) << "variant " << variant;
  }

  std::vector<images::LabelledScene> scenes_;
  std::map<std::pair<std::size_t, int>, vision::Objects> alone_;  // by variant and scene
};

TEST_F(HotSwitchOfDetectors, OfThreeSizesLosesNoFrameAndMistakesNoBox) {
  const auto backend = make_backend("onnxruntime");
  if (!backend) GTEST_SKIP() << to_string(backend.errors());
  const profiles::ProfileSet set =
      test::yard_detector({{"w0.50-fp32", 192}, {"w0.75-int8", 128}, {"w1.00-fp16", 160}});
  for (std::size_t v = 0; v < set.variants.size(); ++v) {
    const EngineSpec spec = engine_spec(set, v, 1);
    const profiles::ModelInterface interface = profiles::interface_of(set, set.variants[v]);
    const auto engine = conformance::load(*backend.value(), spec);
    ASSERT_NE(engine, nullptr);
    auto decoder = FrameDecoder::make(interface, set.labels.size(), *engine, "model");
    ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
    find_alone(v, *engine, decoder.value());
    add(conformance::load(*backend.value(), spec), interface, set.labels.size());
  }
  switch_again_and_again(kScenes);
  // 0 of 0 would be an accuracy that nobody measured.
  for (const VariantFrames& variant : books().variants) EXPECT_EQ(variant.labelled, 0);
  EXPECT_GT(serving_.live_precision(0).value_or(vision::MeanPrecision{}).map50, 0.4);
}

}  // namespace
}  // namespace saccade::runtime
