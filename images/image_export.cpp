#include "images/image_export.hpp"

#include <fstream>
#include <ios>
#include <opencv2/imgproc.hpp>
#include <string_view>

#include "images/image_generator.hpp"
#include "images/scene_export.hpp"

namespace saccade::images {
namespace {

// Names of data sets, splits and labels are plain words of this program: nothing needs escaping.
std::string meta_text(const ImageGenerator& generator, Split split, std::uint64_t count) {
  std::string text = "{\n  \"format\": \"saccade-images/1\",\n  \"data_set\": \"";
  text += generator.name();
  text += "\",\n  \"split\": \"";
  text += name_of(split);
  // A 64-bit seed does not survive readers that keep numbers as doubles, hence the string.
  text += "\",\n  \"seed\": \"" + std::to_string(seed_of(split));
  text += "\",\n  \"count\": " + std::to_string(count);
  text += ",\n  \"width\": " + std::to_string(kImageSide);
  text += ",\n  \"height\": " + std::to_string(kImageSide);
  text += ",\n  \"channels\": " + std::to_string(kImageChannels);
  text += ",\n  \"labels\": [";
  std::string_view separator;
  for (const auto& label : generator.labels()) {
    text += separator;
    text += '"' + label + '"';
    separator = ", ";
  }
  return text + "]\n}\n";
}

Error cannot_write(const std::filesystem::path& path) {
  return {path.string(), "cannot be written", "check that the folder exists and may be written to"};
}

}  // namespace

std::string known_data_sets() {
  std::string names;
  for (const std::string& name : ImageGenerator::names()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

Status export_images(const std::string& data_set, const std::string& split_name, std::uint64_t count,
                     const std::filesystem::path& folder) {
  const auto found = ImageGenerator::find(data_set);
  if (!found) {
    return Error{data_set, "there is no such data set",
                 "the data sets are " + known_data_sets() + "; of scenes: " + known_scene_sets()};
  }
  const std::optional<Split> split_found = split_named(split_name);
  if (!split_found)
    return Error{split_name, "there is no such split", "train, calibration, held_out or live"};
  const ImageGenerator& generator = *found;
  const Split split = *split_found;
  const std::string stem = data_set + "-" + split_name;
  const auto pixel_path = folder / (stem + ".u8");
  const auto label_path = folder / (stem + ".labels.u8");
  const auto meta_path = folder / (stem + ".json");
  std::ofstream pixels(pixel_path, std::ios::binary);
  std::ofstream labels(label_path, std::ios::binary);

  cv::Mat rgb;
  for (std::uint64_t index = 0; index < count && pixels && labels; ++index) {
    const LabelledImage image = generator.make(split, index);
    cv::cvtColor(image.bgr, rgb, cv::COLOR_BGR2RGB);
    // One continuous block: the image was created whole.
    const auto size = rgb.total() * rgb.elemSize();
    pixels.write(reinterpret_cast<const char*>(rgb.data), static_cast<std::streamsize>(size));
    labels.put(static_cast<char>(image.label));
  }
  pixels.close();
  if (!pixels) return cannot_write(pixel_path);
  labels.close();
  if (!labels) return cannot_write(label_path);

  std::ofstream meta(meta_path);
  meta << meta_text(generator, split, count);
  meta.close();
  if (!meta) return cannot_write(meta_path);
  return Done{};
}

}  // namespace saccade::images
