#include "profiles/origin.hpp"

#include <algorithm>

namespace saccade::profiles {

Origin origin_of(const ProfileSet& set, const Machine& machine) {
  if (!set.provenance.provider.empty() && set.provenance.provider != "cpu") {
    const auto has = [&machine](const std::string& card) {
      return std::find(machine.cards.begin(), machine.cards.end(), card) != machine.cards.end();
    };
    if (set.device.name == kUnnamedCard) return Origin::unnamed_card;
    if (has(set.device.name)) return Origin::here;
    return has("") ? Origin::unnamed_card : Origin::other_card;
  }
  const std::string& recorded = set.provenance.instruction_set;
  if (recorded.empty() || machine.instruction_set.empty()) return Origin::unknown;
  if (recorded != machine.instruction_set) return Origin::other_instructions;
  return set.device.name == machine.name ? Origin::here : Origin::other_device;
}

}  // namespace saccade::profiles
