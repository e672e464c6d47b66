// The profile sets that a configuration names: each file is read once and shared by its tasks, which plan
// with it on the configured processors (profiles/processor_kinds.hpp). Order: plan_on(), load() for every
// task, then idle_power(), files(), notes() and warnings(). Threads: one. Errors: into the report; those of
// an invalid profile set with the lines of its own file.
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

// A cache of sets that were read before. A file is identified by its path, size and modification time; it is
// read again if one of them has changed.
class KnownProfileSets {
 public:
  struct Sets {
    profiles::ProfileSetPtr measured;  // as in the file
    profiles::ProfileSetPtr planned;   // on the processors; prepared (scheduler/prepared_set.hpp)
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
  // `known` must outlive the library.
  ProfileLibrary(std::filesystem::path directory, KnownProfileSets& known)
      : directory_(std::move(directory)), known_(known) {}

  void plan_on(std::vector<profiles::KindOfProcessor> processors) { processors_ = std::move(processors); }

  // Null after a report.
  [[nodiscard]] profiles::ProfileSetPtr load(const text::JsonAt& at, text::JsonReport& report);

  // The largest idle power of the device that the sets declare, 0 if none does; reports sets that differ by
  // more than a tenth.
  [[nodiscard]] Watts idle_power(text::JsonReport& report) const;

  [[nodiscard]] std::vector<ProfileFile> files() const;
  // Suspicious figures of each set (profiles::warnings()).
  [[nodiscard]] Errors notes() const;
  // Suspicious use of the sets: missing model files, sets of different devices.
  [[nodiscard]] Errors warnings(bool models_are_needed) const;

 private:
  struct Entry {
    std::string path;  // resolved
    text::JsonAt first_use;
    profiles::ProfileSetPtr set;      // as in the file; null: refused
    profiles::ProfileSetPtr planned;  // on the processors
  };
  std::filesystem::path directory_;
  KnownProfileSets& known_;
  std::vector<profiles::KindOfProcessor> processors_;
  std::vector<Entry> entries_;  // in the order of their first use
};

}  // namespace saccade::config
