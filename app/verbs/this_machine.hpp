// This machine, and the profile sets of a configuration that were measured elsewhere.
// Threads: any. Errors: none.
#pragma once

#include <string>

#include "base/result.hpp"
#include "config/config.hpp"

namespace saccade::app {

[[nodiscard]] profiles::Machine this_machine();
// Warnings, with the commands that measure here. Simulated engines are the same on every machine: no
// warnings.
[[nodiscard]] Errors foreign_profiles(const config::LoadedConfig& config, const std::string& file);

}  // namespace saccade::app
