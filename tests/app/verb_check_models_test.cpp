// `saccade check` of profile sets with their model files: what does not fit is refused with its place, what
// the graph has, and what to do. Every broken set is a good one with one change.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "app/report/exit_codes.hpp"
#include "tests/app/adopted_sets.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;
using testing::AdoptedSets;
using testing::Output;
using testing::run_verb;

json verdict_of(const std::string& file) {
  const Output done = run_verb({"check", file, "--json"});
  json verdict = json::parse(done.out)["files"][0];
  EXPECT_EQ(done.code == kExitOk, verdict["ok"] == true);
  return verdict;
}

// How many labels each graph of the table takes; 0: it has them in its metadata, or needs none.
const std::map<std::string, std::size_t> kLabels = {
    {"yolo11n", 0},         {"yolo11n-open", 0},   {"resnet", 1000},   {"mobilenet-tf", 1001},
    {"ssd-tensorflow", 90}, {"rtdetr-deploy", 80}, {"rtdetr-raw", 80}, {"detr", 91},
    {"yolox", 80},          {"nanodet-plus", 80},  {"yolov10n", 0},    {"yolov5s", 0},
    {"yolo-nas", 80},       {"text-detector", 0}};

struct BrokenSet {
  const char* graph;
  const char* at;       // what is changed
  const char* value;    // JSON; "" removes it, "n labels" writes so many
  const char* pointer;  // of the complaint
  const char* found;
  const char* expected;
};

// clang-format off
const BrokenSet kBrokenSets[] = {
    {"yolo11n", "/interface/input/name", R"("image")", "/interface/input/name", "no input `image`", "did you mean `images`?"},
    {"yolo11n", "/interface/input/width", "640", "/interface/input/width", "[1, 3, 320, 320]: width 320; the set says 640", "write 320"},
    {"yolo11n", "/interface/input/height", "256", "/interface/input/height", "height 320; the set says 256", "write 320"},
    {"yolo11n", "/interface/input/layout", R"("nhwc")", "/interface/input/layout", "[1, 3, 320, 320], channels first; the set says nhwc", "write \"nchw\""},
    {"yolo11n", "/interface/input/layout", R"("nhcw")", "/interface/input/layout", "`nhcw`", "nchw, nhwc"},
    {"yolo11n", "/interface/input/color", R"("gray")", "/interface/input/color", "3 channels; gray has 1", "rgb"},
    {"yolo11n", "/interface/input/type", R"("fp16")", "/interface/input/type", "the graph takes fp32; the set says fp16", "write \"fp32\""},
    {"yolo11n", "/interface/input/mean", "[0, 0]", "/interface/input/mean", "2 numbers instead of 3", "one per channel"},
    {"yolo11n", "/interface/decoder/outputs", R"(["output1"])", "/interface/decoder/outputs", "no output 'output1'", "output0 [1, 84, 2100]"},
    {"yolo11n", "/labels", "12 labels", "/labels", "the graph gives [1, 84, 2100]: 80 classes; labels has 12", "the labels that the network was trained with"},
    {"yolo11n", "/labels", "[]", "/labels", "there are no labels; the graph gives `output0` float [1, 84, 2100]", "give the labels"},
    {"yolo11n", "/interface/decoder/layout", R"("objectness")", "/interface/decoder/layout", "[1, 84, 2100], which is not objectness", "anchors_last fits"},
    {"yolo11n", "/interface/decoder/layout", R"("v8")", "/interface/decoder/layout", "`v8`", "anchors_last"},
    {"yolo11n", "/variants/0/sha256", R"("0000000000000000000000000000000000000000000000000000000000000000")", "/variants/0/sha256", "is not the one that was measured: its SHA-256 is ", "put the file back"},
    {"yolo11n", "/interface/decoder/extra", "5", "/labels", "75 classes; labels has 80", "`extra`"},
    {"yolo11n", "/interface/decoder", R"({"type": "ssd", "outputs": {"boxes": "output0", "scores": "scores"}})", "/interface/decoder/outputs/scores", "no output 'scores'", "output0"},
    {"yolo11n", "/interface/decoder", R"({"type": "detr", "outputs": {"boxes": "output0", "logits": "logits"}})", "/interface/decoder/outputs/logits", "no output 'logits'", "output0"},
    {"yolo11n", "/interface/decoder", R"({"type": "classify"})", "/interface/decoder/type", "the task is detect", "yolo, ssd or detr"},
    {"yolo11n", "/interface/constants", R"([{"name": "size", "value": [1]}])", "/interface/constants/0/name", "no input `size`", "`images` float [1, 3, 320, 320]"},
    {"yolo11n", "/variants/0/input", R"({"width": 640})", "/variants/0/input/width", "width 320; the set says 640", "write 320"},
    {"yolo11n", "/variants/0/input", R"({"name": "x"})", "/variants/0/input/name", "no input `x`", "it has `images`"},
    {"yolo11n", "/variants/0/decoder", R"({"outputs": ["x"]})", "/variants/0/decoder/outputs", "no output 'x'", "output0"},
    {"yolo11n", "/variants/0/decoder", R"({"layout": "anchors_first"})", "/variants/0/decoder/layout", "not anchors_first", "anchors_last fits"},
    {"yolo11n-open", "/interface/input/width", "650", "/interface/input/width", "width is 650; the network's stride is 32", "672"},
    {"yolo11n-open", "/interface/input/height", "100", "/interface/input/height", "height is 100; the network's stride is 32", "128"},
    {"resnet", "/labels", "999 labels", "/labels", "1000 classes; labels has 999", "the labels that the network was trained with"},
    {"resnet", "/interface/decoder/outputs", R"(["probs"])", "/interface/decoder/outputs", "no output 'probs'", "logits"},
    {"resnet", "/interface/input/height", "256", "/interface/input/height", "[batch, 3, 224, 224]: height 224; the set says 256", "open height"},
    {"resnet", "/interface/input/color", R"("gray")", "/interface/input/color", "3 channels; gray has 1", "rgb"},
    {"mobilenet-tf", "/interface/input/layout", R"("nchw")", "/interface/input/layout", "[batch, 224, 224, 3], channels last; the set says nchw", "write \"nhwc\""},
    {"mobilenet-tf", "/labels", "1000 labels", "/labels", "1001 classes; labels has 1000", "the labels that the network was trained with"},
    {"ssd-tensorflow", "/interface/input/type", R"("fp32")", "/interface/input/type", "the graph takes uint8; the set says fp32", "write \"uint8\""},
    {"ssd-tensorflow", "/interface/input/scale", "0.5", "/interface/input", "scale is 0.5", "leave out scale"},
    {"ssd-tensorflow", "/interface/decoder/outputs/boxes", R"("detection_box")", "/interface/decoder/outputs/boxes", "no output 'detection_box'", "detection_boxes"},
    {"ssd-tensorflow", "/interface/decoder/outputs", R"({"boxes": "detection_scores", "scores": "detection_classes"})", "/interface/decoder/outputs/boxes", "'detection_scores' is [1, 100]", "expected is [1, ?, 4]"},
    {"rtdetr-deploy", "/interface/constants", "", "/interface/constants", "also takes `orig_target_sizes` int64 [N, 2], which nothing gives", "\"name\": \"orig_target_sizes\""},
    {"rtdetr-deploy", "/interface/constants/0/type", R"("fp32")", "/interface/constants/0/type", "the set says fp32", "the graph's type"},
    {"rtdetr-deploy", "/interface/constants/0/value", "[640]", "/interface/constants/0/value", "[N, 2]: 2 values; the set gives 1", ""},
    {"rtdetr-deploy", "/interface/constants/0/name", R"("orig_target_size")", "/interface/constants/0/name", "no input `orig_target_size`", "did you mean `orig_target_sizes`?"},
    {"rtdetr-deploy", "/interface/constants/0/value", R"(["frame_width", "frame_height"])", "/interface/constants/0/value", "pixels of the frame", "input_width and input_height"},
    {"rtdetr-deploy", "/interface/decoder/outputs/labels", R"("classes")", "/interface/decoder/outputs/labels", "no output 'classes'", "labels [?, 300]"},
    {"rtdetr-deploy", "/interface/input/name", R"("orig_target_sizes")", "/interface/constants/0/name", "given twice", "one constant"},
    {"rtdetr-raw", "/interface/decoder/background", R"("last")", "/labels", "[1, 300, 80]: 79 classes; labels has 80", "the labels that the network was trained with"},
    {"rtdetr-raw", "/interface/decoder/outputs", R"({"boxes": "logits", "logits": "pred_boxes"})", "/interface/decoder/outputs/boxes", "'logits' is [1, 300, 80]", "[1, ?, 4]"},
    {"detr", "/interface/decoder/background", R"("none")", "/labels", "[1, 100, 92]: 92 classes; labels has 91", "`background`"},
    {"yolox", "/interface/decoder/strides", "[8, 16]", "/interface/decoder/strides", "3549 candidates; an input of 416 x 416 has 3380 cells with the strides 8, 16", "give the strides"},
    {"nanodet-plus", "/interface/decoder/bins", "16", "/labels", "48 classes; labels has 80", "labels"},
    {"nanodet-plus", "/interface/decoder/strides", "[8, 16]", "/interface/decoder/strides", "2125 candidates; an input of 320 x 320 has 2000 cells", "give the strides"},
    {"yolov10n", "/interface/decoder/layout", R"("anchors_first")", "/interface/decoder/layout", "[1, 300, 6], which is not anchors_first", "end_to_end fits"},
    {"yolov5s", "/labels", "12 labels", "/labels", "[1, 25200, 85]: 80 classes; labels has 12", "`extra`"},
    {"yolo-nas", "/interface/decoder/class_offset", "1", "/labels", "79 classes; labels has 80", "`class_offset`"},
    {"text-detector", "/interface/decoder/outputs", R"(["maps"])", "/interface/decoder/outputs/0", "no output 'maps'", "map"},
};
// clang-format on

json broken(json set, const BrokenSet& change) {
  const json::json_pointer at(change.at);
  const std::string value = change.value;
  if (value.empty()) {
    set[at.parent_pointer()].erase(at.back());
  } else if (value.ends_with(" labels")) {
    json labels = json::array();
    for (int i = 0; i < std::stoi(value); ++i) labels.push_back("label " + std::to_string(i));
    set[at] = labels;
  } else {
    set[at] = json::parse(value);
  }
  return set;
}

TEST(CheckModels, EveryBrokenSetIsRefusedWithItsPlaceWhatWasFoundAndWhatIsExpected) {
  const AdoptedSets sets;
  std::map<std::string, json> good;
  for (const auto& [graph, labels] : kLabels) {
    good[graph] = sets.adopt(graph, labels);
    const json verdict = verdict_of(sets.path(graph + ".json"));
    EXPECT_EQ(verdict["ok"], true) << graph << verdict.dump(1);
  }
  for (const BrokenSet& change : kBrokenSets) {
    SCOPED_TRACE(std::string(change.graph) + " " + change.at + " = " + change.value);
    const std::string file = sets.path("broken.json");
    std::ofstream(file) << broken(good[change.graph], change).dump(1);
    const json verdict = verdict_of(file);
    EXPECT_EQ(verdict["ok"], false);
    const bool told = std::any_of(verdict["errors"].begin(), verdict["errors"].end(), [&](const json& error) {
      const std::string where = error["where"];
      const std::string text = error["what"].get<std::string>() + " " + error["hint"].get<std::string>();
      return where.starts_with(file + ":") && where.ends_with(std::string(" ") + change.pointer) &&
             text.find(change.found) != std::string::npos && text.find(change.expected) != std::string::npos;
    });
    EXPECT_TRUE(told) << verdict["errors"].dump(1);
  }
  EXPECT_GE(std::size(kBrokenSets), 40u);
}

TEST(CheckModels, EverythingIsToldAtOnceAndWhatIsWrongWithManyVariantsOnce) {
  const AdoptedSets sets;
  EXPECT_LE(run_verb({"adopt", sets.add("yolo11n", "y-a"), sets.add("yolo11n", "y-b"),
                      sets.add("yolo11n-open", "y-c"), "--out", sets.path("y.json")})
                .code,
            1);
  json set = json::parse(saccade::testing::file_text(sets.path("y.json")));
  set["labels"].erase(79);
  set["interface"]["input"]["name"] = "pictures";
  set["interface"]["input"]["width"] = 300;
  std::ofstream(sets.path("y.json")) << set.dump(1);
  const json errors = verdict_of(sets.path("y.json"))["errors"];
  ASSERT_EQ(errors.size(), 4u) << errors.dump(1);
  EXPECT_TRUE(errors[0]["where"].get<std::string>().ends_with(" /interface/input/name"));
  EXPECT_EQ(errors[0]["what"], "the graph has no input `pictures` (y-a.onnx, y-b.onnx)");
  EXPECT_EQ(errors[1]["what"], "the graph has no input `pictures` (y-c.onnx)") << "which has other inputs";
  EXPECT_TRUE(errors[2]["where"].get<std::string>().ends_with(" /labels"));
  EXPECT_EQ(errors[2]["what"],
            "the graph gives [1, 84, 2100]: 80 classes; labels has 79 (y-a.onnx, y-b.onnx)");
  EXPECT_EQ(errors[3]["what"], "the graph gives [?, 84, ?]: 80 classes; labels has 79 (y-c.onnx)");
}

TEST(CheckModels, TheSetsOfAConfigurationAreHeldAgainstTheirModelsAsWell) {
  const AdoptedSets sets;
  json set = sets.adopt("yolo11n", 0);
  set["variants"][0]["accuracy"] = 0.4;
  set["variants"][0]["frame_time_seconds"] = {{"cpu", 0.01}};
  set["interface"]["input"]["width"] = 640;
  std::ofstream(sets.path("yolo11n.json")) << set.dump(1);
  const auto errors_with = [&](const std::string& backend) {
    const json config = {{"version", 1},
                         {"processors", {{{"name", "cpu"}}}},
                         {"engine", {{"backend", backend}}},
                         {"tasks",
                          {{{"id", "yard"},
                            {"profiles", "yolo11n.json"},
                            {"fps", 1},
                            {"source", {{"type", "images"}, {"path", "."}}}}}}};
    std::ofstream(sets.path("config.json")) << config.dump(1);
    return verdict_of(sets.path("config.json"))["errors"];
  };
  const json errors = errors_with("auto");
  ASSERT_EQ(errors.size(), 1u) << errors.dump(1);
  EXPECT_TRUE(errors[0]["where"].get<std::string>().starts_with(sets.path("yolo11n.json") + ":"));
  EXPECT_TRUE(errors[0]["where"].get<std::string>().ends_with(" /interface/input/width"));
  EXPECT_EQ(errors_with("simulated").size(), 0u) << "no model is loaded";
}

TEST(CheckModels, DraftsMissingFilesAndBrokenFilesAreTold) {
  const AdoptedSets sets;
  (void)sets.adopt("yolo11n", 0);
  const json draft = verdict_of(sets.path("yolo11n.json"));
  EXPECT_EQ(draft["ok"], true);
  ASSERT_EQ(draft["warnings"].size(), 1u) << draft["warnings"].dump(1);
  EXPECT_NE(draft["warnings"][0]["what"].get<std::string>().find("this set is a draft"), std::string::npos);
  EXPECT_NE(draft["warnings"][0]["what"].get<std::string>().find("/interface/"), std::string::npos);

  std::ofstream(sets.path("yolo11n.onnx")) << "PK\x03\x04 and so on";
  const json spoilt = verdict_of(sets.path("yolo11n.json"));
  EXPECT_EQ(spoilt["errors"][0]["where"], sets.path("yolo11n.onnx"));
  std::filesystem::remove(sets.path("yolo11n.onnx"));
  const json missing = verdict_of(sets.path("yolo11n.json"));
  EXPECT_EQ(missing["ok"], true);
  EXPECT_EQ(missing["warnings"].back()["what"], "there is no model file for yolo11n");
}

}  // namespace
}  // namespace saccade::app
