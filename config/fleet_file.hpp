// A fleet in one file (format saccade-fleet/1): policy, kinds of boxes, boxes and cameras, for `saccade fleet
// plan`, `check` and `explain`. A kind is the hardware that boxes have in common: processors, limits and the
// profile sets measured on it. What is wrong is reported at once, each with file, line, pointer and hint.
// Threads: functions without state. Errors: Result; nothing throws.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "fleet/problem.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {

inline constexpr const char* kFleetFormat = "saccade-fleet/1";
inline constexpr text::JsonLimits kFleetLimits{64, 8'000'000, 8'192, 128};

struct LoadedFleet {
  fleet::Problem problem;  // sorted and valid
  Errors warnings;
};

[[nodiscard]] Result<LoadedFleet> read_fleet(const std::filesystem::path& path);
// The same from text; relative paths of profile sets are below `directory`.
[[nodiscard]] Result<LoadedFleet> parse_fleet(std::string_view text, const std::string& name,
                                              const std::filesystem::path& directory);

}  // namespace saccade::config
