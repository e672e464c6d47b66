#include "images/scene_export.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <random>
#include <string>
#include <vector>

#include "images/scene_generator.hpp"

namespace saccade::images {
namespace {

LabelledScene scene_of(Split split, std::uint64_t index, cv::Size size) {
  return SceneGenerator::find("yard").value().make(split, index, size);
}

class SceneExport : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("saccade-") + test->name() + "-" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  std::filesystem::path folder_;
};

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(SceneExport, WritesRawScenesAndTheirBoxes) {
  constexpr std::uint64_t kCount = 5;
  const Status written = export_scenes("yard", "held_out", kCount, {96, 64}, SceneFiles::raw, folder_);
  ASSERT_TRUE(written.ok());
  const std::string pixels = text_of("yard-held_out.u8");
  const std::string coco = text_of("yard-held_out.coco.json");
  ASSERT_EQ(pixels.size(), kCount * 96 * 64 * 3);
  std::size_t boxes = 0;
  for (std::uint64_t index = 0; index < kCount; ++index) {
    const LabelledScene scene = scene_of(Split::held_out, index, {96, 64});
    const auto& bgr = scene.bgr.at<cv::Vec3b>(10, 20);
    const std::size_t at = ((index * 64 + 10) * 96 + 20) * 3;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      EXPECT_EQ(static_cast<std::uint8_t>(pixels[at + channel]), bgr[static_cast<int>(2 - channel)]);
    }
    for (const LabelledBox& box : scene.boxes) {
      const std::string expected = "\"image_id\": " + std::to_string(index) +
                                   ", \"category_id\": " + std::to_string(box.label + 1) + ", \"bbox\": [" +
                                   std::to_string(box.left) + ", " + std::to_string(box.top) + ", " +
                                   std::to_string(box.width) + ", " + std::to_string(box.height) + "]";
      EXPECT_NE(coco.find(expected), std::string::npos) << expected;
      ++boxes;
    }
  }
  EXPECT_EQ(occurrences(coco, "\"bbox\""), boxes);
  EXPECT_EQ(occurrences(coco, "\"file_name\": \"yard-held_out.u8\""), kCount);
  EXPECT_NE(coco.find("\"offset\": " + std::to_string(96 * 64 * 3 * 4)), std::string::npos);
  EXPECT_NE(coco.find("{\"id\": 6, \"name\": \"dog\"}"), std::string::npos);
}

TEST_F(SceneExport, WritesPngFilesWithTheSamePixels) {
  ASSERT_TRUE(export_scenes("yard", "live", 3, {80, 60}, SceneFiles::png, folder_).ok());
  for (const std::uint64_t index : {0U, 2U}) {
    const cv::Mat read =
        cv::imread((folder_ / ("yard-live/00000" + std::to_string(index) + ".png")).string());
    ASSERT_FALSE(read.empty());
    const cv::Mat drawn = scene_of(Split::live, index, {80, 60}).bgr;
    ASSERT_EQ(read.size(), drawn.size());
    EXPECT_EQ(cv::norm(read, drawn, cv::NORM_INF), 0.0);
  }
  EXPECT_EQ(occurrences(text_of("yard-live.coco.json"), "\"file_name\": \"yard-live/00000"), 3U);
}

TEST_F(SceneExport, ReportsAllThatIsWrongAtOnce) {
  const Status refused = export_scenes("garden", "testing", 1, {16, 9000}, SceneFiles::raw, folder_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors().size(), 3U);
  const Status missing = export_scenes("yard", "train", 1, {64, 64}, SceneFiles::raw, folder_ / "missing");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.errors().front().where.find("yard-train.u8"), std::string::npos);
  EXPECT_FALSE(export_scenes("yard", "train", 1, {64, 64}, SceneFiles::png, folder_ / "missing").ok());
}

}  // namespace
}  // namespace saccade::images
