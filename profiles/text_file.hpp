// A text file written whole or not at all: to a neighbour first, then renamed over the old one.
// Threads: two writers of one path must not run at once. Errors: what the system says, with the path.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace saccade::profiles {

[[nodiscard]] Status write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace saccade::profiles
