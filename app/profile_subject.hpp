// What `saccade profile` is asked to measure: an existing profile set, or the folder of a network that
// was trained and never measured (training.json beside its models). Both become a profile set; of a
// trained network it holds names, files and labels and no measures.
// Threads: functions without state. Errors: all that is wrong with the file at once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"

namespace saccade::app {

struct ProfileSubject {
  profiles::ProfileSet set;
  bool measured = false;       // the set has measures already
  std::filesystem::path home;  // where its profile set is kept
};

[[nodiscard]] Result<ProfileSubject> read_profile_subject(const std::filesystem::path& path);

// Keeps the named variants only, in the order of the set.
[[nodiscard]] Status keep_only(const std::vector<std::string>& ids, profiles::ProfileSet& set);

// Makes the model names relative to the folder of `file`, and copies models that lie elsewhere into a
// folder named after the network beside it: a profile set names no file outside its folder.
[[nodiscard]] Status move_to(const std::filesystem::path& file, profiles::ProfileSet& set);

}  // namespace saccade::app
