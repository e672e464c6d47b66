#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "app/exit_codes.hpp"
#include "app/options.hpp"
#include "app/output.hpp"
#include "app/verbs.hpp"
#include "runtime/sources/procedural/image_export.hpp"

namespace saccade::app {
namespace {

constexpr double kMostImages = 1e6;  // 12 GB

std::string known_data_sets() {
  std::string names;
  for (const std::string& name : runtime::ImageGenerator::names())
    names += (names.empty() ? "" : ", ") + name;
  return names;
}

const CommandSpec& images_spec() {
  static const CommandSpec spec{
      "images",
      "",
      "Writes images of the generator that training, profiling and the synthetic source share, as raw RGB\n"
      "with labels: what the zoo's training scripts read.",
      {{"data-set", "NAME", "one of " + runtime::known_data_sets()},
       {"split", "NAME", "train, calibration, held_out or live"},
       {"count", "N", "how many images"},
       {"out", "FOLDER", "an existing folder; files of the same names are replaced"}},
      0,
      0};
  return spec;
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
  const Status written = runtime::export_images(*call.value("data-set"), *call.value("split"),
                                                static_cast<std::uint64_t>(*count), *call.value("out"));
  if (!written) {
    print_errors(written.errors(), err);
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace saccade::app
