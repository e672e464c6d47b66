// The few steps on the file system that keeping a state takes, apart so that a test can end the world
// after each of them.
// Threads: one at a time. Errors: what the system says, with the path.
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
  // Absent: there is no such file.
  [[nodiscard]] virtual Result<std::optional<std::string>> read(const std::filesystem::path& file) = 0;
  // The whole text, on the disk when this returns; a file that was there is written over.
  [[nodiscard]] virtual Status write(const std::filesystem::path& file, std::string_view text) = 0;
  [[nodiscard]] virtual Status rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  // Makes renames in the folder outlast a loss of power.
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
