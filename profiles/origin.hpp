// Whether a profile set was measured on a given machine, as far as it records where it was: the device's name
// and the instructions that engines choose their kernels by. Accuracies hold wherever the arithmetic is the
// same, times and memory only on the same device.
// Threads: pure. Errors: none.
#pragma once

#include <string>

#include "profiles/profile_set.hpp"

namespace saccade::profiles {

struct Machine {
  std::string name;             // runtime::machine_name()
  std::string instruction_set;  // runtime::instruction_set(); empty: not known
};

// here                the same device
// other_device        another one with the same instructions
// other_instructions  another one
// unknown             the set or the machine does not tell its instructions
enum class Origin { here, other_device, other_instructions, unknown };
[[nodiscard]] Origin origin_of(const ProfileSet& set, const Machine& machine);

}  // namespace saccade::profiles
