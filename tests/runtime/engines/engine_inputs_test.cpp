// What engines make of pictures and what they hand out: inputs by name, layout and type, constants beside the
// picture, several outputs of several types; and that a loaded engine takes no memory per frame.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstring>

#include "runtime/engines/simulated_backend.hpp"
#include "runtime/pictures/half.hpp"
#include "runtime/pictures/preparer.hpp"
#include "tests/conformance/engine_models.hpp"
#include "tests/support/onnx_graph.hpp"

namespace saccade::runtime {
namespace {

using conformance::load;
using conformance::TemporaryFile;
using profiles::ElementType;
using profiles::TensorLayout;
using test::onnx_model;
using test::OnnxType;

Picture ramp(int width, int height) {
  Picture picture;
  picture.resize(width, height);
  for (std::size_t i = 0; i < picture.pixels.size(); ++i)
    picture.pixels[i] = static_cast<std::uint8_t>(i * 7);
  return picture;
}

class OnnxRuntimeInputs : public testing::Test {
 protected:
  void SetUp() override {
    auto made = make_backend("onnxruntime");
    if (!made) GTEST_SKIP() << to_string(made.errors());
    backend_ = std::move(made).value();
  }
  static EngineSpec spec_of(const TemporaryFile& model) {
    EngineSpec spec;
    spec.model = model.path();
    spec.processor = ProcessorId("cpu");
    spec.input.width = 5;
    spec.input.height = 3;
    return spec;
  }
  std::string refused(const EngineSpec& spec) {
    const auto loaded = backend_->load(spec);
    return loaded ? "loaded" : to_string(loaded.errors());
  }
  std::unique_ptr<EngineBackend> backend_;
};

template <class Number>
std::vector<Number> numbers(const vision::TensorView& tensor) {
  const auto* found = std::get_if<std::span<const Number>>(&tensor.data);
  if (found == nullptr) ADD_FAILURE() << tensor.name << " is of another type";
  return found != nullptr ? std::vector<Number>(found->begin(), found->end()) : std::vector<Number>();
}
std::vector<std::int64_t> shape(const vision::TensorView& tensor) {
  return {tensor.shape.begin(), tensor.shape.end()};
}

// The network is the identity: its output is its input, for every layout and type, told or found in the
// graph.
TEST_F(OnnxRuntimeInputs, TheIdentityGivesBackWhatThePreparerWrote) {
  const Picture picture = ramp(11, 9);
  for (const auto& [type, onnx] : {std::pair{ElementType::fp32, OnnxType::fp32},
                                   {ElementType::fp16, OnnxType::fp16},
                                   {ElementType::uint8, OnnxType::uint8}}) {
    for (const TensorLayout layout : {TensorLayout::nchw, TensorLayout::nhwc}) {
      for (const bool told : {false, true}) {
        const bool last = layout == TensorLayout::nhwc;
        const std::vector<std::int64_t> sides =
            last ? std::vector<std::int64_t>{-1, 3, 5, 3} : std::vector<std::int64_t>{-1, 3, 3, 5};
        const TemporaryFile model(
            onnx_model({{"x", onnx, sides}}, {{"y", onnx, sides}}, {{"Identity", {"x"}, {"y"}}}));
        EngineSpec spec = spec_of(model);
        spec.batch = 2;
        spec.input.resize = profiles::Resize::letterbox;
        if (type == ElementType::uint8) spec.input.scale = 1.0;
        // 3 rows: the graph cannot tell which of its sides are the channels.
        if (told || last) spec.input.layout = layout;
        if (told) spec.input.type = type;
        if (told) spec.input.name = "x";
        const auto engine = load(*backend_, spec);
        ASSERT_NE(engine, nullptr);
        ASSERT_TRUE(engine->prepare(0, picture, picture.whole()));
        ASSERT_TRUE(engine->prepare(1, picture, {2, 1, 7, 5}));
        Outputs outputs;
        ASSERT_TRUE(engine->infer(outputs));
        ASSERT_EQ(outputs.size(), 1U);
        EXPECT_EQ(outputs[0].name, "y");
        EXPECT_EQ(shape(outputs[0])[0], 2);
        profiles::PictureInput input = spec.input;
        input.type = type;
        input.layout = layout;
        Preparer preparer(input);
        std::vector<std::byte> expected(2 * preparer.bytes());
        preparer.write(picture, picture.whole(), std::span(expected).first(preparer.bytes()));
        preparer.write(picture, {2, 1, 7, 5}, std::span(expected).last(preparer.bytes()));
        if (type == ElementType::uint8) {
          const auto found = numbers<std::uint8_t>(outputs[0]);
          ASSERT_EQ(found.size(), expected.size());
          EXPECT_EQ(std::memcmp(found.data(), expected.data(), expected.size()), 0);
          continue;
        }
        const auto found = numbers<float>(outputs[0]);
        ASSERT_EQ(found.size(), expected.size() / size_of(type));
        for (std::size_t i = 0; i < found.size(); ++i) {
          float wanted = 0.0F;
          std::uint16_t half = 0;
          std::memcpy(&wanted, expected.data() + 4 * (i % (expected.size() / 4)), 4);
          std::memcpy(&half, expected.data() + 2 * i, 2);
          ASSERT_EQ(found[i], type == ElementType::fp32 ? wanted : from_half(half)) << i;
        }
      }
    }
  }
}

TEST_F(OnnxRuntimeInputs, OutputsComeByNameWithTheirShapeAndType) {
  const TemporaryFile model(
      onnx_model({{"x", OnnxType::fp32, {-1, 3, -1, -1}}},
                 {{"mean", OnnxType::fp32, {-1, 3, 1, 1}},
                  {"sides", OnnxType::int64, {4}},
                  {"small", OnnxType::int32, {-1}}},
                 {{"GlobalAveragePool", {"x"}, {"mean"}},
                  {"Shape", {"x"}, {"sides"}},
                  {"Cast", {"sides"}, {"small"}, {{"to", static_cast<std::int64_t>(OnnxType::int32)}}}}));
  EngineSpec spec = spec_of(model);
  const Picture picture = ramp(5, 3);
  Outputs outputs;
  {
    const auto engine = load(*backend_, spec);
    ASSERT_NE(engine, nullptr);
    ASSERT_TRUE(engine->prepare(0, picture, picture.whole()));
    ASSERT_TRUE(engine->infer(outputs));
    ASSERT_EQ(outputs.size(), 3U) << "all, in the graph's order";
    EXPECT_EQ(outputs[0].name, "mean");
    EXPECT_EQ(shape(outputs[0]), (std::vector<std::int64_t>{1, 3, 1, 1}));
    EXPECT_EQ(numbers<std::int64_t>(outputs[1]), (std::vector<std::int64_t>{1, 3, 3, 5}));
    EXPECT_EQ(numbers<std::int32_t>(outputs[2]), (std::vector<std::int32_t>{1, 3, 3, 5}));
  }
  spec.outputs = {"small", "mean"};
  const auto engine = load(*backend_, spec);
  ASSERT_NE(engine, nullptr);
  ASSERT_TRUE(engine->prepare(0, picture, picture.whole()));
  ASSERT_TRUE(engine->infer(outputs));
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[0].name, "small");
  EXPECT_EQ(outputs[1].name, "mean");
  spec.outputs = {"mean", "boxes", "scores"};
  const std::string words = refused(spec);
  EXPECT_NE(words.find("has no output 'boxes'"), std::string::npos) << words;
  EXPECT_NE(words.find("has no output 'scores'"), std::string::npos) << words;
  spec.outputs = {};
  spec.classes = 3;
  EXPECT_NE(refused(spec).find("1 inputs and 3 outputs instead of one each"), std::string::npos)
      << refused(spec);
}

TEST_F(OnnxRuntimeInputs, AConstantIsGivenWithEveryFrame) {
  const TemporaryFile model(onnx_model(
      {{"images", OnnxType::fp32, {-1, 3, -1, -1}}, {"orig_target_sizes", OnnxType::int64, {-1, 2}}},
      {{"given", OnnxType::int64, {-1, 2}}, {"mean", OnnxType::fp32, {-1, 3, 1, 1}}},
      {{"Identity", {"orig_target_sizes"}, {"given"}}, {"GlobalAveragePool", {"images"}, {"mean"}}}));
  EngineSpec spec = spec_of(model);
  spec.batch = 2;
  using profiles::Dimension;
  spec.constants = {
      {"orig_target_sizes", ElementType::int64, {Dimension::frame_width, Dimension::input_height}}};
  const auto engine = load(*backend_, spec);
  ASSERT_NE(engine, nullptr);
  Picture picture = ramp(10, 10);
  picture.frame_width = 1920;
  picture.frame_height = 1080;
  Outputs outputs;
  for (const std::size_t place : {std::size_t{0}, std::size_t{1}})
    ASSERT_TRUE(engine->prepare(place, picture, picture.whole()));
  ASSERT_TRUE(engine->infer(outputs));
  EXPECT_EQ(numbers<std::int64_t>(outputs[0]), (std::vector<std::int64_t>{1920, 3, 1920, 3}));

  spec.constants = {{"orig_target_sizes", ElementType::int32, {1.0, 2.0}}};
  EXPECT_NE(refused(spec).find("'orig_target_sizes' does not hold numbers of the constant's type"),
            std::string::npos)
      << refused(spec);
  spec.constants = {{"sizes", ElementType::int64, {1.0, 2.0}}};
  EXPECT_NE(refused(spec).find("no input 'sizes'"), std::string::npos) << refused(spec);
  spec.constants = {};
  spec.input.name = "images";
  EXPECT_NE(refused(spec).find("also takes 'orig_target_sizes'"), std::string::npos) << refused(spec);
  spec.input.name = "pictures";
  EXPECT_NE(refused(spec).find("no input 'pictures'"), std::string::npos) << refused(spec);
}

TEST_F(OnnxRuntimeInputs, BytesCannotBeScaled) {
  const TemporaryFile model(onnx_model({{"x", OnnxType::uint8, {1, 3, 3, 5}}},
                                       {{"y", OnnxType::uint8, {1, 3, 3, 5}}}, {{"Identity", {"x"}, {"y"}}}));
  EXPECT_NE(refused(spec_of(model)).find("cannot be scaled"), std::string::npos) << refused(spec_of(model));
}

TEST_F(OnnxRuntimeInputs, AnOutputAsLargeAsAGraphSaysIsNotBelieved) {
  const std::vector<std::int64_t> huge = {1, 3, 1'000'000, 1'000'000};
  const TemporaryFile model(onnx_model({{"x", OnnxType::fp32, {1, 3, 3, 5}}}, {{"y", OnnxType::fp32, huge}},
                                       {{"Identity", {"x"}, {"y"}}}));
  EXPECT_NO_FATAL_FAILURE(
      { (void)backend_->load(spec_of(model)); });  // loaded or refused, without the memory
}

TEST(OpenCvInputs, WhatTheLibraryCannotDoIsSaid) {
  const auto backend = std::move(make_backend("opencv")).value();
  EngineSpec spec = conformance::spec_of(conformance::model_file("tiny-gap.onnx"));
  spec.input.type = ElementType::fp16;
  spec.constants = {{"size", ElementType::int64, {1.0}}};
  const auto loaded = backend->load(spec);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.errors().size(), 2U);
  EXPECT_NE(to_string(loaded.errors()).find("use ONNX Runtime"), std::string::npos);
}

TEST(OpenCvOutputs, HaveTheNamesOfTheGraph) {
  const auto backend = std::move(make_backend("opencv")).value();
  const TemporaryFile model(onnx_model({{"x", OnnxType::fp32, {1, 3, 3, 5}}},
                                       {{"mean", OnnxType::fp32, {1, 3, 1, 1}}},
                                       {{"GlobalAveragePool", {"x"}, {"mean"}}}));
  EngineSpec spec;
  spec.model = model.path();
  spec.processor = ProcessorId("cpu");
  spec.input.width = 5;
  spec.input.height = 3;
  for (const bool named : {false, true}) {
    if (named) spec.outputs = {"mean"};
    const auto engine = load(*backend, spec);
    ASSERT_NE(engine, nullptr);
    ASSERT_EQ(engine->outputs().size(), 1U);
    EXPECT_EQ(engine->outputs()[0].name, "mean");
    EXPECT_EQ(engine->outputs()[0].shape, (std::vector<std::int64_t>{1, 3, 1, 1}));
    const Picture picture = ramp(5, 3);
    ASSERT_TRUE(engine->prepare(0, picture, picture.whole()));
    Outputs outputs;
    ASSERT_TRUE(engine->infer(outputs));
    EXPECT_EQ(outputs[0].name, "mean");
  }
}

TEST(SimulatedInputs, WithoutClassesTheOutputIsTheInput) {
  const SimulatedBackend backend;
  EngineSpec spec;
  spec.input.width = 4;
  spec.input.height = 2;
  spec.input.layout = TensorLayout::nhwc;
  const auto engine = load(backend, spec);
  ASSERT_NE(engine, nullptr);
  const Picture picture = ramp(4, 2);
  ASSERT_TRUE(engine->prepare(0, picture, picture.whole()));
  Outputs outputs;
  ASSERT_TRUE(engine->infer(outputs));
  EXPECT_EQ(shape(outputs[0]), (std::vector<std::int64_t>{1, 2, 4, 3}));
  const auto found = numbers<float>(outputs[0]);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_FLOAT_EQ(found[i], static_cast<float>(picture.pixels[i / 3 * 3 + 2 - i % 3]) / 255.0F) << i;
}

}  // namespace
}  // namespace saccade::runtime
