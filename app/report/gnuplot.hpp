// Runs gnuplot as a separate program: searched on PATH, run without a shell on one script, in the script's
// folder.
// Threads: any. Errors: Result, with gnuplot's own message.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace saccade::app {

// The executable `gnuplot` in the first folder of `search_path` (folders with ":" between) that has it.
[[nodiscard]] std::optional<std::filesystem::path> find_gnuplot(const std::string& search_path);

// Runs `program SCRIPT` in the folder of the script and waits for it.
[[nodiscard]] Status run_gnuplot(const std::filesystem::path& program, const std::filesystem::path& script);

}  // namespace saccade::app
