#include "vision/model/interface_guess.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>

#include "profiles/interface_io.hpp"
#include "tests/vision/model/guesses.hpp"
#include "text/utf8.hpp"

namespace saccade::vision {
namespace {

using profiles::NetworkTask;
using profiles::Resize;
using profiles::TensorDecoder;
using testing::graph;
using testing::guess_of;
using testing::kOpen;
using testing::labels_of;
using testing::model_file;
using testing::num;
using testing::origin_of;
using testing::port;
using testing::question;
using testing::says_of;

TEST(InterfaceGuess, SideFilesAreTakenOver) {
  const SideFile side =
      parse_side_file(R"({"do_normalize": true, "image_mean": [0.5, 0.4, 0.3], "resample": 3,
    "image_std": [0.2, 0.2, 0.2], "do_center_crop": true, "crop_size": 224, "size": {"shortest_edge": 224}})",
                      "preprocessor_config.json")
          .value();
  const InterfaceGuess guess = guess_interface(model_file("resnet"), std::array{side});
  EXPECT_EQ(guess.interface.input.mean, (std::array{0.5, 0.4, 0.3}));
  EXPECT_EQ(guess.interface.input.resize, Resize::cover);
  EXPECT_EQ(guess.interface.input.filter, profiles::Filter::cubic);
  EXPECT_EQ(origin_of(guess, "/interface/input/mean"), Origin::read);
  EXPECT_EQ(question(guess.open, "/interface/input/scale"), "");
  SideFile other = side;
  other.size->value = {256, 256};
  EXPECT_TRUE(says_of(guess_interface(model_file("resnet"), std::array{other}).conflicts, "/interface/input",
                      "256x256"));
}

TEST(InterfaceGuess, EverythingElseIsHandedOnAndSaid) {
  for (const char* name : {"blazeface", "text-detector", "text-reader"}) {
    const InterfaceGuess guess = guess_of(name);
    EXPECT_EQ(guess.interface.task, NetworkTask::tensor) << name;
    EXPECT_TRUE(std::holds_alternative<TensorDecoder>(guess.interface.decoder)) << name;
    EXPECT_NE(question(guess.open, "/interface/decoder"), "") << name;
  }
}

TEST(InterfaceGuess, Contradictions) {
  EXPECT_TRUE(
      says_of(guess_of("yolox", 12).conflicts, "/labels", "[1, 3549, 85]: 80 classes; labels has 12"));
  EXPECT_TRUE(says_of(guess_of("yolo11n", 12).conflicts, "/labels", "two sets of labels"));
  LabelList blank = labels_of(1000);
  blank.names[7] = "a\nb";
  EXPECT_TRUE(
      says_of(guess_interface(model_file("resnet"), {}, &blank).conflicts, "/labels", "cannot be shown"));
  const OnnxFile batch =
      graph({port("x", {num(8), num(3), num(64), num(64)})}, {port("y", {num(8), num(10)})});
  EXPECT_TRUE(
      says_of(guess_interface(batch).conflicts, "/interface/input", "the batch of [8, 3, 64, 64] is fixed"));
  const OnnxFile sound = graph({port("sound", {num(1), num(16000)})}, {port("y", {num(1), num(10)})});
  EXPECT_TRUE(says_of(guess_interface(sound).conflicts, "/interface/input", "float [1, 16000]"));
  OnnxFile stride = model_file("yolo11n");
  stride.inputs[0].shape = OnnxShape{num(1), num(3), num(320), num(330)};
  EXPECT_NE(to_string(guess_interface(stride).conflicts).find("its metadata's `imgsz` says 320x320"),
            std::string::npos);
  EXPECT_NE(to_string(guess_interface(stride).conflicts).find("not a multiple of the stride 32"),
            std::string::npos);
}

// ImageNet has two cranes, COCO's numbers have gaps called "N/A".
TEST(InterfaceGuess, RepeatedNamesGetTheNumberOfTheirClass) {
  LabelList list = labels_of(1000);
  list.names[134] = list.names[517] = "crane";
  list.names[7] = list.names[8] = list.names[9] = "N/A";
  list.names[900] = "N/A (8)";
  const InterfaceGuess guess = guess_interface(model_file("resnet"), {}, &list);
  EXPECT_EQ(to_string(guess.conflicts), "");
  EXPECT_EQ(guess.labels[134], "crane");
  EXPECT_EQ(guess.labels[517], "crane (517)");
  EXPECT_EQ(guess.labels[7], "N/A");
  EXPECT_EQ(guess.labels[8], "N/A (8) (8)") << "the other name stays";
  EXPECT_EQ(guess.labels[9], "N/A (9)");
  EXPECT_EQ(guess.labels[900], "N/A (8)");
  EXPECT_EQ(std::set<std::string>(guess.labels.begin(), guess.labels.end()).size(), 1000u);
  int told = 0;
  for (const FieldOrigin& field : guess.origins) {
    if (field.pointer != "/labels" || field.origin != Origin::guessed) continue;
    ++told;
    EXPECT_EQ(field.why, "3 names occur again and get the number of their class: `N/A (8) (8)`, ...");
  }
  EXPECT_EQ(told, 1);
}

TEST(InterfaceGuess, LabelsThatAreGivenReplaceThoseOfTheMetadata) {
  LabelList list = labels_of(80);
  const InterfaceGuess guess = guess_interface(model_file("yolo11n"), {}, &list);
  EXPECT_EQ(to_string(guess.conflicts), "");
  EXPECT_EQ(guess.labels, list.names);
  EXPECT_TRUE(std::find(guess.origins.begin(), guess.origins.end(),
                        FieldOrigin{"/labels", Origin::read,
                                    "labels.txt, instead of the metadata's `names`"}) != guess.origins.end());
  // The names that are not taken may repeat.
  OnnxFile repeated = model_file("yolo11n-cls");
  for (auto& [key, value] : repeated.metadata) {
    if (key == "names")
      value = "{0: 'a', 1: 'a', 2: 'a', 3: 'a', 4: 'a', 5: 'a', 6: 'a', 7: 'a', 8: 'a', 9: 'a'}";
  }
  list = labels_of(10);
  EXPECT_EQ(guess_interface(repeated, {}, &list).labels, list.names);
  EXPECT_EQ(guess_interface(repeated).labels[9], "a (9)");
  // Of two files beside the model neither was chosen.
  const SideFile side =
      parse_side_file(R"({"id2label": {"0": "b", "1": "c", "2": "d", "3": "e", "4": "f", "5": "g", "6": "h",
    "7": "i", "8": "j", "9": "k"}})",
                      "config.json")
          .value();
  EXPECT_TRUE(
      says_of(guess_interface(repeated, std::array{side}).conflicts, "/labels", "two sets of labels"));
  EXPECT_EQ(to_string(guess_interface(repeated, std::array{side}, &list).conflicts), "");
}

TEST(InterfaceGuess, AmbiguousInputsAreAsked) {
  OnnxFile both = graph({port("x", {num(1), num(3), num(64), num(3)})}, {port("y", {num(1), num(10)})});
  EXPECT_NE(question(guess_interface(both).open, "/interface/input/layout"), "");
  OnnxFile open = graph({port("x", {kOpen, kOpen, kOpen, kOpen})}, {port("y", {num(1), num(10)})});
  EXPECT_NE(question(guess_interface(open).open, "/interface/input/layout"), "");
  OnnxFile second =
      graph({port("x", {num(1), num(3), num(64), num(64)}), port("scale_factor", {num(1), num(2)})},
            {port("y", {num(1), num(10)})});
  EXPECT_TRUE(says_of(guess_interface(second).open, "/interface/constants", "`scale_factor`, float [1, 2]"));
  OnnxFile two = graph(
      {port("left", {num(1), num(3), num(64), num(64)}), port("image", {num(1), num(3), num(64), num(64)})},
      {port("y", {num(1), num(10)})});
  EXPECT_EQ(guess_interface(two).interface.input.name, "image");
  EXPECT_NE(question(guess_interface(two).open, "/interface/input/name"), "");
  OnnxFile gray = graph({port("x", {num(1), num(1), num(64), num(64)})}, {port("y", {num(1), num(10)})});
  EXPECT_EQ(guess_interface(gray).interface.input.color, profiles::ColorOrder::gray);
}

// Every draft that has a size is an interface that the reader takes.
TEST(InterfaceGuess, DraftsAreReadableInterfaces) {
  for (const std::string& name : testing::model_names()) {
    const InterfaceGuess guess = guess_of(name);
    profiles::ModelInterface draft = guess.interface;
    if (draft.input.width == 0) draft.input.width = draft.input.height = 320;
    const auto read = profiles::parse_interface(profiles::to_json(draft), name);
    ASSERT_TRUE(read.ok()) << to_string(read.errors()) << profiles::to_json(draft);
    EXPECT_EQ(read.value(), draft) << profiles::to_json(draft);
    for (const FieldOrigin& field : guess.origins) {
      EXPECT_TRUE(field.pointer.starts_with("/interface/") || field.pointer == "/labels") << field.pointer;
      EXPECT_FALSE(field.why.empty()) << field.pointer;
    }
  }
}

// As every graph that is read.
bool has_names_of_its_own(const OnnxFile& file) {
  std::set<std::string> names;
  for (const OnnxPort& input : file.inputs) names.insert(input.name);
  if (names.size() != file.inputs.size()) return false;
  names.clear();
  for (const OnnxPort& output : file.outputs) names.insert(output.name);
  return names.size() == file.outputs.size();
}

constexpr std::array kPortNames = {"boxes",
                                   "scores",
                                   "labels",
                                   "dets",
                                   "logits",
                                   "output0",
                                   "images",
                                   "detection_boxes",
                                   "detection_scores",
                                   "detection_classes",
                                   "x",
                                   "orig_target_sizes",
                                   "TFLite_Detection_PostProcess"};
constexpr std::array kPortTypes = {"float", "float16", "uint8", "int64", "int32", "double", "sequence"};
constexpr std::array<std::int64_t, 21> kSides = {
    1, 2, 3, 4, 6, 16, 32, 64, 80, 84, 85, 112, 300, 320, 640, 2100, 2125, 6300, 8400, 25200, 2147483647};
constexpr std::array<std::pair<const char*, const char*>, 14> kWords = {
    {{"names", "{0: 'a', 1: 'b'}"},
     {"names", "{0: 'a'"},
     {"stride", "32"},
     {"stride", "[0]"},
     {"task", "segment"},
     {"task", "pose"},
     {"imgsz", "[640, 640]"},
     {"imgsz", "[-1]"},
     {"imgsz", "[640996400]"},
     {"kpt_shape", "[17, 3]"},
     {"kpt_shape", "[9999999999, 9999999999]"},
     {"end2end", "True"},
     {"author", "Ultralytics"},
     {"args", "{'nms': True}"}}};

// What is more, every draft is an interface that can be written and read.
TEST(InterfaceGuess, AnyPortsGiveAnAnswer) {
  std::mt19937_64 random(3);
  const auto random_port = [&](std::size_t index) {
    OnnxPort made;
    made.name = kPortNames[random() % kPortNames.size()] +
                std::string(random() % 2 == 0 ? "" : std::to_string(index));
    made.type = kPortTypes[random() % 3 == 0 ? random() % kPortTypes.size() : 0];
    if (random() % 20 == 0) return made;
    made.shape.emplace();
    for (std::uint64_t i = random() % 6; i > 0; --i) {
      made.shape->push_back(random() % 5 == 0 ? kOpen : OnnxDimension(kSides[random() % kSides.size()]));
    }
    return made;
  };
  std::map<std::string, int> families;
  for (int round = 0; round < 100'000; ++round) {
    OnnxFile file;
    for (std::uint64_t i = random() % 3; i > 0; --i) file.inputs.push_back(random_port(i));
    if (random() % 2 == 0) file.inputs.push_back(port("images", {num(1), num(3), num(640), num(640)}));
    for (std::uint64_t i = random() % 5; i > 0; --i) file.outputs.push_back(random_port(i));
    for (std::uint64_t i = random() % 4; i > 0; --i)
      file.metadata.push_back(kWords[random() % kWords.size()]);
    const LabelList labels = labels_of(random() % 100);
    const InterfaceGuess guess = guess_interface(file, {}, random() % 2 == 0 ? &labels : nullptr);
    ++families[guess.family];
    ASSERT_FALSE(guess.family.empty());
    ASSERT_TRUE(!file.inputs.empty() || !guess.conflicts.empty());
    if (round % 10 != 0 || !has_names_of_its_own(file)) continue;
    profiles::ModelInterface draft = guess.interface;
    draft.input.width = std::max(draft.input.width, 1);  // 0: the question is open
    draft.input.height = std::max(draft.input.height, 1);
    const auto again = profiles::parse_interface(profiles::to_json(draft), "set.json");
    ASSERT_TRUE(again) << to_string(again.errors());
    ASSERT_EQ(again.value(), draft);
  }
  EXPECT_GE(families.size(), 10u);
}

}  // namespace
}  // namespace saccade::vision
