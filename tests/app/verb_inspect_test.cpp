// `saccade inspect`, and that the libraries which read ONNX files in one process (this one's protobuf, ONNX
// Runtime's and OpenCV's) do not disturb each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "app/report/exit_codes.hpp"
#include "app/verbs/verbs.hpp"
#include "runtime/engines/engine.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app::verb_inspect_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kModels = fs::path(SACCADE_SOURCE_DIR) / "tests/vision/model/models";

struct Inspection {
  int code = 0;
  std::string out;
  std::string err;
};

Inspection inspect(VerbArguments args) {
  args.insert(args.begin(), "inspect");
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_program(args, out, err);
  return {code, out.str(), err.str()};
}

std::string model(const std::string& name) { return (kModels / (name + ".onnx")).string(); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Inspect, PrintsPortsMetadataAndTheDraftWithItsReasons) {
  const Inspection seen = inspect({model("yolo11n")});
  EXPECT_EQ(seen.code, kExitOk);
  EXPECT_EQ(seen.err, "");
  for (const char* part :
       {"pytorch 2.1.0", "opset 12", "images", "[1, 3, 320, 320]", "output0", "[1, 84, 2100]", "AGPL-3.0",
        "draft: YOLOv8 and later", "/interface/decoder/layout", "anchors_last", "guessed", "80: person, ...",
        "the metadata's `names`"}) {
    EXPECT_TRUE(has(seen.out, part)) << part << "\n" << seen.out;
  }
  EXPECT_FALSE(has(seen.out, "to be written"));
  const Inspection open = inspect({model("resnet")});
  EXPECT_TRUE(has(open.out, "to be written or confirmed:\n  /interface/input/scale: ")) << open.out;
}

TEST(Inspect, AsJson) {
  const Inspection seen = inspect({model("rtdetr-deploy"), model("yolo11n-open"), "--json"});
  EXPECT_EQ(seen.code, kExitOk);
  const json document = json::parse(seen.out);
  EXPECT_EQ(document["ok"], true);
  ASSERT_EQ(document["files"].size(), 2u);
  const json& first = document["files"][0];
  EXPECT_EQ(first["inputs"][1],
            json::parse(R"({"name": "orig_target_sizes", "type": "int64", "shape": ["N", 2]})"));
  EXPECT_EQ(first["draft"]["interface"]["constants"][0]["value"],
            json::parse(R"(["input_width", "input_height"])"));
  EXPECT_EQ(first["draft"]["interface"]["decoder"]["type"], "detr");
  EXPECT_EQ(document["files"][1]["metadata"]["imgsz"], "[640, 640]");
  EXPECT_EQ(document["files"][1]["draft"]["labels"].size(), 80u);
}

TEST(Inspect, LabelsAndSideFilesAreTakenIn) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "labels.txt") << "cat\r\ndog\n\n";
  std::ofstream(folder / "side.json")
      << R"({"do_normalize": true, "image_mean": [0.5, 0.5, 0.5], "size": 224})";
  const Inspection seen = inspect({model("resnet"), "--labels", (folder / "labels.txt").string(), "--like",
                                   (folder / "side.json").string(), "--json"});
  EXPECT_EQ(seen.code, kExitOk) << seen.err;
  const json draft = json::parse(seen.out)["files"][0]["draft"];
  EXPECT_EQ(draft["labels"], json::parse(R"(["cat", "dog"])"));
  EXPECT_EQ(draft["interface"]["input"]["mean"], json::parse("[0.5, 0.5, 0.5]"));
  EXPECT_TRUE(has(draft["conflicts"].dump(), "1000 classes; labels has 2"));
}

// Left out, it would shift every label after it.
TEST(Inspect, AnEmptyLineAmongTheLabelsIsRefused) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "labels.txt").string();
  std::ofstream(file) << "cat\n\r\ndog\n\n\n";
  const Inspection seen = inspect({model("resnet"), "--labels", file});
  EXPECT_EQ(seen.code, kExitConfig);
  EXPECT_TRUE(has(seen.err, file + ":2: the line is empty")) << seen.err;
  EXPECT_FALSE(has(seen.err, ":4")) << seen.err;
  std::ofstream(file) << "\n\n";
  EXPECT_TRUE(has(inspect({model("resnet"), "--labels", file}).err, "the file has no labels"));
}

TEST(Inspect, FilesThatAreNoVariantsOfOneNetworkAreTold) {
  EXPECT_EQ(inspect({model("yolo11n"), model("yolo11n-open"), model("yolov10n")}).err, "");
  const Inspection mixed = inspect({model("yolo11n"), model("resnet"), model("yolo11n-pose")});
  EXPECT_EQ(mixed.code, kExitOk);
  EXPECT_TRUE(has(mixed.err, "another kind of output")) << mixed.err;
  EXPECT_TRUE(has(mixed.err, "other labels")) << mixed.err;
}

TEST(Inspect, WhatCannotBeReadIsNamedAndTheRestIsShown) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "broken.onnx") << "PK\x03\x04 and so on";
  const std::string broken = (folder / "broken.onnx").string();
  const Inspection seen = inspect({broken, model("yolox"), "/nowhere.onnx"});
  EXPECT_EQ(seen.code, kExitConfig);
  EXPECT_TRUE(has(seen.err, broken + ": this is a zip archive"));
  EXPECT_TRUE(has(seen.err, "/nowhere.onnx: there is no such file"));
  EXPECT_TRUE(has(seen.out, "draft: YOLOX"));
  const json document = json::parse(inspect({broken, model("yolox"), "--json"}).out);
  EXPECT_EQ(document["ok"], false);
  EXPECT_EQ(document["files"][0]["ok"], false);
  EXPECT_EQ(document["files"][0]["errors"][0]["where"], broken);
  EXPECT_EQ(document["files"][1]["ok"], true);
  EXPECT_EQ(inspect({model("yolox"), "--labels", "/nowhere.txt"}).code, kExitConfig);
  EXPECT_EQ(inspect({model("yolox"), "--like", model("yolox")}).code, kExitConfig);
  EXPECT_EQ(inspect({}).code, kExitUsage);
}

TEST(Inspect, NothingIsWritten) {
  const test::TemporaryFolder folder;
  fs::copy_file(model("yolox"), folder / "m.onnx");
  const auto before = fs::last_write_time(folder / "m.onnx");
  EXPECT_EQ(inspect({(folder / "m.onnx").string()}).code, kExitOk);
  EXPECT_EQ(fs::last_write_time(folder / "m.onnx"), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

// Two copies of protobuf, or one with the same messages twice, would end the process or spoil the heap.
TEST(Inspect, WorksBesideTheEnginesLibraries) {
  const fs::path network =
      fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo/mobilenet_v2-glyphs/w0.25-d0.50-fp32.onnx";
  std::size_t backends = 0;
  for (const char* name : {"onnxruntime", "opencv"}) {
    const auto backend = runtime::make_backend(name);
    if (!backend) continue;  // this build has one of them at least
    ++backends;
    EXPECT_EQ(inspect({network.string()}).code, kExitOk);
    const json seen = json::parse(inspect({network.string(), "--json"}).out)["files"][0];
    const std::int64_t classes = seen["outputs"][0]["shape"].back();
    runtime::EngineSpec spec;
    spec.model = network;
    spec.input.width = spec.input.height = 64;
    spec.classes = static_cast<std::size_t>(classes);
    const auto engine = backend.value()->load(spec);
    ASSERT_TRUE(engine.ok()) << to_string(engine.errors());
    const std::vector<float> pixels(spec.input_size(), 0.5F);
    EXPECT_TRUE(engine.value()->prepare(pixels).ok());
    runtime::Outputs outputs;
    EXPECT_TRUE(engine.value()->infer(outputs).ok());
    const std::span<const float> logits = runtime::logits_of(outputs);
    ASSERT_EQ(logits.size(), spec.classes);
    EXPECT_TRUE(std::any_of(logits.begin(), logits.end(), [](float logit) { return logit != 0.0F; }));
    EXPECT_EQ(inspect({network.string()}).code, kExitOk);
  }
  EXPECT_GE(backends, 1u);
}

}  // namespace
}  // namespace saccade::app::verb_inspect_test
