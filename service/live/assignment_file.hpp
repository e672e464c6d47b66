// The last good assignment of a box, beside its saved state: what it serves after a restart without the
// store. The text lies there with a checksum; one that is damaged is reported and not used.
// Threads: one at a time. Errors: as StateFiles; what is damaged names the file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "service/live/state_files.hpp"

namespace saccade::service {

class AssignmentFile {
 public:
  explicit AssignmentFile(std::filesystem::path folder,
                          std::unique_ptr<StateFiles> files = std::make_unique<RealStateFiles>())
      : folder_(std::move(folder)), files_(std::move(files)) {}

  // Absent: there is none yet.
  [[nodiscard]] Result<std::optional<std::string>> load();
  [[nodiscard]] Status save(const std::string& text);
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "fleet-assignment.json"; }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<StateFiles> files_;
};

}  // namespace saccade::service
