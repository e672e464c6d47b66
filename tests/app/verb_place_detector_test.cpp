// `saccade layers` and `saccade place` on the zoo's detector: one file of open sides for variants of several
// sizes. Each variant is cut for its own size.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "profiles/profile_io.hpp"
#include "tests/app/place_set_case.hpp"

namespace saccade::app::verb_place_detector_test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;
using testing::has;
using testing::kZoo;
using testing::made_up_layers;
using testing::Outcome;
using testing::PlaceSet;
using testing::run;

const std::string kDetectors = (kZoo / "yard-detector.json").string();
const std::string kModel = (kZoo / "yard-detector/w0.50-fp32.onnx").string();

class PlaceDetectors : public PlaceSet {
 protected:
  // `network`: empty: the name of the file.
  std::string layers_of(const std::string& size, const std::string& network) {
    json file = made_up_layers(kModel, {"--size", size, "--max-live-tensors", "3"});
    if (!network.empty()) file["network"] = network;
    return write((size + ".json").c_str(), file);
  }
};

TEST_F(PlaceDetectors, OneFileIsCutForTheSizeOfEveryVariant) {
  const Outcome done = place({"--layers", layers_of("96x96", "yard-detector w0.50-96-fp32"), "--layers",
                              layers_of("192x192", "yard-detector w0.50-192-fp32"), "--columns", "6"},
                             kDetectors);
  ASSERT_EQ(done.code, kExitOk) << done.err;
  const auto set = profiles::read_profile_set(out_);
  ASSERT_TRUE(set) << to_string(set.errors());
  std::set<std::int64_t> sides;
  std::set<std::string> models;
  int maps = 0;
  for (const profiles::Variant& variant : set.value().variants) {
    if (variant.staging.empty()) continue;
    const int side = profiles::interface_of(set.value(), variant).input.width;
    sides.insert(side);
    for (const profiles::Stage& stage : variant.staging.stages) {
      EXPECT_TRUE(fs::is_regular_file(folder_.path() / stage.model)) << stage.model;
      EXPECT_TRUE(has(stage.model, "/w0.50-" + std::to_string(side) + "-fp32-")) << stage.model;
      models.insert(stage.sha256);
      for (const profiles::StageTensor& tensor : stage.takes) {
        if (tensor.shape.size() != 4U) continue;  // cells of all maps
        ++maps;
        EXPECT_EQ(side % tensor.shape[3], 0) << "a map of the picture";
      }
    }
  }
  EXPECT_EQ(sides, (std::set<std::int64_t>{96, 192}));
  EXPECT_GE(models.size(), 4U);
  EXPECT_GT(maps, 0);
  const Outcome checked = run(verb_check, {out_.string()});
  EXPECT_EQ(checked.code, kExitOk) << checked.out << checked.err;
}

TEST_F(PlaceDetectors, AFileThatNamesNoVariantOfItsModelIsRefused) {
  const Outcome done = place({"--layers", layers_of("96x96", "")}, kDetectors);
  EXPECT_EQ(done.code, kExitConfig);
  EXPECT_TRUE(has(done.err, "its `network` names none of them")) << done.err;
  EXPECT_TRUE(has(done.err, "`yard-detector w0.50-96-fp32`")) << done.err;
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(PlaceDetectors, LayersWantsTheSizeThatTheFileLeavesOpen) {
  const Outcome open = run(verb_layers, {kModel});
  EXPECT_EQ(open.code, kExitConfig);
  EXPECT_TRUE(has(open.err, "side 2 of the input `images` is open")) << open.err;
  EXPECT_TRUE(has(open.err, "--size")) << open.err;
  for (const char* size : {"96", "0x96", "96x9000", "axb"})
    EXPECT_EQ(run(verb_layers, {kModel, "--size", size}).code, kExitUsage) << size;
  const Outcome sized = run(verb_layers, {kModel, "--size", "96x64"});
  EXPECT_EQ(sized.code, kExitOk) << sized.err;
  EXPECT_TRUE(has(sized.out, "1x3x64x96")) << sized.out;
}

}  // namespace
}  // namespace saccade::app::verb_place_detector_test
