// Drafts of profile sets from several files, and the precision of a file.
#include "vision/model/set_draft.hpp"

#include <gtest/gtest.h>

#include <random>

#include "profiles/profile_io.hpp"
#include "tests/vision/model/model_files.hpp"
#include "text/object_reader.hpp"
#include "vision/model/graph_check.hpp"
#include "vision/model/precision_guess.hpp"

namespace saccade::vision {
namespace {

namespace fs = std::filesystem;
using testing::model_file;

ModelDraft draft_of(const std::string& graph, const std::string& model) {
  ModelDraft draft;
  draft.file = "folder/" + model;
  draft.model = model;
  draft.graph = model_file(graph);
  draft.guess = guess_interface(draft.graph);
  return draft;
}

SetDraft drafted(const std::vector<ModelDraft>& models) {
  auto draft = draft_set("net", models);
  EXPECT_TRUE(draft.ok()) << (draft.ok() ? "" : to_string(draft.errors()));
  return draft ? std::move(draft).value() : SetDraft{};
}

TEST(SetDraft, TheNetworkIsCalledWhatItsFilesHaveInCommon) {
  const auto name = [](const std::vector<std::string>& files) {
    std::vector<ModelDraft> models;
    for (const std::string& file : files) models.push_back(draft_of("yolo11n", file));
    return network_from(models);
  };
  EXPECT_EQ(name({"yolo11n.onnx"}), "yolo11n");
  EXPECT_EQ(name({"yolo11n-320.onnx", "yolo11n-640-int8.onnx"}), "yolo11n");
  EXPECT_EQ(name({"yard_n-320.onnx", "yard_n-32.onnx"}), "yard_n") << "whole words";
  EXPECT_EQ(name({"gate-320.onnx", "gate-320-int8.onnx"}), "gate-320");
  EXPECT_EQ(name({"a.onnx", "b.onnx"}), "");
  EXPECT_EQ(drafted({draft_of("yolo11n", "a.onnx")}).set.network, "net");
}

TEST(SetDraft, IdsAreUsableAndDiffer) {
  EXPECT_EQ(id_from("models/yolo v8 (best).onnx"), "yolo-v8--best-");
  EXPECT_EQ(id_from("-.onnx"), "model");
  EXPECT_EQ(id_from("net.v2.onnx"), "net.v2");
  for (const char* name : {"\xC3\xA9t\xC3\xA9.onnx", "...onnx", "a/b/c", "_x.onnx"})
    EXPECT_TRUE(text::is_id(id_from(name))) << name;
  EXPECT_TRUE(text::is_id(id_from(std::string(300, 'x') + ".onnx")));
  const SetDraft draft = drafted({draft_of("yolo11n", "a/n.onnx"), draft_of("yolo11n", "b/n.onnx"),
                                  draft_of("yolo11n", "n.onnx"), draft_of("yolo11n", "c/a-n.onnx")});
  std::vector<std::string> ids;
  for (const profiles::Variant& variant : draft.set.variants) ids.push_back(variant.id.str());
  EXPECT_EQ(ids, (std::vector<std::string>{"a-n", "b-n", "n", "a-n-2"}));
}

TEST(SetDraft, QuestionsStandWhereTheAnswerIsWritten) {
  const SetDraft draft = drafted({draft_of("resnet", "r-a.onnx"), draft_of("resnet", "r-b.onnx")});
  ASSERT_FALSE(draft.open.empty());
  for (const Error& question : draft.open) {
    EXPECT_TRUE(question.where.starts_with("/interface/") || question.where == "/labels")
        << to_string(question);
    EXPECT_EQ(question.what.find("r-a.onnx"), std::string::npos) << "said once for both: " << question.what;
  }
  EXPECT_TRUE(draft.set.is_draft());
  EXPECT_EQ(profiles::interface_of(draft.set, draft.set.variants[1]), draft.set.interface);
}

TEST(SetDraft, ADifferentLayoutIsTheVariants) {
  const SetDraft draft = drafted({draft_of("yolo11n", "n-a.onnx"), draft_of("yolov10n", "n-b.onnx")});
  const bool told = std::any_of(draft.origins.begin(), draft.origins.end(), [](const FieldOrigin& field) {
    return field.pointer == "/variants/1/decoder/layout" && field.origin == Origin::read;
  });
  EXPECT_TRUE(told);
  const SetDraft other = drafted({draft_of("yolov10n", "n-b.onnx"), draft_of("yolo11n", "n-a.onnx")});
  EXPECT_TRUE(other.set.interface.selection.iou_threshold) << "one of the files needs suppression";
  EXPECT_NE(std::find(other.set.provenance.guessed.begin(), other.set.provenance.guessed.end(),
                      "/interface/decoder/iou_threshold"),
            other.set.provenance.guessed.end());
}

// As tests/fuzz/model.cpp does it for longer.
TEST(SetDraft, MutatedFilesBecomeSetsThatAreReadAgainOrAreRefused) {
  std::mt19937_64 random(11);
  std::size_t drafts = 0;
  for (const std::string& name : testing::model_names()) {
    for (int round = 0; round < 60; ++round) {
      std::string bytes = testing::model_bytes(name);
      for (std::uint64_t i = random() % 4; i > 0; --i)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      auto graph = testing::parse_bytes(bytes);
      if (!graph) continue;
      ModelDraft model{"model.onnx", "model.onnx", "", graph.value(), guess_interface(graph.value())};
      auto draft = draft_set("net", {&model, 1});
      if (!draft) continue;
      ++drafts;
      profiles::ProfileSet& set = draft.value().set;
      set.device.processors = {ProcessorId("cpu")};
      const auto read =
          profiles::parse_profile_set(profiles::to_json(set), "set.json", {}, profiles::Drafts::read);
      ASSERT_TRUE(read.ok()) << name << to_string(read.errors());
      EXPECT_EQ(read.value(), set) << name << profiles::to_json(set);
      const std::vector<VariantGraph> graphs = {{0, std::move(graph).value()}};
      for (const Error& error : check_graphs(set, graphs))
        EXPECT_TRUE(error.where.starts_with("/")) << error.where;
    }
  }
  EXPECT_GT(drafts, 200u);
}

// ---- precision ------------------------------------------------------------------------------------------

TEST(PrecisionGuess, IsReadFromTheWeightsOfEveryShippedNetwork) {
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".onnx") continue;
    const auto file = read_onnx_file(entry.path());
    ASSERT_TRUE(file.ok()) << to_string(file.errors());
    const PrecisionGuess guess = guess_precision(file.value(), "model.onnx");
    EXPECT_EQ(guess.origin, Origin::read) << entry.path();
    EXPECT_TRUE(name.ends_with(to_string(guess.precision))) << entry.path() << guess.why;
    ++files;
  }
  EXPECT_GE(files, 10u);
}

TEST(PrecisionGuess, IsGuessedFromTheNameOfAFileWithoutWeights) {
  const OnnxFile empty;
  EXPECT_EQ(guess_precision(empty, "yolo-INT8.onnx").precision, profiles::Precision::int8);
  EXPECT_EQ(guess_precision(empty, "yolo_fp16.onnx").precision, profiles::Precision::fp16);
  EXPECT_EQ(guess_precision(empty, "yolo_fp16.onnx").origin, Origin::guessed);
  EXPECT_EQ(guess_precision(empty, "int8/yolo.onnx").precision, profiles::Precision::fp32)
      << "not the folder's";
  EXPECT_EQ(guess_precision(empty, "yolo.onnx").origin, Origin::assumed);
  OnnxFile half;
  half.weights = {{"float", 1000}, {"float16", 5000}, {"int64", 90000}};
  EXPECT_EQ(guess_precision(half, "yolo-int8.onnx").precision, profiles::Precision::fp16) << "weights decide";
  half.operators["com.microsoft.QLinearAdd"] = 1;
  EXPECT_EQ(guess_precision(half, "yolo.onnx").precision, profiles::Precision::int8);
}

}  // namespace
}  // namespace saccade::vision
