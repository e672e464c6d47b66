#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/table.hpp"
#include "app/verbs/verbs.hpp"
#include "config/config.hpp"
#include "config/fit.hpp"
#include "text/text_file.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const CommandSpec& fit_spec() {
  static const CommandSpec spec{
      "fit",
      "CONFIG",
      "Fits a configuration to this machine: writes a copy that uses the profiles measured here and whose\n"
      "demands are scaled (fps_scale) so that this machine is as full as CONFIG would make the machine its\n"
      "own profiles were measured on.",
      {{"profiles", "FOLDER", "profile sets measured here, under the file names that CONFIG uses"},
       {"out", "FILE", "where the fitted configuration is written"}},
      1,
      1,
      "Measure first: saccade profile PROFILE --quick --out FOLDER/NAME.json"};
  return spec;
}

bool is_address(const std::string& path) { return path.find("://") != std::string::npos; }

// The same file as seen from another folder.
std::string moved(const std::string& path, const fs::path& from, const fs::path& to) {
  return fs::relative(fs::absolute(from / path), fs::absolute(to)).generic_string();
}

// `config` has been read successfully before: its shape is known to be right.
void use_measured_profiles(Json& config, const fs::path& from, const fs::path& to, const fs::path& measured) {
  for (Json& task : config.at("tasks")) {
    const fs::path name = fs::path(task.at("profiles").get<std::string>()).filename();
    task["profiles"] = fs::relative(fs::absolute(measured / name), fs::absolute(to)).generic_string();
    Json& source = task.at("source");
    if (!source.contains("path")) continue;
    const auto path = source.at("path").get<std::string>();
    if (!is_address(path)) source["path"] = moved(path, from, to);
  }
}

}  // namespace

int verb_fit(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(fit_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  if (!call.has("profiles") || !call.has("out")) {
    return usage_error("fit", "--profiles and --out are needed", err);
  }
  const fs::path file = call.arguments()[0];
  const fs::path target = *call.value("out");
  const auto fail = [&](const Errors& errors) {
    print_errors(errors, err);
    return kExitConfig;
  };

  const auto named = config::read_config(file);
  if (!named) return fail(named.errors());
  std::ifstream in(file);
  Json config = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (config.is_discarded()) return fail({{file.string(), "the file changed while it was read", ""}});
  use_measured_profiles(config, file.parent_path(), target.parent_path(), *call.value("profiles"));
  const auto measured = config::parse_config(config.dump(2), target.string(), target.parent_path());
  if (!measured) return fail(measured.errors());

  const config::Fit fitted = config::fit(named.value().run, measured.value().run);
  if (!(fitted.named > 0.0) || !(fitted.measured > 0.0)) {
    return fail({{file.string(), "no task demands a frame at any time", "give a task an fps above 0"}});
  }
  config["fps_scale"] = config.value("fps_scale", 1.0) * fitted.factor();
  const Status written = text::write_text_file(target, config.dump(2) + "\n");
  if (!written) return fail(written.errors());
  out << "demand x " << short_number(fitted.factor()) << ": the most accurate variants of all tasks need "
      << short_number(fitted.named) << " times the time budget at full demand with the profiles of "
      << file.string() << ", " << short_number(fitted.measured) << " times with those measured here\n"
      << "written to " << target.string() << '\n';
  return kExitOk;
}

}  // namespace saccade::app
