#include "config/source_config.hpp"

#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "base/address.hpp"
#include "config/arrivals_file.hpp"
#include "runtime/sources/stream_source.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {
namespace {

namespace fs = std::filesystem;
using text::in_quotes;
using text::JsonAt;
using text::JsonReport;
using text::JsonValue;
using text::ObjectReader;

constexpr int kMaxRegions = 1024;

bool is_address(const std::string& path) { return path.find("://") != std::string::npos; }

std::string read_path(ObjectReader& reader, const std::string& key) {
  const std::optional<JsonAt> at = reader.require(key);
  if (!at) return {};
  std::string path = text::read_text(*at, reader.report()).value_or("");
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

bool names_user(const std::string& address) {
  return without_secrets(address).find("://***@") != std::string::npos;
}

std::string read_stream_address(ObjectReader& reader) {
  const std::optional<JsonAt> at = reader.require("url");
  if (!at) return {};
  std::string url = text::read_text(*at, reader.report()).value_or("");
  if ((*at)->kind != JsonValue::Kind::string) return {};
  if (!runtime::is_stream_address(url)) {
    reader.report().add(*at, in_quotes(url) + " is no address of a camera",
                        "for example \"rtsp://192.168.1.20/stream2\"; a file is of type `video`");
    return {};
  }
  if (names_user(url)) {
    reader.report().add(*at, "the address holds a user name or a password",
                        "write them as `username` and `password_file`");
  }
  return url;
}

void read_credentials(ObjectReader& reader, runtime::StreamSource& stream, const fs::path& directory) {
  reader.text("username", stream.username);
  if (stream.username.find(':') != std::string::npos) {
    reader.report().add(*reader.find("username"), "the user name holds a colon",
                        "a colon ends the user name in RTSP and HTTP; the password may hold one");
  }
  const std::optional<JsonAt> at = reader.find_given("password_file");
  if (!at) return;
  const std::string file = text::read_text(*at, reader.report()).value_or("");
  if ((*at)->kind != JsonValue::Kind::string) return;
  stream.password_file = resolve(directory, file);
  std::error_code failure;
  if (file.empty() || !fs::exists(stream.password_file, failure) ||
      fs::is_directory(stream.password_file, failure)) {
    reader.report().add(*at, "there is no file " + in_quotes(file), "its first line is the password");
  }
  if (stream.username.empty())
    reader.report().add(*at, "a password without a user name", "name the user as `username`");
}

runtime::SourceConfig read_stream(ObjectReader& reader, const fs::path& directory) {
  runtime::StreamSource stream;
  stream.url = read_stream_address(reader);
  read_credentials(reader, stream, directory);
  reader.choice("transport", stream.transport, runtime::kStreamTransports);
  reader.choice("decode", stream.decode, runtime::kStreamDecodes);
  reader.choice("hardware", stream.hardware, runtime::kStreamHardware);
  reader.quantity("silence_seconds", stream.silence, {0.5, false, 600.0, "seconds without a picture"});
  if (stream.transport == runtime::StreamTransport::automatic || stream.url.empty()) return stream;
  const JsonAt transport = *reader.find("transport");
  if (!stream.url.starts_with("rtsp")) {
    reader.report().add(transport, "only RTSP has a choice of transport", "leave `transport` out");
  } else if (stream.url.starts_with("rtsps:") && stream.transport == runtime::StreamTransport::udp) {
    reader.report().add(transport, "rtsps:// encrypts a TCP connection; UDP would bypass it",
                        "write \"tcp\", or leave `transport` out");
  }
  return stream;
}

runtime::SourceConfig read_replay(ObjectReader& reader, const fs::path& directory) {
  runtime::ReplaySource replay;
  const std::string path = read_path(reader, "path");
  const auto pictures = reader.require("pictures");
  reader.boolean("loop", replay.loop);
  replay.arrivals = std::make_shared<const std::vector<Duration>>(1, Duration(0));
  if (!path.empty()) {
    replay.path = resolve(directory, path);
    auto arrivals = read_arrivals(replay.path, path);
    if (arrivals.ok()) {
      replay.arrivals = std::make_shared<const std::vector<Duration>>(std::move(arrivals).value());
    } else {
      for (const Error& error : arrivals.errors())
        reader.report().add(*reader.find("path"), error.where + ": " + error.what, error.hint);
    }
  }
  const std::string folder = pictures ? text::read_text(*pictures, reader.report()).value_or("") : "";
  if (!pictures || (*pictures)->kind != JsonValue::Kind::string) return replay;
  replay.pictures = resolve(directory, folder);
  std::error_code failure;
  if (folder.empty() || !fs::is_directory(replay.pictures, failure)) {
    reader.report().add(*pictures, "there is no folder " + in_quotes(folder),
                        "paths are relative to the folder of the configuration");
  }
  return replay;
}

runtime::SourceConfig read_camera(ObjectReader& reader) {
  runtime::CameraSource camera;
  if (const auto device = reader.require("device")) {
    camera.device = text::read_integer(*device, 0, 255, reader.report()).value_or(0);
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
    synthetic.data_set = text::read_id(*data_set, reader.report()).value_or("");
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
  const std::vector<JsonAt> sides = text::read_list(*grid, report);
  if ((*grid)->kind != JsonValue::Kind::array) return runtime::WholeFrame{};
  if (sides.size() != 2) {
    report.add(*grid, "a grid has two numbers, not " + std::to_string(sides.size()),
               "write [columns, rows], for example [4, 2]");
    return runtime::WholeFrame{};
  }
  return runtime::Grid{text::read_integer(sides[0], 1, 32, report).value_or(1),
                       text::read_integer(sides[1], 1, 32, report).value_or(1)};
}

}  // namespace

std::optional<runtime::PixelBox> read_box(const JsonAt& at, JsonReport& report) {
  const std::vector<JsonAt> items = text::read_list(at, report);
  if (at->kind != JsonValue::Kind::array) return std::nullopt;
  runtime::PixelBox box{};
  if (items.size() != box.size()) {
    report.add(at, "a box has four numbers, not " + std::to_string(items.size()),
               "write [x, y, width, height] in pixels");
    return std::nullopt;
  }
  constexpr int kMaxSide = 65535;
  bool good = true;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const bool extent = i >= 2;  // x and y may be 0, width and height not
    const std::optional<int> value = text::read_integer(items[i], extent ? 1 : 0, kMaxSide, report);
    box[i] = value.value_or(0);
    good = good && value.has_value();
  }
  return good ? std::optional(box) : std::nullopt;
}

fs::path resolve(const fs::path& directory, const std::string& path) {
  return (directory / path).lexically_normal();
}

std::optional<runtime::SourceConfig> read_source(const JsonAt& at, const fs::path& directory,
                                                 JsonReport& report) {
  ObjectReader reader(at, report);
  const std::optional<JsonAt> type = reader.require("type");
  const std::vector<std::string> names = {"video",     "stream", "camera", "images",
                                          "synthetic", "replay", "push"};
  const std::optional<std::size_t> index = type ? text::read_choice(*type, names, report) : std::nullopt;
  if (!index) {
    reader.accept_all();  // without the type nobody knows which keys belong here
    return std::nullopt;
  }
  const std::string& name = names[*index];
  if (name == "video") return read_video(reader, directory);
  if (name == "stream") return read_stream(reader, directory);
  if (name == "camera") return read_camera(reader);
  if (name == "images") return read_images(reader, directory);
  if (name == "synthetic") return read_synthetic(reader);
  if (name == "replay") return read_replay(reader, directory);
  return runtime::PushSource{};
}

std::optional<Error> source_warning(const runtime::SourceConfig& source, const std::string& where) {
  const auto* video = std::get_if<runtime::VideoSource>(&source);
  if (video == nullptr || !video->path.starts_with("rtsp") || !names_user(video->path)) return std::nullopt;
  return Error{where, "whoever may read this file knows the camera's password",
               "use {\"type\": \"stream\", \"url\", \"username\", \"password_file\"}"};
}

runtime::Regions read_regions(const JsonAt& at, JsonReport& report) {
  if (at->kind == JsonValue::Kind::null) return runtime::WholeFrame{};
  if (at->is_object()) return read_grid(at, report);
  if (at->kind != JsonValue::Kind::array) {
    report.add(at, "must be {\"grid\": [columns, rows]} or a list of [x, y, width, height]",
               "leave `regions` out to look at the whole frame");
    return runtime::WholeFrame{};
  }
  const std::vector<JsonAt> items = text::read_list(at, report);
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

}  // namespace saccade::config
