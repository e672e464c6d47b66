#include "profiles/origin.hpp"

namespace saccade::profiles {

Origin origin_of(const ProfileSet& set, const Machine& machine) {
  const std::string& recorded = set.provenance.instruction_set;
  if (recorded.empty() || machine.instruction_set.empty()) return Origin::unknown;
  if (recorded != machine.instruction_set) return Origin::other_instructions;
  return set.device.name == machine.name ? Origin::here : Origin::other_device;
}

}  // namespace saccade::profiles
