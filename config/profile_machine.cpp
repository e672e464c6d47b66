#include "config/profile_machine.hpp"

#include <filesystem>
#include <map>

#include "text/strict_json.hpp"

namespace saccade::config {
namespace {

using profiles::Origin;

std::string card_names(const std::vector<std::string>& cards) {
  std::string names;
  for (const std::string& card : cards) names += (names.empty() ? "" : ", ") + text::in_quotes(card);
  return names.empty() ? "none" : names;
}

std::string what_differs(Origin origin, const std::string& device, const profiles::Machine& machine) {
  std::string two = "it was measured on " + text::in_quotes(device) + ", and this machine is " +
                    text::in_quotes(machine.name);
  switch (origin) {
    case Origin::here:
      break;
    case Origin::other_device:
      return two;
    case Origin::other_instructions:
      return two + " and has other instructions";
    case Origin::other_card:
      return "it was measured on the card " + text::in_quotes(device) + ", and this machine has " +
             card_names(machine.cards);
    case Origin::unnamed_card:
      if (device == profiles::kUnnamedCard)
        return "it is not known on which card it was measured: the driver reported no name for it";
      return "it was measured on the card " + text::in_quotes(device) +
             ", and the driver reports no name for a card of this machine";
    case Origin::unknown:
      return "it is not known on what machine it was measured: it records no instruction set";
  }
  return {};
}

std::string commands(Origin origin, const ProfileFile& file, const std::string& config) {
  const std::string& path = file.path;
  const std::string& provider = file.set->provenance.provider;
  const std::string name = std::filesystem::path(path).filename().string();
  std::string text;
  if (origin == Origin::unnamed_card)
    text = "`nvidia-smi -L` shows the names that the driver reports; update a driver that reports none; ";
  text += "its times may not hold here; measure: saccade profile " + path + " --quick" +
          (provider.empty() ? "" : " --provider " + provider) + " --out HERE/" + name;
  if (!config.empty()) text += ", each of them, then saccade fit " + config + " --profiles HERE --out FILE";
  return text;
}

}  // namespace

Errors machine_warnings(const std::vector<ProfileFile>& sets, const profiles::Machine& machine,
                        const std::string& config) {
  std::map<std::string, std::vector<const ProfileFile*>> by_difference;
  for (const ProfileFile& file : sets) {
    const Origin origin = profiles::origin_of(*file.set, machine);
    if (origin == Origin::here) continue;
    by_difference[what_differs(origin, file.set->device.name, machine)].push_back(&file);
  }
  Errors warnings;
  for (const auto& [difference, files] : by_difference) {
    const Origin origin = profiles::origin_of(*files.front()->set, machine);
    std::string what = difference;
    if (files.size() > 1) {
      what += "; the same of";
      for (std::size_t i = 1; i < files.size(); ++i) {
        what += (i > 1 ? ", " : " ") + std::filesystem::path(files[i]->path).filename().string();
      }
    }
    warnings.push_back({files.front()->path, what, commands(origin, *files.front(), config)});
  }
  return warnings;
}

}  // namespace saccade::config
