// The file of a `replay` source: CSV whose first column holds times of arrival in seconds since the start of
// the run, ascending. A first row that begins with no number is a heading; further columns are not looked at.
// Threads: function without state. Errors: what cannot be read, with file and line; at most ten.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace saccade::config {

// `name` stands in complaints as the file's name. At least one time, at most a million.
[[nodiscard]] Result<std::vector<Duration>> read_arrivals(const std::filesystem::path& file,
                                                          const std::string& name);

}  // namespace saccade::config
