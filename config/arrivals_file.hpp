// The file of a `replay` source: CSV whose first column has the arrival times in seconds since the start of
// the run, ascending. A first row that does not begin with a number is a heading; further columns are
// ignored.
// Threads: functions without state. Errors: what cannot be read, with file and line; at most ten.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace saccade::config {

// `name`: the file's name in errors. At least one time, at most a million.
[[nodiscard]] Result<std::vector<Duration>> parse_arrivals(std::string_view text, const std::string& name);
[[nodiscard]] Result<std::vector<Duration>> read_arrivals(const std::filesystem::path& file,
                                                          const std::string& name);

}  // namespace saccade::config
