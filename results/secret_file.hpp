// A password or token read from the first line of a file. Threads: function without state. Errors: with the
// path, never with the file's contents.
#pragma once

#include <string>

#include "base/result.hpp"

namespace saccade::results {

// Without the line terminator.
[[nodiscard]] saccade::Result<std::string> secret_in(const std::string& path);

}  // namespace saccade::results
