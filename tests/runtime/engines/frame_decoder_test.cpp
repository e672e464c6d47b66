// From the outputs of real engines to objects of a frame, and what is refused when an engine is loaded.
#include "runtime/engines/frame_decoder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <limits>

#include "runtime/engines/simulated_backend.hpp"
#include "runtime/real/latest_frame.hpp"
#include "tests/conformance/engine_models.hpp"
#include "tests/support/onnx_graph.hpp"
#include "tests/support/yard_detector.hpp"
#include "tests/vision/decode/counted_new.hpp"
#include "vision/accuracy/recent_precision.hpp"

namespace saccade::runtime {
namespace {

using profiles::ModelInterface;
using test::yard_detector;

// An engine that answers what a test gives it.
class SetEngine final : public Engine {
 public:
  Status prepare(std::size_t, const Picture&, const PixelBox&) override { return Done{}; }
  Status prepare(std::span<const float>) override { return Done{}; }
  Status infer(Outputs& outputs) override {
    outputs = {{"output0", shape, std::span<const float>(numbers)}};
    return Done{};
  }
  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override {
    return {{"output0", declared, {}}};
  }
  [[nodiscard]] int batch() const override { return places; }
  [[nodiscard]] std::size_t classes() const override { return 0; }

  std::vector<std::int64_t> shape;
  std::vector<float> numbers;
  std::vector<std::int64_t> declared{-1, 10, -1};
  int places = 1;
};

class FrameDecoderTest : public testing::Test {
 protected:
  [[nodiscard]] ModelInterface interface() const { return profiles::interface_of(set_, set_.variants[0]); }
  [[nodiscard]] Result<FrameDecoder> decoder_of(const ModelInterface& interface, const Engine& engine) const {
    return FrameDecoder::make(interface, set_.labels.size(), engine, "yard.onnx");
  }
  // One candidate per place: a car of 40 x 20 pixels of the input in its middle.
  void answer_a_car(SetEngine& engine) const {
    engine.shape = {engine.places, 10, 1};
    for (int place = 0; place < engine.places; ++place) {
      const std::array<float, 10> row{48, 48, 40, 20, 0, 0, 0.9F - 0.1F * static_cast<float>(place), 0, 0, 0};
      engine.numbers.insert(engine.numbers.end(), row.begin(), row.end());
    }
  }
  static std::string refusal(const Result<FrameDecoder>& made) {
    return made.ok() ? "accepted" : to_string(made.errors());
  }

  const profiles::ProfileSet set_ = yard_detector({{"w0.50-fp32", 96}});
  FrameResult result_;
  Outputs outputs_;
};

TEST_F(FrameDecoderTest, OutputsThatDoNotFitAreRefusedInWordsOfBoth) {
  SetEngine engine;
  engine.declared = {-1, 84, 8400};
  const std::string classes = refusal(decoder_of(interface(), engine));
  EXPECT_NE(classes.find("yard.onnx: /interface/decoder"), std::string::npos) << classes;
  EXPECT_NE(classes.find("[?, 84, 8400]: 80 classes; labels has 6"), std::string::npos) << classes;
  ModelInterface other = interface();
  std::get<profiles::YoloDecoder>(other.decoder).output = "boxes";
  const std::string name = refusal(decoder_of(other, engine));
  EXPECT_NE(name.find("the graph has no output 'boxes'"), std::string::npos) << name;
  EXPECT_NE(name.find("it has output0 [?, 84, 8400]"), std::string::npos) << name;
}

TEST_F(FrameDecoderTest, WhatTheGraphLeavesOpenIsCheckedOnItsFirstOutputs) {
  SetEngine engine;
  engine.declared = {-1, -1, -1};
  auto decoder = decoder_of(interface(), engine);
  ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
  engine.shape = {1, 84, 2};
  engine.numbers.resize(168);
  ASSERT_TRUE(engine.infer(outputs_));
  const Status fits = decoder.value().fits(outputs_);
  ASSERT_FALSE(fits);
  EXPECT_NE(to_string(fits.errors()).find("labels has 6"), std::string::npos) << to_string(fits.errors());
  EXPECT_FALSE(decoder.value().decode(outputs_, {}, result_)) << "nor is a frame decoded of them";
}

TEST_F(FrameDecoderTest, OneRowInFiftyThatIsNoNumberIsAnEngineError) {
  SetEngine engine;
  auto decoder = decoder_of(interface(), engine);
  ASSERT_TRUE(decoder.ok());
  for (const int bad : {1, 2}) {
    engine.shape = {1, 10, 100};
    engine.numbers.assign(1000, 0.1F);
    for (int i = 0; i < bad; ++i)
      engine.numbers[400 + static_cast<std::size_t>(i)] = std::numeric_limits<float>::quiet_NaN();
    ASSERT_TRUE(engine.infer(outputs_));
    const Status decoded = decoder.value().decode(outputs_, {}, result_);
    EXPECT_EQ(decoded.ok(), bad == 1) << "1 % is borne";
    if (!decoded) {
      EXPECT_NE(to_string(decoded.errors()).find("2 of the 100 rows"), std::string::npos)
          << to_string(decoded.errors());
    }
  }
}

TEST_F(FrameDecoderTest, AClassWithoutALabelIsToldApartFromNaN) {
  SetEngine engine;
  engine.declared = {1, 2, 6};
  ModelInterface numbered = interface();
  profiles::YoloDecoder rows;
  rows.layout = profiles::YoloLayout::end_to_end;
  numbered.decoder = rows;
  auto decoder = decoder_of(numbered, engine);
  ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
  engine.shape = engine.declared;
  engine.numbers = {10, 10, 20, 20, 0.9F, 90, 10, 10, 20, 20, 0.9F, 0};
  const auto refused = [&] {
    EXPECT_TRUE(engine.infer(outputs_));
    const Status decoded = decoder.value().decode(outputs_, {}, result_);
    return decoded ? "" : to_string(decoded.errors());
  };
  EXPECT_NE(refused().find("class 90 has no label (labels has 6)"), std::string::npos) << refused();
  EXPECT_EQ(refused().find("NaN"), std::string::npos) << refused();
  engine.numbers[6] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(refused().find("1 of the 2 rows that it answers hold NaN or an infinity; class 90 has no label"),
            std::string::npos)
      << refused();
  engine.numbers[5] = 5;
  EXPECT_NE(refused().find("1 of the 2 rows"), std::string::npos) << refused();
  EXPECT_EQ(refused().find("label"), std::string::npos) << refused();
}

TEST_F(FrameDecoderTest, AClassifierThatAnswersNoNumberIsAnEngineError) {
  SetEngine engine;
  engine.declared = {1, 6};
  auto decoder = FrameDecoder::make(profiles::plain_interface({96, 96, 3}), 6, engine, "signs.onnx");
  ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
  engine.shape = {1, 6};
  engine.numbers = {0.1F, 0.7F, 0.7F, -1.0F, 0.0F, 0.2F};
  ASSERT_TRUE(engine.infer(outputs_));
  ASSERT_TRUE(decoder.value().decode(outputs_, {}, result_));
  EXPECT_EQ(result_.classes, std::vector<int>{1}) << "the first of equals";
  EXPECT_EQ(std::vector<float>(result_.logits.begin(), result_.logits.end()), engine.numbers);
  engine.numbers[5] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(decoder.value().decode(outputs_, {}, result_));
}

TEST_F(FrameDecoderTest, BoxesAreInPixelsOfTheSourceAndOfTheirRegion) {
  SetEngine engine;
  engine.places = 2;
  answer_a_car(engine);
  auto decoder = decoder_of(interface(), engine);
  ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
  ASSERT_TRUE(engine.infer(outputs_));
  Picture picture;  // a quarter of what the source has
  picture.resize(480, 270);
  picture.frame_width = 1920;
  picture.frame_height = 1080;
  const std::vector<PixelBox> regions{{0, 0, 240, 240}, {240, 0, 240, 240}};
  ASSERT_TRUE(decoder.value().decode(outputs_, {&picture, regions, false}, result_));
  ASSERT_EQ(result_.objects.size(), 2U);
  // 960 pixels of the source are 96 of the input.
  EXPECT_EQ(result_.objects[0].box, (vision::Box{280, 380, 400, 200}));
  EXPECT_EQ(result_.objects[0].region, 0);
  EXPECT_EQ(result_.objects[0].label, 2);
  EXPECT_EQ(result_.objects[1].box, (vision::Box{1240, 380, 400, 200}));
  EXPECT_EQ(result_.objects[1].region, 1);
}

TEST_F(FrameDecoderTest, RegionsThatOverlapGiveOneObjectUnlessTheyShallNot) {
  SetEngine engine;
  engine.places = 3;
  answer_a_car(engine);
  Picture picture;
  picture.resize(400, 300);
  // The first two see the same car, the third another one.
  const std::vector<PixelBox> regions{{0, 0, 200, 200}, {4, 0, 200, 200}, {200, 100, 200, 200}};
  for (const bool merge : {true, false}) {
    ModelInterface wanted = interface();
    wanted.selection.merge_regions = merge;
    auto decoder = decoder_of(wanted, engine);
    ASSERT_TRUE(decoder.ok());
    ASSERT_TRUE(engine.infer(outputs_));
    ASSERT_TRUE(decoder.value().decode(outputs_, {&picture, regions, false}, result_));
    ASSERT_EQ(result_.objects.size(), merge ? 2U : 3U);
    EXPECT_EQ(result_.objects[0].region, 0) << "who saw it best";
    EXPECT_EQ(result_.objects.back().region, 2);
  }
}

TEST_F(FrameDecoderTest, OfNumbersEveryRegionIsAPictureOfItsOwn) {
  SetEngine engine;
  engine.places = 2;
  answer_a_car(engine);
  auto decoder = decoder_of(interface(), engine);
  ASSERT_TRUE(decoder.ok());
  ASSERT_TRUE(engine.infer(outputs_));
  ASSERT_TRUE(decoder.value().decode(outputs_, {}, result_));
  ASSERT_EQ(result_.objects.size(), 2U) << "they lie in the same place, but of two pictures";
  for (const vision::Object& object : result_.objects) EXPECT_EQ(object.box, (vision::Box{28, 38, 40, 20}));
  EXPECT_EQ(result_.objects[1].region, 1);
  // The same as one picture below the other, which suits variants of several sizes.
  Picture sheet;
  sheet.resize(192, 384);
  const std::vector<PixelBox> regions{{0, 0, 192, 192}, {0, 192, 192, 192}};
  ASSERT_TRUE(decoder.value().decode(outputs_, {&sheet, regions, true}, result_));
  ASSERT_EQ(result_.objects.size(), 2U);
  for (const vision::Object& object : result_.objects) EXPECT_EQ(object.box, (vision::Box{56, 76, 80, 40}));
}

TEST_F(FrameDecoderTest, ASimulatedDetectorFindsNothing) {
  const SimulatedBackend backend;
  profiles::ProfileSet set = set_;
  set.variants[0].model.clear();
  const auto engine = conformance::load(backend, engine_spec(set, 0, 1));
  ASSERT_NE(engine, nullptr);
  auto decoder = decoder_of(interface(), *engine);
  ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
  const Frame frame = test::frame_of_scene(test::yard_scene(0));
  ASSERT_TRUE(engine->prepare(0, *frame.picture, frame.regions[0]));
  ASSERT_TRUE(engine->infer(outputs_));
  EXPECT_TRUE(decoder.value().fits(outputs_));
  ASSERT_TRUE(decoder.value().decode(outputs_, {}, result_));
  EXPECT_TRUE(result_.objects.empty());
}

// From the outputs to the answer that is kept for viewers.
TEST_F(FrameDecoderTest, AWarmFrameAllocatesNothing) {
  SetEngine engine;
  engine.places = 3;
  answer_a_car(engine);
  auto decoder = decoder_of(interface(), engine);
  ASSERT_TRUE(decoder.ok());
  ASSERT_TRUE(engine.infer(outputs_));
  Picture picture;
  picture.resize(400, 300);
  const std::vector<PixelBox> regions{{0, 0, 200, 200}, {4, 0, 200, 200}, {200, 100, 200, 200}};
  LatestFrame latest;
  std::size_t found = 0;
  const auto frame = [&] {
    const Status decoded = decoder.value().decode(outputs_, {&picture, regions, false}, result_);
    if (!decoded) std::abort();
    latest.answered(0, result_.classes, result_.objects);
    found += result_.objects.size();
  };
  frame();
  const std::size_t before = vision::test::allocations();
  for (int i = 0; i < 100; ++i) frame();
  EXPECT_EQ(vision::test::allocations() - before, 0U);
  EXPECT_EQ(found, 202U);
  EXPECT_GT(before, 0U) << "the counter counts";
}

// All nine files.
TEST(YardDetector, FindsWhatIsInTheScenes) {
  const auto backend = make_backend("onnxruntime");
  if (!backend) GTEST_SKIP() << to_string(backend.errors());
  constexpr int kScenes = 12;
  for (const char* width : {"w0.50", "w0.75", "w1.00"}) {
    for (const char* precision : {"fp32", "fp16", "int8"}) {
      const std::string model = std::string(width) + "-" + precision;
      const profiles::ProfileSet set = yard_detector({{model, 192}});
      const auto engine = conformance::load(*backend.value(), engine_spec(set, 0, 1));
      ASSERT_NE(engine, nullptr) << model;
      auto decoder =
          FrameDecoder::make(profiles::interface_of(set, set.variants[0]), set.labels.size(), *engine, model);
      ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
      vision::RecentPrecision found;
      Outputs outputs;
      FrameResult result;
      for (std::uint64_t i = 0; i < kScenes; ++i) {
        const Frame frame = test::frame_of_scene(test::yard_scene(i, {640, 480}));
        ASSERT_TRUE(engine->prepare(0, *frame.picture, frame.regions[0]));
        ASSERT_TRUE(engine->infer(outputs));
        ASSERT_TRUE(decoder.value().fits(outputs));
        ASSERT_TRUE(decoder.value().decode(outputs, {frame.picture.get(), frame.regions, false}, result));
        found.add(frame.truths, result.objects);
      }
      EXPECT_GT(found.value().value_or(vision::MeanPrecision{}).map50, 0.4) << model;
    }
  }
}

// Two regions share the middle of the scene: what both see is one object, and all that is there is found.
TEST(YardDetector, RegionsThatOverlapShareTheirObjects) {
  const auto backend = make_backend("onnxruntime");
  if (!backend) GTEST_SKIP() << to_string(backend.errors());
  const profiles::ProfileSet set = yard_detector({{"w1.00-fp32", 224}});
  const std::vector<PixelBox> regions{{0, 0, 280, 224}, {168, 0, 280, 224}};
  const auto engine = conformance::load(*backend.value(), engine_spec(set, 0, 2));
  ASSERT_NE(engine, nullptr);
  vision::RecentPrecision found;
  std::size_t merged = 0;
  for (std::uint64_t i = 0; i < 12; ++i) {
    const Frame frame = test::frame_of_scene(test::yard_scene(i, {448, 224}));
    for (std::size_t region = 0; region < regions.size(); ++region)
      ASSERT_TRUE(engine->prepare(region, *frame.picture, regions[region]));
    Outputs outputs;
    ASSERT_TRUE(engine->infer(outputs));
    std::array<vision::Objects, 2> objects;
    for (const bool merge : {false, true}) {
      ModelInterface interface = profiles::interface_of(set, set.variants[0]);
      interface.selection.merge_regions = merge;
      auto decoder = FrameDecoder::make(interface, set.labels.size(), *engine, "yard");
      ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
      FrameResult result;
      ASSERT_TRUE(decoder.value().decode(outputs, {frame.picture.get(), regions, false}, result));
      objects[merge ? 1 : 0] = result.objects;
    }
    merged += objects[0].size() - objects[1].size();
    for (const vision::Object& a : objects[1]) {
      for (const vision::Object& b : objects[1]) {
        if (a.region == b.region || a.label != b.label) continue;
        EXPECT_LE(vision::iou(a.box, b.box, false), 0.4501) << "scene " << i;
      }
    }
    found.add(frame.truths, objects[1]);
  }
  EXPECT_GT(merged, 0U);
  EXPECT_GT(found.value().value_or(vision::MeanPrecision{}).map50, 0.4);
}

}  // namespace
}  // namespace saccade::runtime
