// The configuration file: one JSON document, version 1, read into a validated runtime::RunConfig. All errors
// are reported at once, each with file, line, JSON pointer and what to do; suspicious but usable values are
// warnings. There is no fallback: the result is a complete configuration or none. Relative paths are relative
// to the file's folder. Every state of the timeline is checked as a snapshot of its own.
// Threads: functions without state. Errors: Result; nothing throws. Credentials in camera addresses appear in
// no message.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/api_config.hpp"
#include "config/fleet_part.hpp"
#include "config/profile_machine.hpp"
#include "config/profile_sets.hpp"
#include "results/settings.hpp"
#include "rules/rule.hpp"
#include "runtime/run/run_config.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {

struct LoadedConfig {
  runtime::RunConfig run;
  double fps_scale = 1.0;                  // already applied to every demand of `run`
  Errors warnings;                         // including those about plan_only tasks
  Errors profile_notes;                    // suspicious figures of the profile sets; not in `warnings`
  std::vector<ProfileFile> profile_files;  // in the order of their first use
  Errors plan_only;                        // tasks that can be planned but not run (config/plan_only.hpp)
  std::filesystem::path state_dir;         // state directory of a service; empty = none
  std::optional<ApiConfig> api;            // absent: nothing is served
  results::ResultsSettings results;        // the node's name, and where results go
  std::vector<rules::Rule> rules;          // when tasks are wanted otherwise
  std::optional<FleetSettings> fleet;      // absent: the box is alone
};

[[nodiscard]] Result<LoadedConfig> read_config(const std::filesystem::path& path);
// The same from text; `name` replaces the file's name in errors.
[[nodiscard]] Result<LoadedConfig> parse_config(std::string_view text, const std::string& name,
                                                const std::filesystem::path& directory);
// The same, with complaints located as the empty `report` does. `known_sets` (may be null): profile sets that
// were read before and whose files have not changed are taken from there. `more_tasks`: objects as in
// `tasks`, which follow those of the document; relative paths in them are relative to the same folder.
[[nodiscard]] Result<LoadedConfig> parse_config(std::string_view text, text::JsonReport report,
                                                const std::filesystem::path& directory,
                                                KnownProfileSets* known_sets = nullptr,
                                                const std::vector<text::JsonValue>& more_tasks = {});

}  // namespace saccade::config
