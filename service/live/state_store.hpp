// The state directory of a service: the configuration last in force, in one file that is always complete. It
// is written to a temporary file, synchronised (fsync), and renamed over the old one, so that a process
// killed at any moment leaves either the old or the new state. The file carries a checksum; a file that is
// damaged, of another program or too large is refused with the reason, never used in part, and set aside
// before the next one is saved.
// The folder is locked against a second process for as long as the store lives.
// Call order: open(), load() at start-up, save() after every change. Threads: one at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "service/live/state_files.hpp"

namespace saccade::service {

struct SavedState {
  std::string document;      // the configuration in force
  std::string started_from;  // mark_of() the file at start-up
  bool operator==(const SavedState&) const = default;
};

// Equal for the same text in the same folder, so that relative paths in it mean the same, too.
[[nodiscard]] std::string mark_of(const std::filesystem::path& file, std::string_view text);

class StateStore {
 public:
  // Creates the folder if necessary. Refused if another process has locked it.
  [[nodiscard]] static Result<std::unique_ptr<StateStore>> open(
      const std::filesystem::path& folder,
      std::unique_ptr<StateFiles> files = std::make_unique<RealStateFiles>());
  ~StateStore();
  StateStore(const StateStore&) = delete;
  StateStore& operator=(const StateStore&) = delete;

  // Absent: nothing has been saved yet.
  [[nodiscard]] Result<std::optional<SavedState>> load();
  // After a failure the previously saved state is intact.
  [[nodiscard]] Status save(const SavedState& state);

  [[nodiscard]] std::filesystem::path file() const { return folder_ / "state.json"; }

 private:
  StateStore(std::filesystem::path folder, int lock, std::unique_ptr<StateFiles> files)
      : folder_(std::move(folder)), lock_(lock), files_(std::move(files)) {}

  std::filesystem::path folder_;
  int lock_;  // descriptor of the folder
  std::unique_ptr<StateFiles> files_;
  bool refused_ = false;  // what load() found there
};

}  // namespace saccade::service
