#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/verbs/verbs.hpp"
#include "images/image_export.hpp"
#include "images/scene_export.hpp"

namespace saccade::app {
namespace {

constexpr double kMostImages = 1e6;  // 12 GB

const CommandSpec& images_spec() {
  static const CommandSpec spec{
      "images",
      "",
      "Writes images of the generator that training, profiling and the synthetic source share, as raw RGB\n"
      "with labels: what the zoo's training scripts read. Scenes come with a COCO file of their boxes.",
      {{"data-set", "NAME",
        "images: " + images::known_data_sets() + "; scenes with boxes: " + images::known_scene_sets()},
       {"split", "NAME", "train, calibration, held_out or live"},
       {"count", "N", "number of images"},
       {"out", "FOLDER", "an existing folder; files of the same names are replaced"},
       {"size", "WIDTHxHEIGHT", "for scenes, in pixels (default: 224x224)"},
       {"png", "", "scenes as PNG files instead of raw RGB"}},
      0,
      0};
  return spec;
}

bool draws_scenes(const std::string& data_set) {
  return (", " + images::known_scene_sets() + ",").find(", " + data_set + ",") != std::string::npos;
}

Status export_as_asked(const Invocation& call, std::uint64_t count, images::SceneSize size) {
  const std::string data_set = *call.value("data-set");
  const std::string split = *call.value("split");
  const std::string folder = *call.value("out");
  if (!draws_scenes(data_set)) return images::export_images(data_set, split, count, folder);
  const auto files = call.has("png") ? images::SceneFiles::png : images::SceneFiles::raw;
  return images::export_scenes(data_set, split, count, size, files, folder);
}

}  // namespace

int verb_images(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(images_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  for (const char* needed : {"data-set", "split", "count", "out"}) {
    if (!call.has(needed)) return usage_error("images", std::string("--") + needed + " is needed", err);
  }
  const std::optional<double> count = number_from(*call.value("count"), 1.0);
  if (!count || *count > kMostImages) {
    return usage_error("images", "--count is a number from 1 to 1000000", err);
  }
  if (!draws_scenes(*call.value("data-set")) && (call.has("size") || call.has("png"))) {
    return usage_error("images", "--size and --png are for scenes: " + images::known_scene_sets(), err);
  }
  const auto size = pixel_size_from(call.value("size").value_or("224x224"));
  if (!size) return usage_error("images", "--size is WIDTHxHEIGHT in pixels, as in 640x360", err);
  const Status written =
      export_as_asked(call, static_cast<std::uint64_t>(*count), {size->width, size->height});
  if (!written) {
    print_errors(written.errors(), err);
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace saccade::app
