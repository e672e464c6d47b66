#include "config/mixed_accuracies.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace saccade::config {
namespace {

constexpr const char* kNotSaid = "not said";

using SetsByKind = std::map<std::string, std::vector<const ProfileFile*>>;

// "map of yard.json; top1 of a.json, b.json"
std::string kinds_text(const SetsByKind& kinds) {
  std::string text;
  for (const auto& [kind, files] : kinds) {
    text += (text.empty() ? "" : "; ") + kind + " of ";
    for (std::size_t i = 0; i < files.size(); ++i)
      text += (i > 0 ? ", " : "") + std::filesystem::path(files[i]->path).filename().string();
  }
  return text;
}

void warn_mixed(const SetsByKind& kinds, const std::string& what, Errors& found) {
  if (kinds.size() < 2) return;
  found.push_back(
      {kinds.begin()->second.front()->path, what + ": " + kinds_text(kinds),
       "plans compare relative accuracies (accuracy / the network's best), never these figures themselves: "
       "give tasks weights if a share of one is worth more than the same share of another"});
}

}  // namespace

Errors mixed_accuracies(const std::vector<ProfileFile>& sets) {
  SetsByKind metrics;
  SetsByKind sources;
  for (const ProfileFile& file : sets) {
    const std::string& metric = file.set->interface.metric;
    metrics[metric.empty() ? "a metric without a name" : metric].push_back(&file);
    const auto& source = file.set->provenance.accuracy_source;
    sources[source ? profiles::to_string(*source) : kNotSaid].push_back(&file);
  }
  // A set that does not say it, as those of the first format, was measured, like the zoo's.
  if (sources.size() == 2 && sources.contains(kNotSaid) &&
      sources.contains(profiles::to_string(profiles::AccuracySource::measured)))
    sources.clear();
  Errors found;
  warn_mixed(metrics, "the accuracies of the tasks have different metrics", found);
  warn_mixed(sources, "the accuracies of the tasks come from different sources", found);
  return found;
}

}  // namespace saccade::config
