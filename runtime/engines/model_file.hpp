// Model files as bytes, verified before any library sees them: the bytes whose hash was compared are the
// bytes that are loaded, so that replacing the file in between has no effect.
// Threads: free functions without state. Errors: a file that cannot be read, is empty, or has a hash other
// than expected.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace saccade::runtime {

using ModelBytes = std::vector<char>;

// The whole file, compared with `sha256` (lower-case hex; empty = not checked).
[[nodiscard]] Result<ModelBytes> read_model(const std::filesystem::path& file, const std::string& sha256);

// SHA-256 as lower-case hex.
[[nodiscard]] std::string sha256_hex(std::span<const char> bytes);

}  // namespace saccade::runtime
