// The profile sets a configuration names: each file is read once and shared by its tasks.
// Order: load() for every task, then idle_power(), notes() and warnings().
// Threads: one. Errors: into the report, a broken profile set's with the lines of its own file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/profile_machine.hpp"
#include "profiles/profile_set.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {

// Sets that were read before. A file is known by its path, size and time of modification; it is read again
// when one of them has changed.
class KnownProfileSets {
 public:
  [[nodiscard]] Result<profiles::ProfileSetPtr> read(const std::string& file);

 private:
  struct Version {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type modified;
    bool operator==(const Version&) const = default;
  };
  struct Known {
    Version version;
    profiles::ProfileSetPtr set;
  };
  std::map<std::string, Known> sets_;
};

class ProfileLibrary {
 public:
  // `known` outlives the library.
  ProfileLibrary(std::filesystem::path directory, KnownProfileSets& known)
      : directory_(std::move(directory)), known_(known) {}

  // Null after a report.
  [[nodiscard]] profiles::ProfileSetPtr load(const text::JsonAt& at, text::JsonReport& report);

  // The device's idle power as the sets declare it, 0 when none does; reports sets that disagree.
  [[nodiscard]] Watts idle_power(text::JsonReport& report) const;

  [[nodiscard]] std::vector<ProfileFile> files() const;
  // What is odd about the figures of each set (profiles::warnings()).
  [[nodiscard]] Errors notes() const;
  // What is odd about the sets here: model files that are missing, sets of different devices.
  [[nodiscard]] Errors warnings(bool models_are_needed) const;

 private:
  struct Entry {
    std::string path;  // resolved
    text::JsonAt first_use;
    profiles::ProfileSetPtr set;  // null: refused
  };
  std::filesystem::path directory_;
  KnownProfileSets& known_;
  std::vector<Entry> entries_;  // in the order of their first use
};

}  // namespace saccade::config
