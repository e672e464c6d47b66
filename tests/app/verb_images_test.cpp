// `saccade images`: raw images, scenes with boxes, and what it refuses.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/report/exit_codes.hpp"
#include "app/verbs/verbs.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class ImagesVerb : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("saccade-images-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  int images(const std::string& data_set, const VerbArguments& further) {
    VerbArguments args{"images",  "--data-set", data_set, "--split",       "held_out",
                       "--count", "2",          "--out",  folder_.string()};
    args.insert(args.end(), further.begin(), further.end());
    std::ostringstream out;
    std::ostringstream err;
    const int code = run_program(args, out, err);
    complaint_ = err.str();
    return code;
  }

  fs::path folder_;
  std::string complaint_;
};

TEST_F(ImagesVerb, WritesScenesOfAnySizeWithACocoFile) {
  ASSERT_EQ(images("yard", {"--size", "96x64"}), kExitOk) << complaint_;
  EXPECT_EQ(fs::file_size(folder_ / "yard-held_out.u8"), 2U * 96U * 64U * 3U);
  const json coco = json::parse(std::ifstream(folder_ / "yard-held_out.coco.json"));
  ASSERT_EQ(coco["images"].size(), 2U);
  EXPECT_EQ(coco["images"][1]["width"], 96);
  EXPECT_EQ(coco["images"][1]["height"], 64);
  EXPECT_EQ(coco["categories"].size(), 6U);
  for (const json& annotation : coco["annotations"]) {
    EXPECT_EQ(annotation["bbox"].size(), 4U);
    EXPECT_EQ(annotation["area"], annotation["bbox"][2].get<int>() * annotation["bbox"][3].get<int>());
    EXPECT_LT(annotation["image_id"], 2);
  }
}

TEST_F(ImagesVerb, WritesScenesAsPngFiles) {
  ASSERT_EQ(images("yard", {"--png", "--size", "64x64"}), kExitOk) << complaint_;
  EXPECT_TRUE(fs::exists(folder_ / "yard-held_out/000001.png"));
  EXPECT_FALSE(fs::exists(folder_ / "yard-held_out.u8"));
}

TEST_F(ImagesVerb, WritesImagesAsBefore) {
  ASSERT_EQ(images("glyphs", {}), kExitOk) << complaint_;
  EXPECT_EQ(fs::file_size(folder_ / "glyphs-held_out.u8"), 2U * 64U * 64U * 3U);
}

TEST_F(ImagesVerb, RefusesWhatItCannotDraw) {
  EXPECT_EQ(images("glyphs", {"--png"}), kExitUsage);
  EXPECT_EQ(images("glyphs", {"--size", "96x96"}), kExitUsage);
  EXPECT_NE(complaint_.find("yard"), std::string::npos) << complaint_;
  for (const char* size : {"96", "x96", "96x", "-1x9", "96x99999999999", "96 x 96"}) {
    EXPECT_EQ(images("yard", {"--size", size}), kExitUsage) << size;
  }
  EXPECT_EQ(images("yard", {"--size", "16x64"}), kExitFailed);
  EXPECT_EQ(images("garden", {}), kExitFailed);
  EXPECT_NE(complaint_.find("of scenes: yard"), std::string::npos) << complaint_;
}

}  // namespace
}  // namespace saccade::app
