#include "images/scene_export.hpp"

#include <algorithm>
#include <fstream>
#include <ios>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string_view>
#include <system_error>

#include "images/scene_generator.hpp"

namespace saccade::images {
namespace {

// What the COCO file is made of, in the order in which the scenes are drawn.
struct CocoText {
  std::string images;
  std::string annotations;
  std::uint64_t boxes = 0;
};

std::string number_of_six(std::uint64_t index) {
  const std::string digits = std::to_string(index);
  return std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits;
}

// Names of files, data sets, splits and labels are plain words of this program: nothing needs escaping.
void add_scene(CocoText& text, std::uint64_t index, const LabelledScene& scene, const std::string& file,
               const std::string& further) {
  text.images += text.images.empty() ? "" : ",";
  text.images += "\n    {\"id\": " + std::to_string(index) + ", \"file_name\": \"" + file +
                 "\", \"width\": " + std::to_string(scene.bgr.cols) +
                 ", \"height\": " + std::to_string(scene.bgr.rows) + further + "}";
  for (const LabelledBox& box : scene.boxes) {
    text.annotations += text.annotations.empty() ? "" : ",";
    text.annotations += "\n    {\"id\": " + std::to_string(++text.boxes) +
                        ", \"image_id\": " + std::to_string(index) +
                        ", \"category_id\": " + std::to_string(box.label + 1) + ", \"bbox\": [" +
                        std::to_string(box.left) + ", " + std::to_string(box.top) + ", " +
                        std::to_string(box.width) + ", " + std::to_string(box.height) +
                        "], \"area\": " + std::to_string(box.width * box.height) + ", \"iscrowd\": 0}";
  }
}

std::string whole_text(const CocoText& text, const SceneGenerator& generator, Split split) {
  std::string whole = "{\n  \"info\": {\"description\": \"drawn by saccade\", \"data_set\": \"";
  whole += generator.name();
  whole += "\", \"split\": \"";
  whole += name_of(split);
  // A 64-bit seed does not survive readers that keep numbers as doubles, hence the string.
  whole += "\", \"seed\": \"" + std::to_string(seed_of(split)) + "\"},\n  \"categories\": [";
  std::size_t id = 0;
  for (const std::string& label : generator.labels()) {
    whole += id == 0 ? "" : ", ";
    whole += "{\"id\": " + std::to_string(++id) + ", \"name\": \"" + label + "\"}";
  }
  return whole + "],\n  \"images\": [" + text.images + "\n  ],\n  \"annotations\": [" + text.annotations +
         "\n  ]\n}\n";
}

Error scene_not_written(const std::filesystem::path& path) {
  return {path.string(), "cannot be written", "check that the folder exists and may be written to"};
}

Status write_raw(const SceneGenerator& generator, Split split, std::uint64_t count, cv::Size size,
                 const std::filesystem::path& folder, const std::string& stem, CocoText& text) {
  const std::filesystem::path path = folder / (stem + ".u8");
  std::ofstream pixels(path, std::ios::binary);
  cv::Mat rgb;
  for (std::uint64_t index = 0; index < count && pixels; ++index) {
    const LabelledScene scene = generator.make(split, index, size);
    cv::cvtColor(scene.bgr, rgb, cv::COLOR_BGR2RGB);
    // One continuous block: the picture was created whole.
    const std::size_t bytes = rgb.total() * rgb.elemSize();
    pixels.write(reinterpret_cast<const char*>(rgb.data), static_cast<std::streamsize>(bytes));
    add_scene(text, index, scene, stem + ".u8", ", \"offset\": " + std::to_string(index * bytes));
  }
  pixels.close();
  if (!pixels) return scene_not_written(path);
  return Done{};
}

Status write_png(const SceneGenerator& generator, Split split, std::uint64_t count, cv::Size size,
                 const std::filesystem::path& folder, const std::string& stem, CocoText& text) {
  std::error_code failed;
  std::filesystem::create_directory(folder / stem, failed);
  if (failed) return scene_not_written(folder / stem);
  for (std::uint64_t index = 0; index < count; ++index) {
    const LabelledScene scene = generator.make(split, index, size);
    const std::string name = stem + "/" + number_of_six(index) + ".png";
    // Encoded in memory: the files of OpenCV do not say why they could not be written.
    std::vector<unsigned char> bytes;
    cv::imencode(".png", scene.bgr, bytes);
    std::ofstream file(folder / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file || bytes.empty()) return scene_not_written(folder / name);
    add_scene(text, index, scene, name, "");
  }
  return Done{};
}

}  // namespace

std::string known_scene_sets() {
  std::string names;
  for (const std::string& name : SceneGenerator::names()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

Status export_scenes(const std::string& data_set, const std::string& split_name, std::uint64_t count,
                     SceneSize size, SceneFiles files, const std::filesystem::path& folder) {
  Errors errors;
  const auto generator = SceneGenerator::find(data_set);
  if (!generator) {
    errors.push_back({data_set, "there is no such data set", "the data sets are " + known_scene_sets()});
  }
  const std::optional<Split> split = split_named(split_name);
  if (!split)
    errors.push_back({split_name, "there is no such split", "train, calibration, held_out or live"});
  if (std::min(size.width, size.height) < kLeastSceneSide ||
      std::max(size.width, size.height) > kMostSceneSide) {
    errors.push_back({std::to_string(size.width) + "x" + std::to_string(size.height),
                      "a scene cannot be drawn in that size",
                      "sides are from " + std::to_string(kLeastSceneSide) + " to " +
                          std::to_string(kMostSceneSide) + " pixels"});
  }
  if (!errors.empty()) return errors;

  const std::string stem = data_set + "-" + split_name;
  CocoText text;
  const auto write = files == SceneFiles::raw ? write_raw : write_png;
  Status written = write(*generator, *split, count, {size.width, size.height}, folder, stem, text);
  if (!written) return written;
  const std::filesystem::path path = folder / (stem + ".coco.json");
  std::ofstream coco(path, std::ios::binary);
  coco << whole_text(text, *generator, *split);
  coco.close();
  if (!coco) return scene_not_written(path);
  return Done{};
}

}  // namespace saccade::images
