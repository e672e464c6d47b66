#include <nlohmann/json.hpp>
#include <ostream>

#include "app/config.hpp"
#include "app/exit_codes.hpp"
#include "app/options.hpp"
#include "app/output.hpp"
#include "app/verbs.hpp"
#include "profiles/profile_io.hpp"
#include "profiles/strict_json.hpp"

namespace saccade::app {
namespace {

struct Verdict {
  std::string summary;  // one line about a good file
  Errors errors;
  Errors warnings;
};

std::string plural(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

Verdict check_profile_set(const std::string& path) {
  const Result<profiles::ProfileSet> set = profiles::read_profile_set(path);
  if (!set) return {"", set.errors(), {}};
  return {"profile set of " + set.value().network + ", " + plural(set.value().variants.size(), "variant"),
          {},
          profiles::warnings(set.value(), path)};
}

Verdict check_config(const std::string& path) {
  const Result<LoadedConfig> config = read_config(path);
  if (!config) return {"", config.errors(), {}};
  const runtime::RunConfig& run = config.value().run;
  const scheduler::Snapshot& base = run.timeline.front().snapshot;
  std::string summary = plural(run.tasks.size(), "task") + " on " +
                        plural(run.processors.size(), "processor") + ", policy " + to_string(run.policy) +
                        ", objective " + to_string(base.objective);
  if (run.timeline.size() > 1) {
    summary += ", " + plural(run.timeline.size() - 1, "change") + " until " +
               profiles::to_text(since_start(TimePoint(run.timeline.back().at)).value()) + " s";
  }
  return {summary, {}, config.value().warnings};
}

// A document that says it is a profile set is one; everything else should be a configuration.
bool is_profile_set(const std::string& path) {
  profiles::JsonReport ignored(path);
  const auto document = profiles::read_json_file(path, ignored, profiles::kProfileLimits);
  return document && document->find("format") != nullptr;
}

nlohmann::ordered_json to_json(const Errors& errors) {
  auto list = nlohmann::ordered_json::array();
  for (const Error& error : errors) {
    list.push_back({{"where", error.where}, {"what", error.what}, {"hint", error.hint}});
  }
  return list;
}

}  // namespace

int verb_check(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const CommandSpec spec{
      "check",
      "FILE...",
      "Reads configurations and profile sets and tells everything that is wrong with them at once: file\n"
      "and line, JSON pointer, what is wrong and what to do. Warnings do not make a file bad.",
      {{"json", "", "the verdicts as JSON"}},
      1};
  const Invocation call = parse_command_line(spec, args, out, err);
  if (call.exit_code()) return *call.exit_code();

  bool good = true;
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const std::string& path : call.arguments()) {
    const Verdict verdict = is_profile_set(path) ? check_profile_set(path) : check_config(path);
    good = good && verdict.errors.empty();
    if (call.has("json")) {
      files.push_back({{"file", path},
                       {"ok", verdict.errors.empty()},
                       {"errors", to_json(verdict.errors)},
                       {"warnings", to_json(verdict.warnings)}});
      continue;
    }
    print_errors(verdict.errors, err);
    print_warnings(verdict.warnings, err);
    if (verdict.errors.empty()) {
      out << path << ": ok, " << verdict.summary << '\n';
    } else {
      err << path << ": " << plural(verdict.errors.size(), "error") << '\n';
    }
  }
  if (call.has("json")) {
    out << nlohmann::ordered_json{{"ok", good}, {"files", files}}.dump(
               1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
        << '\n';
  }
  return good ? kExitOk : kExitConfig;
}

}  // namespace saccade::app
