#include "profiles/origin.hpp"

#include <algorithm>

namespace saccade::profiles {

Origin origin_of(const ProfileSet& set, const Machine& machine) {
  if (!set.provenance.provider.empty() && set.provenance.provider != "cpu") {
    const bool has =
        std::find(machine.cards.begin(), machine.cards.end(), set.device.name) != machine.cards.end();
    return has ? Origin::here : Origin::other_card;
  }
  const std::string& recorded = set.provenance.instruction_set;
  if (recorded.empty() || machine.instruction_set.empty()) return Origin::unknown;
  if (recorded != machine.instruction_set) return Origin::other_instructions;
  return set.device.name == machine.name ? Origin::here : Origin::other_device;
}

}  // namespace saccade::profiles
