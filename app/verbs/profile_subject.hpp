// What `saccade profile` is asked to measure: existing profile sets, drafts among them, or folders of
// networks that were trained and never measured (training.json beside their models), or folders full of both.
// All become profile sets; of a trained network it holds names, files and labels and no measures. Threads:
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
  std::filesystem::path home;  // where its profile set is kept
};

[[nodiscard]] Result<ProfileSubject> read_profile_subject(const std::filesystem::path& path);

// The same of several paths, where a path may also be a folder of profile sets and trained networks
// (those without a profile set beside them), which are taken in the order of their names.
[[nodiscard]] Result<std::vector<ProfileSubject>> read_profile_subjects(
    const std::vector<std::string>& paths);

// Keeps the variants that one of the patterns matches, in their order, and the subjects that have some.
// A pattern stands for a variant's id or for NETWORK/ID; * is any text, ? any character. Errors: a
// pattern that matches nothing.
[[nodiscard]] Status keep_only(const std::vector<std::string>& patterns,
                               std::vector<ProfileSubject>& subjects);

// Makes the model names relative to the folder of `file`, and copies models that lie elsewhere into a
// folder named after the network beside it: a profile set names no file outside its folder.
[[nodiscard]] Status move_to(const std::filesystem::path& file, profiles::ProfileSet& set);

}  // namespace saccade::app
