// `saccade adopt`: a draft of a profile set from model files.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "app/report/exit_codes.hpp"
#include "profiles/interface_io.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/engine.hpp"
#include "tests/app/adopted_sets.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AdoptedSets;
using testing::Output;
using testing::run_verb;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

profiles::ProfileSet read_draft(const std::string& file) {
  auto read = profiles::read_profile_set(file, profiles::Drafts::read);
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : to_string(read.errors()));
  return read ? std::move(read).value() : profiles::ProfileSet{};
}

TEST(Adopt, DraftsASetOfThreeSizes) {
  const AdoptedSets sets;
  const Output done = run_verb({"adopt", sets.add("yolo11n", "models/yolo11n-320"),
                                sets.add("yolo11n-open", "models/yolo11n-640-int8"),
                                sets.add("yolov10n", "models/yolo11n-e2e"), "--out", sets.path("yard.json")});
  EXPECT_EQ(done.code, kExitOk) << done.err << done.out;
  EXPECT_EQ(done.err, "");
  EXPECT_TRUE(contains(done.out, "a draft of yolo11n with 3 variants")) << done.out;
  EXPECT_TRUE(contains(done.out, "saccade profile " + sets.path("yard.json") + " --data FOLDER"));

  const profiles::ProfileSet set = read_draft(sets.path("yard.json"));
  EXPECT_TRUE(set.is_draft());
  EXPECT_EQ(set.network, "yolo11n");
  EXPECT_EQ(set.labels.size(), 80u);
  EXPECT_EQ(set.device.processors, std::vector{ProcessorId("cpu")});
  EXPECT_FALSE(set.device.name.empty());
  EXPECT_EQ(set.interface.input.resize, profiles::Resize::letterbox);
  ASSERT_EQ(set.variants.size(), 3u);
  EXPECT_EQ(set.variants[0].id, VariantId("yolo11n-320"));
  EXPECT_EQ(set.variants[0].model, "models/yolo11n-320.onnx");
  EXPECT_EQ(set.variants[0].sha256, runtime::sha256_of(sets.path("models/yolo11n-320.onnx")).value());
  EXPECT_FALSE(set.variants[0].interface);
  EXPECT_EQ(profiles::input_of(set, set.variants[1]).width, 640);
  EXPECT_EQ(set.variants[1].precision, profiles::Precision::int8);
  const profiles::ModelInterface last = profiles::interface_of(set, set.variants[2]);
  EXPECT_EQ(std::get<profiles::YoloDecoder>(last.decoder).layout, profiles::YoloLayout::end_to_end);
  EXPECT_EQ(last.selection, set.interface.selection) << "the selection is the set's";
}

TEST(Adopt, WhatWasGuessedIsListedWithPlacesThatExist) {
  const AdoptedSets sets;
  run_verb({"adopt", sets.add("yolo11n"), sets.add("yolo11n-open"), sets.add("yolov10n"), "--out",
            sets.path("set.json")});
  const json document = json::parse(saccade::testing::file_text(sets.path("set.json")));
  const auto guessed = document["provenance"]["guessed"].get<std::vector<std::string>>();
  for (const std::string& pointer : guessed)
    EXPECT_TRUE(document.contains(json::json_pointer(pointer))) << pointer;
  for (const char* place : {"/interface/input/resize", "/interface/input/scale", "/interface/decoder/layout",
                            "/variants/1/precision"}) {
    EXPECT_NE(std::find(guessed.begin(), guessed.end(), place), guessed.end()) << place;
  }
  EXPECT_EQ(std::find(guessed.begin(), guessed.end(), "/interface/input/width"), guessed.end());
  EXPECT_TRUE(contains(document["provenance"]["read_from"], "the metadata's `names`"));
  EXPECT_TRUE(document["variants"][0]["accuracy"].is_null());
}

// Every graph is adopted, and what is written can be checked.
TEST(Adopt, EveryFamilyBecomesADraftThatIsReadAgain) {
  const AdoptedSets sets;
  const fs::path models = fs::path(SACCADE_SOURCE_DIR) / "tests/vision/model/models";
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(models)) {
    const std::string name = entry.path().stem().string();
    const Output done = run_verb({"adopt", sets.add(name), "--out", sets.path(name + ".json")});
    ASSERT_LE(done.code, kExitFailed) << name << done.err;
    const profiles::ProfileSet set = read_draft(sets.path(name + ".json"));
    EXPECT_EQ(set.variants.size(), 1u) << name;
    EXPECT_EQ(done.code == kExitOk, !contains(done.out, "to be written or confirmed")) << name;
    ++count;
  }
  EXPECT_GE(count, 20u);
}

TEST(Adopt, OpenQuestionsArePrintedAndTheExitCodeSaysSo) {
  const AdoptedSets sets;
  const Output done = run_verb({"adopt", sets.add("resnet"), "--out", sets.path("set.json")});
  EXPECT_EQ(done.code, kExitFailed);
  EXPECT_TRUE(contains(done.out, "to be written or confirmed in it:")) << done.out;
  EXPECT_TRUE(contains(done.out, "  /labels: the graph gives 1000 classes")) << done.out;
  EXPECT_TRUE(contains(done.out, "  /interface/input/scale: ")) << done.out;
  EXPECT_TRUE(fs::exists(sets.path("set.json")));
  // Answers on the command line.
  std::ofstream(sets.path("preprocessor_config.json"))
      << R"({"do_normalize": true, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
            "rescale_factor": 0.00392156862745098, "size": {"height": 224, "width": 224}, "resample": 2})";
  const Output answered =
      run_verb({"adopt", sets.path("resnet.onnx"), "--out", sets.path("set.json"), "--labels",
                sets.labels(1000), "--like", sets.path("preprocessor_config.json"), "--force"});
  EXPECT_EQ(answered.code, kExitOk) << answered.out << answered.err;
  EXPECT_EQ(read_draft(sets.path("set.json")).interface.input.mean[0], 0.5);
}

TEST(Adopt, ASizeThatNoFileSaysIsDraftedAndAskedFor) {
  const AdoptedSets sets;
  const Output done =
      run_verb({"adopt", sets.add("text-detector"), "--out", sets.path("set.json"), "--json"});
  EXPECT_EQ(done.code, kExitFailed);
  const json told = json::parse(done.out);
  const bool asked = std::any_of(told["open"].begin(), told["open"].end(),
                                 [](const json& one) { return one["where"] == "/interface/input/width"; });
  EXPECT_TRUE(asked) << told["open"].dump(1);
  EXPECT_EQ(read_draft(sets.path("set.json")).input.width, 640);
}

TEST(Adopt, FilesThatAreNoVariantsOfOneNetworkAreRefusedAllAtOnce) {
  const AdoptedSets sets;
  const Output done = run_verb({"adopt", sets.add("yolo11n"), sets.add("resnet"), sets.add("yolo11n-pose"),
                                sets.add("yolox"), "--out", sets.path("set.json")});
  EXPECT_EQ(done.code, kExitConfig);
  EXPECT_TRUE(contains(done.err, sets.path("resnet.onnx") + ": the network has another kind of output"))
      << done.err;
  EXPECT_TRUE(contains(done.err, sets.path("yolo11n-pose.onnx") + ": the network has other labels"))
      << done.err;
  EXPECT_TRUE(contains(done.err, "(/interface/input/color)")) << done.err;
  EXPECT_TRUE(contains(done.err, "(/interface/input/align)")) << done.err;
  EXPECT_FALSE(fs::exists(sets.path("set.json")));
}

TEST(Adopt, FilesThatContradictThemselvesAreRefused) {
  const AdoptedSets sets;
  const Output done =
      run_verb({"adopt", sets.add("yolo11n"), "--labels", sets.labels(12), "--out", sets.path("set.json")});
  EXPECT_EQ(done.code, kExitConfig);
  EXPECT_TRUE(contains(done.err, "yolo11n.onnx /labels: there are two sets of labels")) << done.err;
  EXPECT_TRUE(contains(done.err, "80 classes; labels has 12")) << done.err;
  EXPECT_FALSE(fs::exists(sets.path("set.json")));
}

TEST(Adopt, LabelsOnTheCommandLineMayRepeatAndReplaceTheMetadata) {
  const AdoptedSets sets;
  std::ofstream labels(sets.path("labels.txt"));
  for (int i = 0; i < 80; ++i) labels << (i == 3 || i == 12 ? "???" : "thing " + std::to_string(i)) << '\n';
  labels.close();
  const Output done = run_verb(
      {"adopt", sets.add("yolo11n"), "--labels", sets.path("labels.txt"), "--out", sets.path("set.json")});
  EXPECT_EQ(done.code, kExitOk) << done.err << done.out;
  const profiles::ProfileSet set = read_draft(sets.path("set.json"));
  EXPECT_EQ(set.labels[3], "???");
  EXPECT_EQ(set.labels[12], "??? (12)");
  EXPECT_NE(std::find(set.provenance.guessed.begin(), set.provenance.guessed.end(), "/labels"),
            set.provenance.guessed.end());
  EXPECT_TRUE(contains(set.provenance.read_from, "labels.txt, instead of the metadata's `names`"));
}

TEST(Adopt, ModelsLieBelowTheFolderOfTheSet) {
  const AdoptedSets sets;
  const AdoptedSets elsewhere;
  const Output done =
      run_verb({"adopt", sets.add("yolo11n"), elsewhere.add("yolo11n-open"), "--out", sets.path("set.json")});
  EXPECT_EQ(done.code, kExitConfig);
  EXPECT_TRUE(contains(done.err, elsewhere.path("yolo11n-open.onnx") + ": it does not lie below "))
      << done.err;
  EXPECT_TRUE(contains(done.err, "--out ")) << "what to do\n" << done.err;
  EXPECT_FALSE(contains(done.err, sets.path("yolo11n.onnx") + ":"));
  EXPECT_FALSE(fs::exists(sets.path("set.json")));
}

TEST(Adopt, WithoutOutTheSetLiesBesideTheModelsAndHasTheirName) {
  const AdoptedSets sets;
  const Output done =
      run_verb({"adopt", sets.add("yolo11n", "m/a/yolo-s"), sets.add("yolo11n", "m/b/yolo-s")});
  EXPECT_EQ(done.code, kExitOk) << done.err;
  const profiles::ProfileSet set = read_draft(sets.path("m/yolo-s.json"));
  EXPECT_EQ(set.variants[0].id, VariantId("a-yolo-s"));
  EXPECT_EQ(set.variants[1].id, VariantId("b-yolo-s"));
  EXPECT_EQ(set.variants[1].model, "b/yolo-s.onnx");
  EXPECT_EQ(set.network, "yolo-s");
  EXPECT_EQ(run_verb({"adopt", sets.add("yolo11n", "w0.5"), sets.add("yolo11n", "x"), "--out",
                      sets.path("yard.json")})
                .code,
            kExitOk);
  EXPECT_EQ(read_draft(sets.path("yard.json")).network, "yard") << "the files have nothing in common";
  EXPECT_EQ(run_verb({"adopt", sets.path("m/a/yolo-s.onnx"), "--name", "mine"}).code, kExitOk);
  EXPECT_EQ(read_draft(sets.path("m/a/mine.json")).network, "mine");
}

TEST(Adopt, AnExistingFileIsLeftAsItIsUnlessForced) {
  const AdoptedSets sets;
  std::ofstream(sets.path("set.json")) << "mine";
  const VerbArguments args = {"adopt", sets.add("yolo11n"), "--out", sets.path("set.json")};
  const Output refused = run_verb(args);
  EXPECT_EQ(refused.code, kExitUsage);
  EXPECT_TRUE(contains(refused.err, "--force replaces it")) << refused.err;
  EXPECT_EQ(saccade::testing::file_text(sets.path("set.json")), "mine");
  VerbArguments forced = args;
  forced.emplace_back("--force");
  EXPECT_EQ(run_verb(forced).code, kExitOk);
  EXPECT_EQ(read_draft(sets.path("set.json")).network, "yolo11n");
}

TEST(Adopt, SaysAsJsonWhatItDid) {
  const AdoptedSets sets;
  const Output done = run_verb(
      {"adopt", sets.add("rtdetr-raw"), "--labels", sets.labels(80), "--out", sets.path("s.json"), "--json"});
  const json told = json::parse(done.out);
  EXPECT_EQ(told["file"], sets.path("s.json"));
  EXPECT_EQ(told["ok"], told["open"].empty());
  EXPECT_EQ(told["written"], true);
  EXPECT_EQ(told["labels"], 80);
  EXPECT_EQ(told["variants"][0]["width"], 640);
  EXPECT_EQ(told["origins"][0]["origin"], "read");
  const Output refused = run_verb({"adopt", sets.path("s.json"), "/nowhere.onnx", "--json"});
  EXPECT_EQ(refused.code, kExitConfig);
  const json errors = json::parse(refused.out);
  EXPECT_EQ(errors["written"], false);
  EXPECT_EQ(errors["errors"].size(), 2u) << errors.dump(1);
}

TEST(Adopt, MistakesOfTheCommandLine) {
  const AdoptedSets sets;
  EXPECT_EQ(run_verb({"adopt"}).code, kExitUsage);
  EXPECT_EQ(run_verb({"adopt", sets.add("yolox"), "--name", "a b"}).code, kExitUsage);
  EXPECT_EQ(run_verb({"adopt", sets.path("yolox.onnx"), "--labels", "/nowhere.txt"}).code, kExitConfig);
  EXPECT_EQ(
      run_verb({"adopt", sets.path("yolox.onnx"), sets.path("yolox.onnx"), "--out", sets.path("s.json")})
          .code,
      kExitConfig)
      << "one file twice";
  const Output nowhere = run_verb({"adopt", sets.add("yolo11n"), "--out", sets.path("missing/s.json")});
  EXPECT_NE(nowhere.code, kExitOk);
  EXPECT_NE(nowhere.err, "");
}

}  // namespace
}  // namespace saccade::app
