// The profile sets a configuration names: each file is read once and shared by its tasks, which plan with it
// on the configured processors (profiles/processor_kinds.hpp). Order: plan_on(), load() for every task, then
// idle_power(), files(), notes() and warnings(). Threads: one. Errors: into the report, a broken profile
// set's with the lines of its own file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/profile_machine.hpp"
#include "profiles/processor_kinds.hpp"
#include "profiles/profile_set.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {

// Sets that were read before. A file is known by its path, size and time of modification; it is read again
// when one of them has changed.
class KnownProfileSets {
 public:
  struct Sets {
    profiles::ProfileSetPtr measured;  // as the file has it
    profiles::ProfileSetPtr planned;   // on the processors
  };
  [[nodiscard]] Result<Sets> read(const std::string& file,
                                  const std::vector<profiles::KindOfProcessor>& processors);

 private:
  struct Version {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type modified;
    bool operator==(const Version&) const = default;
  };
  struct Known {
    Version version;
    std::vector<profiles::KindOfProcessor> processors;
    Sets sets;
  };
  std::map<std::string, Known> known_;
};

class ProfileLibrary {
 public:
  // `known` outlives the library.
  ProfileLibrary(std::filesystem::path directory, KnownProfileSets& known)
      : directory_(std::move(directory)), known_(known) {}

  void plan_on(std::vector<profiles::KindOfProcessor> processors) { processors_ = std::move(processors); }

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
    profiles::ProfileSetPtr set;      // as the file has it; null: refused
    profiles::ProfileSetPtr planned;  // on the processors
  };
  std::filesystem::path directory_;
  KnownProfileSets& known_;
  std::vector<profiles::KindOfProcessor> processors_;
  std::vector<Entry> entries_;  // in the order of their first use
};

}  // namespace saccade::config
