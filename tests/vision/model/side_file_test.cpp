#include "vision/model/side_file.hpp"

#include <gtest/gtest.h>

namespace saccade::vision {
namespace {

SideFile parsed_side(const std::string& text) {
  const auto side = parse_side_file(text, "side.json");
  EXPECT_TRUE(side.ok()) << (side.ok() ? "" : to_string(side.errors()));
  return side ? side.value() : SideFile{};
}

std::string why_refused(const std::string& text) {
  const auto side = parse_side_file(text, "side.json");
  return side ? "" : to_string(side.errors());
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(SideFile, PreprocessorOfHuggingFace) {
  const SideFile side = parsed_side(R"({"do_normalize": true, "do_rescale": true, "do_resize": true,
    "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.25, 0.5], "image_processor_type": "ViTImageProcessor",
    "resample": 3, "rescale_factor": 0.00392156862745098, "size": {"height": 384, "width": 224}})");
  EXPECT_DOUBLE_EQ(side.scale->value, 1.0 / 255.0);
  EXPECT_EQ(side.mean->value, (std::array{0.5, 0.5, 0.5}));
  EXPECT_EQ(side.std->value, (std::array{0.5, 0.25, 0.5}));
  EXPECT_EQ(side.filter->value, profiles::Filter::cubic);
  EXPECT_EQ(side.size->value, (SideFile::Size{224, 384}));
  EXPECT_EQ(side.resize->value, profiles::Resize::stretch);
  EXPECT_TRUE(side.not_taken.empty());
}

TEST(SideFile, WithoutScalingOrNormalising) {
  const SideFile side =
      parsed_side(R"({"do_normalize": false, "do_rescale": false, "image_mean": [0.5, 0.5, 0.5],
    "size": 320})");
  EXPECT_EQ(side.scale->value, 1.0);
  EXPECT_EQ(side.mean->value, (std::array{0.0, 0.0, 0.0}));
  EXPECT_EQ(side.std->value, (std::array{1.0, 1.0, 1.0}));
  EXPECT_EQ(side.size->value, (SideFile::Size{320, 320}));
}

TEST(SideFile, AShortestEdgeIsToldNotGuessed) {
  const SideFile side = parsed_side(R"({"image_mean": [0.485, 0.456, 0.406], "do_pad": true,
    "size": {"shortest_edge": 800, "longest_edge": 1333}, "resample": 1})");
  EXPECT_FALSE(side.size);
  EXPECT_FALSE(side.resize);
  EXPECT_FALSE(side.filter);
  ASSERT_EQ(side.not_taken.size(), 3u);
  EXPECT_EQ(side.not_taken[0].where, "side.json:2 /resample");
  EXPECT_TRUE(says(side.not_taken[0].what, "`lanczos`"));
  EXPECT_EQ(side.not_taken[1].where, "side.json:2 /size");
  EXPECT_TRUE(says(side.not_taken[1].what, "shortest edge"));
  EXPECT_EQ(side.not_taken[2].where, "side.json:1 /do_pad");
}

TEST(SideFile, ACropAfterTheShortestEdgeIsCover) {
  const SideFile same = parsed_side(R"({"do_center_crop": true, "crop_size": {"height": 224, "width": 224},
    "size": {"shortest_edge": 224}, "do_normalize": true})");
  EXPECT_EQ(same.resize->value, profiles::Resize::cover);
  EXPECT_EQ(same.size->value, (SideFile::Size{224, 224}));
  EXPECT_TRUE(same.not_taken.empty());
  const SideFile larger = parsed_side(R"({"do_center_crop": true, "crop_size": 224, "do_normalize": true,
    "size": {"shortest_edge": 256}})");
  EXPECT_EQ(larger.resize->value, profiles::Resize::cover);
  ASSERT_EQ(larger.not_taken.size(), 1u);
  EXPECT_TRUE(says(larger.not_taken[0].what, "256 pixels"));
}

TEST(SideFile, LabelsOfHuggingFace) {
  const SideFile side = parsed_side(R"({"model_type": "detr", "id2label": {"1": "b", "0": "a", "2": "c"},
    "label2id": {"a": 0}, "hidden_size": 256})");
  EXPECT_EQ(side.labels->value, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(side.model_type->value, "detr");
  std::string many = R"({"id2label": {)";
  for (int i = 0; i < 5000; ++i)
    many += (i > 0 ? ", \"" : "\"") + std::to_string(i) + "\": \"n" + std::to_string(i) + "\"";
  EXPECT_EQ(parsed_side(many + "}}").labels->value.size(), 5000u);
}

TEST(SideFile, ConfigurationOfTimm) {
  const SideFile side =
      parsed_side(R"({"architecture": "mobilenetv3_small_100", "num_classes": 1000, "pretrained_cfg": {
    "input_size": [3, 224, 256], "interpolation": "bicubic", "crop_pct": 0.875, "mean": [0.485, 0.456, 0.406],
    "std": [0.229, 0.224, 0.225]}})");
  EXPECT_EQ(side.model_type->value, "mobilenetv3_small_100");
  EXPECT_EQ(side.size->value, (SideFile::Size{256, 224}));
  EXPECT_EQ(side.filter->value, profiles::Filter::cubic);
  EXPECT_EQ(side.resize->value, profiles::Resize::cover);
  EXPECT_EQ(side.mean->key, "pretrained_cfg.mean");
  ASSERT_EQ(side.not_taken.size(), 1u);
  EXPECT_EQ(side.not_taken[0].where, "side.json:2 /pretrained_cfg/crop_pct");
}

// timm writes them beside `pretrained_cfg`; older files have them inside.
TEST(SideFile, LabelsOfTimm) {
  const auto labels_of = [](const std::string& outside, const std::string& inside) {
    return parsed_side(R"({"architecture": "resnet18", )" + outside +
                       R"("pretrained_cfg": {"mean": [0.5, 0.5, 0.5])" + inside + "}}")
        .labels;
  };
  const std::vector<std::string> names{"cat", "dog"};
  EXPECT_FALSE(labels_of("", ""));
  for (const char* text : {R"(["cat", "dog"])", R"({"1": "dog", "0": "cat"})"}) {
    const std::string member = R"("label_names": )" + std::string(text);
    ASSERT_TRUE(labels_of(member + ", ", "")) << text;
    EXPECT_EQ(labels_of(member + ", ", "")->value, names);
    EXPECT_EQ(labels_of(member + ", ", "")->key, "label_names");
    ASSERT_TRUE(labels_of("", ", " + member)) << text;
    EXPECT_EQ(labels_of("", ", " + member)->value, names);
    EXPECT_EQ(labels_of("", ", " + member)->key, "pretrained_cfg.label_names");
    EXPECT_EQ(labels_of(member + ", ", R"(, "label_names": ["a"])")->value, names) << "timm takes the outer";
  }
  EXPECT_TRUE(says(why_refused(R"({"pretrained_cfg": {}, "label_names": {"0": "a", "2": "c"}})"),
                   "/label_names: label 1 is missing"));
}

TEST(SideFile, BrokenOnesAreRefusedWithTheirPlace) {
  EXPECT_TRUE(says(why_refused("{}"), "none of the files"));
  EXPECT_TRUE(says(why_refused("[1]"), "none of the files"));
  EXPECT_TRUE(says(why_refused("{"), "this is not JSON"));
  EXPECT_TRUE(says(why_refused(R"({"image_mean": [1, 2]})"), "side.json:1 /image_mean: has 2 numbers"));
  EXPECT_TRUE(says(why_refused(R"({"image_mean": ["a", 1, 2]})"), "/image_mean/0: must be a number"));
  EXPECT_TRUE(says(why_refused(R"({"image_std": [0, 1, 1]})") +
                       why_refused(R"({"do_normalize": true, "image_std": [0, 1, 1]})"),
                   "/image_std/0: must be above 0"));
  EXPECT_TRUE(says(why_refused(R"({"do_rescale": true, "rescale_factor": 0})"), "/rescale_factor"));
  EXPECT_TRUE(says(why_refused(R"({"do_rescale": true, "size": 99999999})"), "/size"));
  EXPECT_TRUE(says(why_refused(R"({"do_rescale": true, "resample": 17})"), "/resample"));
  EXPECT_TRUE(says(why_refused(R"({"id2label": {"0": "a", "2": "c"}})"), "label 1 is missing"));
  EXPECT_TRUE(says(why_refused(R"({"id2label": {"x": "a"}})"), "the label's number is `x`"));
  EXPECT_TRUE(says(why_refused(R"({"input_size": [3, 224]})"), "/input_size"));
}

}  // namespace
}  // namespace saccade::vision
