// The networks of the zoo answer pictures as they answered the numbers that capture threads made of them
// before frames carried pictures: the same label for every held-out image, of every variant.
#include <gtest/gtest.h>

#include "images/image_generator.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/profiling/picture_accuracy.hpp"
#include "runtime/sources/held_out_images.hpp"

namespace saccade::runtime::zoo_labels_test {
namespace {

constexpr std::size_t kImages = 48;
constexpr int kBatch = 16;

// Red, green and blue planes, value / 255.
std::vector<float> numbers_of(const cv::Mat& bgr) {
  std::vector<float> planes;
  for (int c = 2; c >= 0; --c) {
    for (int y = 0; y < bgr.rows; ++y) {
      for (int x = 0; x < bgr.cols; ++x)
        planes.push_back(static_cast<float>(bgr.at<cv::Vec3b>(y, x)[c]) / 255.0F);
    }
  }
  return planes;
}

TEST(ZooLabels, ArePicturesOfHeldOutImagesAsTheyWereOfTheirNumbers) {
  const auto backend = make_backend("onnxruntime");
  if (!backend) GTEST_SKIP() << to_string(backend.errors());
  std::size_t variants = 0;
  const std::filesystem::path zoo = std::filesystem::path(SACCADE_SOURCE_DIR) / "profiles/zoo";
  for (const auto& entry : std::filesystem::directory_iterator(zoo)) {
    const std::filesystem::path& file = entry.path();
    if (file.extension() != ".json") continue;
    const auto read = profiles::read_profile_set(file);
    ASSERT_TRUE(read.ok()) << to_string(read.errors());
    const profiles::ProfileSet& set = read.value();
    if (set.interface.task != profiles::NetworkTask::classify) continue;
    const auto images = held_out_images(set, kImages);
    ASSERT_TRUE(images.ok());
    std::vector<float> numbers;
    const std::string data_set = set.network.substr(set.network.find('-') + 1);
    const auto generator = images::ImageGenerator::find(data_set);
    ASSERT_TRUE(generator) << data_set;
    for (std::size_t i = 0; i < kImages; ++i) {
      const std::vector<float> planes = numbers_of(generator->make(images::Split::held_out, i).bgr);
      numbers.insert(numbers.end(), planes.begin(), planes.end());
    }
    for (std::size_t v = 0; v < set.variants.size(); ++v, ++variants) {
      const auto engine = backend.value()->load(engine_spec(set, v, kBatch));
      ASSERT_TRUE(engine.ok()) << to_string(engine.errors());
      auto decoder = FrameDecoder::make(profiles::interface_of(set, set.variants[v]), set.labels.size(),
                                        *engine.value(), set.variants[v].id.str());
      ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
      const auto answered = answer_images(*engine.value(), decoder.value(), images.value());
      ASSERT_TRUE(answered.ok());
      std::vector<int> given;
      for (const Answer& answer : answered.value().answers) given.push_back(answer.label);
      std::vector<int> before;
      const std::size_t whole = kBatch * set.input.size();
      Outputs outputs;
      for (std::size_t first = 0; first < numbers.size(); first += whole) {
        ASSERT_TRUE(engine.value()->prepare(std::span(numbers).subspan(first, whole)));
        ASSERT_TRUE(engine.value()->infer(outputs));
        for (auto rest = logits_of(outputs); !rest.empty(); rest = rest.subspan(set.labels.size())) {
          const auto region = rest.first(set.labels.size());
          before.push_back(static_cast<int>(std::max_element(region.begin(), region.end()) - region.begin()));
        }
      }
      EXPECT_EQ(given, before) << set.network << " " << set.variants[v].id.str();
    }
  }
  EXPECT_GE(variants, 40U);
}

}  // namespace
}  // namespace saccade::runtime::zoo_labels_test
