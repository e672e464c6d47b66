#include "config/profile_sets.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "config/mixed_accuracies.hpp"
#include "config/plan_only.hpp"
#include "config/source_config.hpp"
#include "profiles/profile_io.hpp"
#include "scheduler/prepared_set.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {
namespace {

namespace fs = std::filesystem;
using text::in_quotes;
using text::JsonAt;
using text::JsonReport;

void warn_missing_models(const profiles::ProfileSet& set, const std::string& path, Errors& found) {
  std::string missing;
  std::size_t count = 0;
  for (const profiles::Variant& variant : set.variants) {
    if (has_models(set, variant)) continue;
    if (++count <= 3) missing += (missing.empty() ? "" : ", ") + variant.id.str();
  }
  // A set without any model is told with its tasks (config/plan_only.hpp).
  if (count == 0 || count == set.variants.size()) return;
  if (count > 3) missing += " and " + std::to_string(count - 3) + " more";
  found.push_back({path, "there is no model file for " + missing,
                   "a run goes on without these variants; the `simulated` backend needs no model"});
}

}  // namespace

Result<KnownProfileSets::Sets> KnownProfileSets::read(
    const std::string& file, const std::vector<profiles::KindOfProcessor>& processors) {
  std::error_code failure;
  Version version{fs::file_size(file, failure), {}};
  if (!failure) version.modified = fs::last_write_time(file, failure);
  const auto known = known_.find(file);
  const bool current = !failure && known != known_.end() && known->second.version == version;
  if (current && known->second.processors == processors) return known->second.sets;
  const bool as_measured = profiles::are_their_own_kinds(processors);
  Sets sets;
  if (current) {
    sets.measured = known->second.sets.measured;
  } else {
    known_.erase(file);
    Result<profiles::ProfileSet> set = profiles::read_profile_set(file);
    if (!set) return set.errors();
    sets.measured = as_measured ? scheduler::prepare(std::move(set).value())
                                : std::make_shared<const profiles::ProfileSet>(std::move(set).value());
  }
  const bool is_prepared = scheduler::prepared(sets.measured) != nullptr;  // not if read for other kinds
  sets.planned = as_measured && is_prepared
                     ? sets.measured
                     : scheduler::prepare(profiles::on_processors(*sets.measured, processors));
  if (!failure) known_[file] = {version, processors, sets};
  return sets;
}

profiles::ProfileSetPtr ProfileLibrary::load(const JsonAt& at, JsonReport& report) {
  const std::optional<std::string> path = text::read_text(at, report);
  if (!path) return nullptr;
  const std::string file = resolve(directory_, *path).string();
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) {
    report.add(at, "there is no profile set " + in_quotes(*path),
               "paths are relative to the folder of the configuration; `saccade profile` makes profile sets");
    return nullptr;
  }
  for (const Entry& known : entries_) {
    if (known.path == file) return known.planned;
  }
  Entry& entry = entries_.emplace_back(Entry{file, at, nullptr, nullptr});

  const Result<KnownProfileSets::Sets> set = known_.read(file, processors_);
  if (!set) {
    const std::size_t count = set.errors().size();
    report.add(at,
               "the profile set " + in_quotes(*path) + " has " + std::to_string(count) +
                   (count == 1 ? " error" : " errors"),
               "told below with the lines of its own file");
    report.add_foreign(at->line, set.errors());
    return nullptr;
  }
  entry.set = set.value().measured;
  entry.planned = set.value().planned;
  return entry.planned;
}

// Sets of one device that were measured one after the other agree no better than its idle power does with
// itself (a card's moved by 6 % within an hour). The largest counts: a limit of power holds with it.
Watts ProfileLibrary::idle_power(JsonReport& report) const {
  constexpr double kSame = 0.1;                         // of the largest
  std::vector<std::pair<Watts, std::size_t>> declared;  // with the set's place in entries_
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].set && entries_[i].set->device.idle_power)
      declared.emplace_back(*entries_[i].set->device.idle_power, i);
  }
  if (declared.empty()) return Watts(0.0);
  const auto [least, most] = std::minmax_element(declared.begin(), declared.end());
  if (least->first < (1.0 - kSame) * most->first) {
    const auto [first, second] =
        std::minmax(*least, *most, [](const auto& a, const auto& b) { return a.second < b.second; });
    report.add(
        entries_[second.second].first_use,
        "the profile sets disagree about the device's idle power: " + text::to_text(first.first.value()) +
            " W and " + text::to_text(second.first.value()) + " W",
        "use profile sets that were measured on the same device");
  }
  return most->first;
}

std::vector<ProfileFile> ProfileLibrary::files() const {
  std::vector<ProfileFile> files;
  for (const Entry& entry : entries_) {
    if (entry.set) files.push_back({entry.path, entry.set});
  }
  return files;
}

Errors ProfileLibrary::notes() const {
  Errors found;
  for (const Entry& entry : entries_) {
    if (!entry.set) continue;
    const Errors own = profiles::warnings(*entry.set, entry.path);
    found.insert(found.end(), own.begin(), own.end());
  }
  const Errors mixed = mixed_accuracies(files());
  found.insert(found.end(), mixed.begin(), mixed.end());
  return found;
}

Errors ProfileLibrary::warnings(bool models_are_needed) const {
  Errors found;
  const Entry* first = nullptr;
  for (const Entry& entry : entries_) {
    if (!entry.set) continue;
    if (models_are_needed) warn_missing_models(*entry.set, entry.path, found);
    if (first == nullptr) first = &entry;
    const profiles::Device& device = entry.set->device;
    const profiles::Device& other = first->set->device;
    if (device.name != other.name) {
      found.push_back(
          {entry.path,
           "it was measured on " + in_quotes(device.name) + ", another one on " + in_quotes(other.name),
           "a profile is true only for the device it was measured on"});
    } else if (device.idle_power.has_value() != other.idle_power.has_value()) {
      found.push_back({entry.path, "some profile sets declare the device's idle power and others do not",
                       "power above idle and gross power do not add up; measure them the same way"});
    }
  }
  return found;
}

}  // namespace saccade::config
