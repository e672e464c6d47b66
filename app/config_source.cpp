#include "app/config_source.hpp"

#include <array>
#include <system_error>
#include <utility>
#include <vector>

#include "profiles/object_reader.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using profiles::in_quotes;
using profiles::JsonAt;
using profiles::JsonReport;
using profiles::JsonValue;
using profiles::ObjectReader;

constexpr int kMaxRegions = 1024;

bool is_address(const std::string& path) { return path.find("://") != std::string::npos; }

std::string read_path(ObjectReader& reader, const std::string& key) {
  const std::optional<JsonAt> at = reader.require(key);
  if (!at) return {};
  std::string path = profiles::read_text(*at, reader.report()).value_or("");
  if ((*at)->kind == JsonValue::Kind::string && (*at)->string.empty()) {
    reader.report().add(*at, "the path is empty", "name a file, a folder or an address");
  }
  return path;
}

runtime::SourceConfig read_video(ObjectReader& reader, const fs::path& directory) {
  runtime::VideoSource video;
  const std::string path = read_path(reader, "path");
  reader.boolean("loop", video.loop);
  if (is_address(path)) {
    video.path = path;
  } else if (!path.empty()) {
    const fs::path file = resolve(directory, path);
    std::error_code failure;
    if (!fs::exists(file, failure) || fs::is_directory(file, failure)) {
      reader.report().add(*reader.find("path"), "there is no video " + in_quotes(path),
                          "paths are relative to the folder of the configuration");
    }
    video.path = file.string();
  }
  return video;
}

runtime::SourceConfig read_camera(ObjectReader& reader) {
  runtime::CameraSource camera;
  if (const auto device = reader.require("device")) {
    camera.device = profiles::read_integer(*device, 0, 255, reader.report()).value_or(0);
  }
  return camera;
}

runtime::SourceConfig read_images(ObjectReader& reader, const fs::path& directory) {
  runtime::ImagesSource images;
  const std::string path = read_path(reader, "path");
  reader.boolean("loop", images.loop);
  if (path.empty()) return images;
  images.directory = resolve(directory, path);
  std::error_code failure;
  if (!fs::is_directory(images.directory, failure)) {
    reader.report().add(*reader.find("path"), "there is no folder " + in_quotes(path),
                        "paths are relative to the folder of the configuration");
  }
  return images;
}

runtime::SourceConfig read_synthetic(ObjectReader& reader) {
  runtime::SyntheticSource synthetic;
  if (const auto data_set = reader.require("data_set")) {
    synthetic.data_set = profiles::read_id(*data_set, reader.report()).value_or("");
  }
  int seed = static_cast<int>(synthetic.seed);
  reader.integer("seed", seed, 0, std::numeric_limits<int>::max());
  synthetic.seed = static_cast<std::uint64_t>(seed);
  return synthetic;
}

runtime::Regions read_grid(const JsonAt& at, JsonReport& report) {
  ObjectReader reader(at, report);
  const std::optional<JsonAt> grid = reader.require("grid");
  if (!grid) return runtime::WholeFrame{};
  const std::vector<JsonAt> sides = profiles::read_list(*grid, report);
  if ((*grid)->kind != JsonValue::Kind::array) return runtime::WholeFrame{};
  if (sides.size() != 2) {
    report.add(*grid, "a grid has two numbers, not " + std::to_string(sides.size()),
               "write [columns, rows], for example [4, 2]");
    return runtime::WholeFrame{};
  }
  return runtime::Grid{profiles::read_integer(sides[0], 1, 32, report).value_or(1),
                       profiles::read_integer(sides[1], 1, 32, report).value_or(1)};
}

std::optional<runtime::PixelBox> read_box(const JsonAt& at, JsonReport& report) {
  const std::vector<JsonAt> items = profiles::read_list(at, report);
  if (at->kind != JsonValue::Kind::array) return std::nullopt;
  runtime::PixelBox box{};
  if (items.size() != box.size()) {
    report.add(at, "a region has four numbers, not " + std::to_string(items.size()),
               "write [x, y, width, height] in pixels");
    return std::nullopt;
  }
  constexpr int kMaxSide = 65535;
  bool good = true;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const bool extent = i >= 2;  // x and y may be 0, width and height not
    const std::optional<int> value = profiles::read_integer(items[i], extent ? 1 : 0, kMaxSide, report);
    box[i] = value.value_or(0);
    good = good && value.has_value();
  }
  return good ? std::optional(box) : std::nullopt;
}

}  // namespace

fs::path resolve(const fs::path& directory, const std::string& path) {
  return (directory / path).lexically_normal();
}

void refuse_unavailable(const JsonAt& at, const std::string& what, const std::string& hint,
                        JsonReport& report) {
  report.add(at, what + " is not available in this version", hint);
}

std::optional<runtime::SourceConfig> read_source(const JsonAt& at, const fs::path& directory,
                                                 JsonReport& report) {
  ObjectReader reader(at, report);
  const std::optional<JsonAt> type = reader.require("type");
  const std::vector<std::string> names = {"video", "camera", "images", "synthetic", "push", "replay"};
  const std::optional<std::size_t> index = type ? profiles::read_choice(*type, names, report) : std::nullopt;
  if (!index) {
    reader.accept_all();  // without the type nobody knows which keys belong here
    return std::nullopt;
  }
  const std::string& name = names[*index];
  if (name == "video") return read_video(reader, directory);
  if (name == "camera") return read_camera(reader);
  if (name == "images") return read_images(reader, directory);
  if (name == "synthetic") return read_synthetic(reader);
  if (name == "push") return runtime::PushSource{};
  reader.accept_all();
  refuse_unavailable(*type, "a `" + name + "` source", "use video, camera, images, synthetic or push",
                     report);
  return std::nullopt;
}

runtime::Regions read_regions(const JsonAt& at, JsonReport& report) {
  if (at->kind == JsonValue::Kind::null) return runtime::WholeFrame{};
  if (at->kind == JsonValue::Kind::object) return read_grid(at, report);
  if (at->kind != JsonValue::Kind::array) {
    report.add(at, "must be {\"grid\": [columns, rows]} or a list of [x, y, width, height]",
               "leave `regions` out to look at the whole frame");
    return runtime::WholeFrame{};
  }
  const std::vector<JsonAt> items = profiles::read_list(at, report);
  if (items.empty() || items.size() > kMaxRegions) {
    report.add(at, "a task looks at 1 to 1024 regions, not " + std::to_string(items.size()),
               "leave `regions` out to look at the whole frame");
  }
  std::vector<runtime::PixelBox> boxes;
  for (const JsonAt& item : items) {
    if (const std::optional<runtime::PixelBox> box = read_box(item, report)) boxes.push_back(*box);
  }
  return boxes;
}

}  // namespace saccade::app
