#include "profiles/interface_io.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/profiles/random_interface.hpp"

namespace saccade::profiles {
namespace {

using nlohmann::json;

// The example of the format's description.
json example() {
  return json::parse(R"({"task": "detect", "metric": "map",
    "input": {"name": "images", "layout": "nchw", "type": "fp32", "width": 640, "height": 640, "color": "rgb",
              "scale": 0.00392156862745098, "mean": [0, 0, 0], "std": [1, 1, 1],
              "resize": "letterbox", "align": "center", "pad": [114, 114, 114], "filter": "linear"},
    "constants": [{"name": "orig_target_sizes", "type": "int64", "value": ["input_width", "input_height"]}],
    "decoder": {"type": "yolo", "outputs": ["output0"], "layout": "auto", "box": "cxcywh", "unit": "input_pixels",
                "score_threshold": 0.25, "iou_threshold": 0.45, "max_objects": 300, "agnostic": false}})");
}

ModelInterface good(const json& document) {
  const auto read = parse_interface(document.dump(), "set.json");
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : to_string(read.errors()));
  return read ? read.value() : ModelInterface{};
}

TEST(InterfaceFormat, TheExampleArrivesWhereItBelongs) {
  const ModelInterface read = good(example());
  EXPECT_EQ(read.task, NetworkTask::detect);
  EXPECT_EQ(read.metric, "map");
  EXPECT_EQ(read.input.name, "images");
  EXPECT_EQ(read.input.layout, TensorLayout::nchw);
  EXPECT_EQ(read.input.type, ElementType::fp32);
  EXPECT_EQ(read.input.width, 640);
  EXPECT_DOUBLE_EQ(read.input.scale, 1.0 / 255.0);
  EXPECT_EQ(read.input.resize, Resize::letterbox);
  EXPECT_EQ(read.input.pad, (std::array<std::uint8_t, 3>{114, 114, 114}));
  ASSERT_EQ(read.constants.size(), 1u);
  EXPECT_EQ(std::get<Dimension>(read.constants[0].value[1]), Dimension::input_height);
  const auto& yolo = std::get<YoloDecoder>(read.decoder);
  EXPECT_EQ(yolo.output, "output0");
  EXPECT_EQ(yolo.layout, YoloLayout::automatic);
  EXPECT_EQ(yolo.box, BoxForm::cxcywh);
  EXPECT_EQ(read.selection.iou_threshold, 0.45);
  EXPECT_EQ(read.selection.max_objects, 300);
}

TEST(InterfaceFormat, WhatIsNotSaidHasItsDefault) {
  const ModelInterface classify = good(json::parse(
      R"({"task": "classify", "input": {"width": 64, "height": 32}, "decoder": {"type": "classify"}})"));
  ModelInterface expected;
  expected.input.width = 64;
  expected.input.height = 32;
  EXPECT_EQ(classify, expected);
  const auto detector = [](const std::string& decoder, const std::string& type = "fp32") {
    return good(json::parse(R"({"task": "detect", "input": {"width": 64, "height": 64, "type": ")" + type +
                            R"("}, "decoder": )" + decoder + "}"));
  };
  EXPECT_EQ(detector(R"({"type": "yolo"})").metric, "map");
  EXPECT_EQ(detector(R"({"type": "yolo"})").selection.iou_threshold, 0.45);
  EXPECT_EQ(detector(R"({"type": "yolo", "layout": "end_to_end"})").selection.iou_threshold, std::nullopt);
  EXPECT_EQ(detector(R"({"type": "yolo", "iou_threshold": null})").selection.iou_threshold, std::nullopt);
  EXPECT_EQ(detector(R"({"type": "ssd", "outputs": {"boxes": "b", "scores": "s"}})").selection.iou_threshold,
            std::nullopt);
  EXPECT_EQ(std::get<YoloDecoder>(detector(R"({"type": "yolo", "layout": "gfl"})").decoder).strides,
            (std::vector{8, 16, 32, 64}));
  EXPECT_EQ(detector(R"({"type": "yolo"})", "uint8").input.scale, 1.0);
  EXPECT_EQ(
      good(json::parse(
               R"({"task": "tensor", "input": {"width": 1, "height": 1}, "decoder": {"type": "tensor"}})"))
          .metric,
      "");
}

// ---- round trip -----------------------------------------------------------------------------------------

TEST(InterfaceFormat, WhatIsWrittenComesBack) {
  RandomInterface random(42);
  for (int round = 0; round < 20'000; ++round) {
    const ModelInterface made = random.make();
    const std::string text = to_json(made);
    const auto read = parse_interface(text, "set.json");
    ASSERT_TRUE(read.ok()) << to_string(read.errors()) << text;
    ASSERT_EQ(read.value(), made) << text << to_json(read.value());
  }
}

// ---- broken interfaces ----------------------------------------------------------------------------------

struct Broken {
  const char* name;
  const char* patch;    // merged into the example
  const char* pointer;  // "set.json:LINE POINTER" ends with it
  const char* found;    // what the complaint says was found
  const char* expected;
};

// clang-format off
const Broken kBroken[] = {
    {"no task", R"({"task": null})", "", "`task` is missing", ""},
    {"unknown task", R"({"task": "segment"})", "/task", "`segment`", "classify, detect, tensor"},
    {"metric of another task", R"({"metric": "top1"})", "/metric", "`top1`", "map, map50"},
    {"no input", R"({"input": null})", "", "`input` is missing", ""},
    {"input is a list", R"({"input": [640, 640]})", "/input", "a list", "an object"},
    {"no width", R"({"input": {"width": null}})", "/input", "`width` is missing", ""},
    {"width of 0", R"({"input": {"width": 0}})", "/input/width", "is 0", "between 1 and 8192"},
    {"height too large", R"({"input": {"height": 100000}})", "/input/height", "is 100000", "between 1 and 8192"},
    {"fraction of a pixel", R"({"input": {"height": 640.5}})", "/input/height", "640.5", "a whole number"},
    {"unknown layout", R"({"input": {"layout": "nhcw"}})", "/input/layout", "`nhcw`", "nchw, nhwc"},
    {"type that no picture has", R"({"input": {"type": "int64"}})", "/input/type", "`int64`", "fp32, fp16, uint8"},
    {"unknown colour", R"({"input": {"color": "rbg"}})", "/input/color", "`rbg`", "rgb, bgr, gray"},
    {"mean of two numbers", R"({"input": {"mean": [0, 0]}})", "/input/mean", "2 numbers", "3"},
    {"mean of one number", R"({"input": {"mean": 0.5}})", "/input/mean", "0.5", "a list"},
    {"deviation of 0", R"({"input": {"std": [1, 0, 1]}})", "/input/std/1", "is 0", "above 0"},
    {"scale of 0", R"({"input": {"scale": 0}})", "/input/scale", "is 0", "above 0"},
    {"scale as text", R"({"input": {"scale": "1/255"}})", "/input/scale", "1/255", "a number"},
    {"pad above white", R"({"input": {"pad": [114, 114, 256]}})", "/input/pad/2", "is 256", "between 0 and 255"},
    {"uint8 that is scaled", R"({"input": {"type": "uint8"}})", "/input", "scale is 0.00392156862745098", "scale 1, mean 0, std 1"},
    {"unknown resize", R"({"input": {"resize": "leterbox"}})", "/input/resize", "`leterbox`", "letterbox"},
    {"unknown filter", R"({"input": {"filter": "lanczos"}})", "/input/filter", "`lanczos`", "linear, area, nearest, cubic"},
    {"misspelt key", R"({"input": {"meen": [0, 0, 0]}})", "/input/meen", "unknown key `meen`", "did you mean `mean`?"},
    {"empty name", R"({"input": {"name": ""}})", "/input/name", "the name is empty", "saccade inspect"},
    {"constant without a value", R"({"constants": [{"name": "size"}]})", "/constants/0", "`value` is missing", ""},
    {"constant that is the picture", R"({"constants": [{"name": "images", "value": [1]}]})", "/constants/0/name", "`images`", "given twice"},
    {"constant of an unknown dimension", R"({"constants": [{"name": "s", "value": ["width"]}]})", "/constants/0/value/0", "`width`", "input_width"},
    {"constant with a fraction", R"({"constants": [{"name": "s", "type": "int64", "value": [0.5]}]})", "/constants/0/value/0", "0.5", "a whole number"},
    {"constant with nothing in it", R"({"constants": [{"name": "s", "value": []}]})", "/constants/0/value", "0 values", "1 to 64"},
    {"no decoder", R"({"decoder": null})", "", "`decoder` is missing", ""},
    {"no type of the decoder", R"({"decoder": {"type": null}})", "/decoder", "`type` is missing", ""},
    {"unknown decoder", R"({"decoder": {"type": "yolov8"}})", "/decoder/type", "`yolov8`", "classify, yolo, ssd, detr, tensor"},
    {"decoder of another task", R"({"task": "classify", "metric": "top1"})", "/decoder/type", "the task is classify", "write the decoder classify"},
    {"unknown layout of the output", R"({"decoder": {"layout": "v8"}})", "/decoder/layout", "`v8`", "anchors_last"},
    {"two outputs", R"({"decoder": {"outputs": ["a", "b"]}})", "/decoder/outputs", "names 2", "one output"},
    {"roles of a yolo", R"({"decoder": {"outputs": {"boxes": "b"}}})", "/decoder/outputs", "an object", "a list"},
    {"strides of a layout without", R"({"decoder": {"layout": "anchors_last", "strides": [8]}})", "/decoder/strides", "the layout is anchors_last", "auto, yolox, gfl"},
    {"stride of 0", R"({"decoder": {"strides": [8, 0]}})", "/decoder/strides/1", "is 0", "between 1 and 1024"},
    {"no strides", R"({"decoder": {"strides": []}})", "/decoder/strides", "0 strides", "1 to 8"},
    {"unknown box", R"({"decoder": {"box": "xywy"}})", "/decoder/box", "`xywy`", "cxcywh"},
    {"score in percent", R"({"decoder": {"score_threshold": 25}})", "/decoder/score_threshold", "is 25", "between 0 and 1"},
    {"overlap of 0", R"({"decoder": {"iou_threshold": 0}})", "/decoder/iou_threshold", "is 0", "above 0"},
    {"no objects", R"({"decoder": {"max_objects": 0}})", "/decoder/max_objects", "is 0", "between 1 and 3000"},
    {"agnostic as a number", R"({"decoder": {"agnostic": 1}})", "/decoder/agnostic", "is 1", "true or false"},
    {"key of another decoder", R"({"decoder": {"class_offset": 1}})", "/decoder/class_offset", "unknown key `class_offset`", ""},
};
// Instead of the example's decoder.
const Broken kBrokenDecoders[] = {
    {"ssd without outputs", R"({"type": "ssd"})", "/decoder", "`outputs` is missing", ""},
    {"ssd without scores", R"({"type": "ssd", "outputs": {"boxes": "b"}})", "/decoder/outputs", "`scores` is missing", ""},
    {"ssd with one output for two roles", R"({"type": "ssd", "outputs": {"boxes": "b", "scores": "b"}})", "/decoder/outputs", "`b` has two roles", ""},
    {"ssd with a negative offset", R"({"type": "ssd", "outputs": {"boxes": "b", "scores": "s"}, "class_offset": -1})", "/decoder/class_offset", "is -1", "between 0 and 1000"},
    {"detr without scores", R"({"type": "detr", "outputs": {"boxes": "b"}})", "/decoder/outputs", "but has beside boxes", "either logits, or labels and scores"},
    {"detr with both", R"({"type": "detr", "outputs": {"boxes": "b", "logits": "l", "scores": "s"}})", "/decoder/outputs", "logits scores beside boxes", "either"},
    {"detr with half", R"({"type": "detr", "outputs": {"boxes": "b", "labels": "l"}})", "/decoder/outputs", "labels beside boxes", "either"},
    {"detr with an unknown activation", R"({"type": "detr", "outputs": {"boxes": "b", "logits": "l"}, "activation": "tanh"})", "/decoder/activation", "`tanh`", "none, sigmoid, softmax"},
    {"detr with an unknown background", R"({"type": "detr", "outputs": {"boxes": "b", "logits": "l"}, "background": 0})", "/decoder/background", "is 0", "none, first, last"},
    {"detector with a tensor", R"({"type": "tensor"})", "/decoder/type", "the task is detect", "yolo, ssd or detr"},
};
// clang-format on

void expect_refused(const Broken& broken, const json& document) {
  const auto read = parse_interface(document.dump(), "set.json");
  ASSERT_FALSE(read.ok()) << broken.name;
  bool found = false;
  for (const Error& error : read.errors()) {
    const std::string place =
        std::string("set.json:1") + (*broken.pointer == '\0' ? "" : " ") + broken.pointer;
    const std::string told = error.what + " " + error.hint;
    found = found || (error.where == place && told.find(broken.found) != std::string::npos &&
                      told.find(broken.expected) != std::string::npos);
  }
  EXPECT_TRUE(found) << broken.name << ":\n" << to_string(read.errors());
  EXPECT_EQ(read.errors().size(), 1u) << broken.name << ":\n" << to_string(read.errors());
}

TEST(InterfaceFormat, EveryMistakeIsNamedWithItsPlaceWhatWasFoundAndWhatIsExpected) {
  for (const Broken& broken : kBroken) {
    json document = example();
    document.merge_patch(json::parse(broken.patch));
    expect_refused(broken, document);
  }
  for (const Broken& broken : kBrokenDecoders) {
    json document = example();
    document["decoder"] = json::parse(broken.patch);
    expect_refused(broken, document);
  }
}

TEST(InterfaceFormat, AllMistakesAreToldAtOnce) {
  json document = example();
  document["input"]["width"] = -1;
  document["input"]["mean"] = {1, 2};
  document["constants"][0]["type"] = "float";
  document["decoder"]["layout"] = "v5";
  document["decoder"]["max_objects"] = "many";
  const auto read = parse_interface(document.dump(), "set.json");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.errors().size(), 5u) << to_string(read.errors());
}

// ---- overrides of a variant -----------------------------------------------------------------------------

Result<ModelInterface> overridden(const std::string& variant) {
  text::JsonReport report("set.json");
  const auto document = text::parse_json(variant, report);
  const text::JsonAt root{&*document, ""};
  std::optional<text::JsonAt> input;
  std::optional<text::JsonAt> decoder;
  if (const auto* found = document->find("input")) input = root.member("input", *found);
  if (const auto* found = document->find("decoder")) decoder = root.member("decoder", *found);
  ModelInterface result = read_overrides(good(example()), input, decoder, report);
  if (!report.empty()) return report.errors();
  return result;
}

TEST(InterfaceFormat, AVariantOverridesSizeTypeAndNames) {
  const auto variant = overridden(R"({"input": {"width": 320, "height": 256, "type": "uint8", "name": "x"},
    "decoder": {"outputs": ["y"], "layout": "yolox"}})");
  ASSERT_TRUE(variant.ok()) << to_string(variant.errors());
  ModelInterface expected = good(example());
  expected.input.width = 320;
  expected.input.height = 256;
  expected.input.type = ElementType::uint8;
  expected.input.scale = 1.0;
  expected.input.name = "x";
  std::get<YoloDecoder>(expected.decoder).output = "y";
  std::get<YoloDecoder>(expected.decoder).layout = YoloLayout::yolox;
  EXPECT_EQ(variant.value(), expected);
  EXPECT_EQ(overridden("{}").value(), good(example()));
}

TEST(InterfaceFormat, AVariantOverridesNeitherColoursNorThresholds) {
  for (const auto& [variant, pointer] :
       {std::pair{R"({"input": {"color": "bgr"}})", "/input/color"},
        {R"({"input": {"resize": "stretch"}})", "/input/resize"},
        {R"({"decoder": {"type": "ssd"}})", "/decoder/type"},
        {R"({"decoder": {"score_threshold": 0.5}})", "/decoder/score_threshold"},
        {R"({"decoder": {"unit": "fraction"}})", "/decoder/unit"}}) {
    const auto read = overridden(variant);
    ASSERT_FALSE(read.ok()) << variant;
    EXPECT_EQ(read.errors()[0].where, std::string("set.json:1 ") + pointer);
  }
}

// ---- fuzzing --------------------------------------------------------------------------------------------

TEST(InterfaceFormat, MutatedDocumentsAreReadOrRefused) {
  RandomInterface random_interface(9);
  std::mt19937_64 random(10);
  std::size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = to_json(random_interface.make());
    for (std::uint64_t i = 1 + random() % 4; i > 0; --i) {
      constexpr std::string_view kCharacters = "0123456789.-eE\"{}[],: truefalsn\\\xff";
      text[random() % text.size()] = kCharacters[random() % kCharacters.size()];
    }
    const auto read = parse_interface(text, "set.json");
    if (!read) {
      ++refused;
      continue;
    }
    const auto again = parse_interface(to_json(read.value()), "set.json");
    ASSERT_TRUE(again.ok()) << to_string(again.errors()) << text;
    EXPECT_EQ(again.value(), read.value());
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace saccade::profiles
