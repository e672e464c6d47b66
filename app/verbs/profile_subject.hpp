// What `saccade profile` is given to measure: existing profile sets, including drafts, or folders of networks
// that were trained but never measured (training.json next to their models), or folders containing both. All
// become profile sets; that of a trained network has names, files and labels but no measures. Threads:
// functions without state. Errors: all that is wrong with the file at once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"

namespace saccade::app {

struct ProfileSubject {
  profiles::ProfileSet set;
  bool measured = false;       // the set has accuracies already
  std::filesystem::path home;  // where its profile set is saved
};

[[nodiscard]] Result<ProfileSubject> read_profile_subject(const std::filesystem::path& path);

// The same for several paths, where a path may also be a folder of profile sets and trained networks (those
// without a profile set next to them), in the order of their names.
[[nodiscard]] Result<std::vector<ProfileSubject>> read_profile_subjects(
    const std::vector<std::string>& paths);

// Keeps the variants that match one of the patterns, in their order, and the subjects that have any. A
// pattern matches a variant's id or NETWORK/ID; * is any text, ? any character. Errors: a pattern that
// matches nothing.
[[nodiscard]] Status keep_only(const std::vector<std::string>& patterns,
                               std::vector<ProfileSubject>& subjects);

// Makes the model names relative to the folder of `file`, and copies models from elsewhere into a folder
// named after the network next to it: a profile set names no file outside its folder.
[[nodiscard]] Status move_to(const std::filesystem::path& file, profiles::ProfileSet& set);

}  // namespace saccade::app
