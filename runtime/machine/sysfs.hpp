// Small files of the kernel's trees. Threads: functions without state. Errors: absent, or empty.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace saccade::runtime {

[[nodiscard]] std::optional<double> number_in(const std::filesystem::path& file);
[[nodiscard]] std::string word_in(const std::filesystem::path& file);  // the first one
[[nodiscard]] std::string line_in(const std::filesystem::path& file);  // the first one
// What is in a folder, in the order of the names.
[[nodiscard]] std::vector<std::filesystem::path> folders_in(const std::filesystem::path& folder);

}  // namespace saccade::runtime
