// The profile sets a configuration names: each file is read once and shared by its tasks.
// Order: load() for every task, then idle_power(), model_warnings() and warnings().
// Threads: one. Errors: into the report, a broken profile set's with the lines of its own file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/profile_set.hpp"
#include "profiles/strict_json.hpp"

namespace saccade::app {

class ProfileLibrary {
 public:
  explicit ProfileLibrary(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // Null after a report.
  [[nodiscard]] profiles::ProfileSetPtr load(const profiles::JsonAt& at, profiles::JsonReport& report);

  // The device's idle power as the sets declare it, 0 when none does; reports sets that disagree.
  [[nodiscard]] Watts idle_power(profiles::JsonReport& report) const;

  // What is odd about the sets, model files that are missing included.
  [[nodiscard]] Errors warnings(bool models_are_needed) const;

 private:
  struct Entry {
    std::string path;  // resolved
    profiles::JsonAt first_use;
    profiles::ProfileSetPtr set;  // null: refused
  };
  std::filesystem::path directory_;
  std::vector<Entry> entries_;  // in the order of their first use
};

}  // namespace saccade::app
