// The file-system steps of saving a state, separate so that a test can interrupt the process after each of
// them.
// Threads: one at a time. Errors: the system's message, with the path.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace saccade::service {

class StateFiles {
 public:
  virtual ~StateFiles() = default;
  // Absent: the file does not exist.
  [[nodiscard]] virtual Result<std::optional<std::string>> read(const std::filesystem::path& file) = 0;
  // Writes the whole text, synchronised when this returns; an existing file is overwritten.
  [[nodiscard]] virtual Status write(const std::filesystem::path& file, std::string_view text) = 0;
  [[nodiscard]] virtual Status rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  // Synchronises the folder, so that renames in it survive a loss of power.
  [[nodiscard]] virtual Status sync_folder(const std::filesystem::path& folder) = 0;
};

class RealStateFiles : public StateFiles {
 public:
  [[nodiscard]] Result<std::optional<std::string>> read(const std::filesystem::path& file) override;
  [[nodiscard]] Status write(const std::filesystem::path& file, std::string_view text) override;
  [[nodiscard]] Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  [[nodiscard]] Status sync_folder(const std::filesystem::path& folder) override;
};

}  // namespace saccade::service
