// Compares profile sets with the machine they are to be used on, so that a profile of another machine is
// never used without a warning.
// Threads: pure. Errors: none; differences are warnings.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "profiles/origin.hpp"

namespace saccade::config {

struct ProfileFile {
  std::string path;
  profiles::ProfileSetPtr set;
};

// One warning for all sets of the same origin, with the command that measures here. `config`: the file that
// names the sets, for the command that fits it; empty: the sets only.
[[nodiscard]] Errors machine_warnings(const std::vector<ProfileFile>& sets, const profiles::Machine& machine,
                                      const std::string& config);

}  // namespace saccade::config
