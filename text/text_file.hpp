// Reads a text file completely, up to a size limit, and writes it atomically: to a temporary file first, then
// renamed over the old one.
// Threads: two writers of one path must not run at once. Errors: the system's message, with the path.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace saccade::text {

[[nodiscard]] Result<std::string> read_text_file(const std::filesystem::path& path,
                                                 std::size_t most_mebibytes);

[[nodiscard]] Status write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace saccade::text
