// Where a task's frames come from and which parts of them it looks at: the keys `source` and
// `regions` of a task in the configuration.
// Threads: functions without state. Errors: into the report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "profiles/strict_json.hpp"
#include "runtime/run_config.hpp"

namespace saccade::app {

// A relative path below the configuration's folder; an absolute one as it is.
[[nodiscard]] std::filesystem::path resolve(const std::filesystem::path& directory, const std::string& path);

// Files and folders must exist; addresses (with "://") are not tried.
[[nodiscard]] std::optional<runtime::SourceConfig> read_source(const profiles::JsonAt& at,
                                                               const std::filesystem::path& directory,
                                                               profiles::JsonReport& report);

[[nodiscard]] runtime::Regions read_regions(const profiles::JsonAt& at, profiles::JsonReport& report);

// "x is not available in this version"
void refuse_unavailable(const profiles::JsonAt& at, const std::string& what, const std::string& hint,
                        profiles::JsonReport& report);

}  // namespace saccade::app
