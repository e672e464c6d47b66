// Whether a profile set was measured on a given machine, according to the origin that it records: the
// device's name and the instruction sets by which engines choose their kernels. Accuracies are valid wherever
// the arithmetic is the same, times and memory only on the same device.
// Threads: pure. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "profiles/profile_set.hpp"

namespace saccade::profiles {

// The name of a device in sets that were measured on a card for which the driver reported no name.
inline constexpr const char* kUnnamedCard = "unknown card";

struct Machine {
  std::string name;                     // runtime::machine_name()
  std::string instruction_set;          // runtime::instruction_set(); empty: unknown
  std::vector<std::string> cards = {};  // names of the accelerators; "": the driver reports none
};

// here                the same device
// other_device        another one with the same instructions
// other_instructions  another one
// unknown             the set or the machine does not record its instruction sets
// other_card          an accelerator that this machine does not have. For a set measured on an
//                     accelerator, `here` means any such card of this machine.
// unnamed_card        an accelerator whose name is not known; or this machine has one whose name is not known
enum class Origin { here, other_device, other_instructions, unknown, other_card, unnamed_card };
[[nodiscard]] Origin origin_of(const ProfileSet& set, const Machine& machine);

}  // namespace saccade::profiles
