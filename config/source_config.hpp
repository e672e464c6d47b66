// The source of a task's frames and the regions of interest in them: the keys `source` and `regions` of a
// task in the configuration.
// Threads: functions without state. Errors: into the report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/run/run_config.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {

// A relative path resolved against the configuration's folder; an absolute one unchanged.
[[nodiscard]] std::filesystem::path resolve(const std::filesystem::path& directory, const std::string& path);

// Files and folders must exist; addresses (with "://") are not contacted.
[[nodiscard]] std::optional<runtime::SourceConfig> read_source(const text::JsonAt& at,
                                                               const std::filesystem::path& directory,
                                                               text::JsonReport& report);

// What is suspicious about it, located at `where`; absent: nothing.
[[nodiscard]] std::optional<Error> source_warning(const runtime::SourceConfig& source,
                                                  const std::string& where);

// [x, y, width, height] in pixels.
[[nodiscard]] std::optional<runtime::PixelBox> read_box(const text::JsonAt& at, text::JsonReport& report);

[[nodiscard]] runtime::Regions read_regions(const text::JsonAt& at, text::JsonReport& report);

}  // namespace saccade::config
