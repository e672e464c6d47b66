// A password or token that stands in the first line of a file. Threads: function without state. Errors: with
// the path, never with what the file holds.
#pragma once

#include <string>

#include "base/result.hpp"

namespace saccade::results {

// Without the line's end.
[[nodiscard]] saccade::Result<std::string> secret_in(const std::string& path);

}  // namespace saccade::results
