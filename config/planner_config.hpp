// The configuration of a planner (`saccade fleet run`): its fleet and store, where its API is served, its
// own name, and how long a plan may take. Read as a box's configuration is, all mistakes at once. Threads:
// functions without state.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "config/api_config.hpp"
#include "config/fleet_part.hpp"

namespace saccade::config {

struct PlannerConfig {
  FleetSettings fleet;  // without what is of a box
  std::optional<ApiConfig> api;
  std::string node;            // its name; empty: not given
  Seconds plan_deadline{2.0};  // of a plan of the whole fleet
};

[[nodiscard]] Result<PlannerConfig> read_planner_config(const std::filesystem::path& path);
[[nodiscard]] Result<PlannerConfig> parse_planner_config(std::string_view text, const std::string& name,
                                                         const std::filesystem::path& directory);

}  // namespace saccade::config
