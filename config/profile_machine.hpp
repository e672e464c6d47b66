// Profile sets held against the machine they are to be used on: a profile of another machine is not used in
// silence.
// Threads: pure. Errors: none; what differs is a warning.
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
// names the sets, for the command that fits it; empty: the sets alone.
[[nodiscard]] Errors machine_warnings(const std::vector<ProfileFile>& sets, const profiles::Machine& machine,
                                      const std::string& config);

}  // namespace saccade::config
