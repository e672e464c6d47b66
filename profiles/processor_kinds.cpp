#include "profiles/processor_kinds.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace saccade::profiles {
namespace {

using Processors = std::vector<ProcessorId>;
using Renaming = std::map<ProcessorId, ProcessorId>;  // from kind to processor

Processors of_kind(std::span<const KindOfProcessor> processors, const ProcessorId& kind) {
  Processors found;
  for (const KindOfProcessor& candidate : processors) {
    if (candidate.kind == kind) found.push_back(candidate.processor);
  }
  // A set may name a processor itself, as variants that several processors of one kind share do.
  const bool named = std::any_of(processors.begin(), processors.end(),
                                 [&](const KindOfProcessor& each) { return each.processor == kind; });
  if (found.empty() && named) found.push_back(kind);
  return found;
}

template <class Value>
void rename(const Renaming& names, std::map<ProcessorId, Value>& by_processor) {
  std::map<ProcessorId, Value> renamed;
  for (auto& [kind, value] : by_processor) {
    const auto name = names.find(kind);
    renamed.emplace(name == names.end() ? kind : name->second, std::move(value));
  }
  by_processor = std::move(renamed);
}

Variant on(const Variant& variant, const Renaming& names, const std::string& suffix) {
  Variant placed = variant;
  rename(names, placed.frame_time);
  rename(names, placed.frame_time_p99);
  for (auto& [batch, times] : placed.batch_time) rename(names, times);
  if (placed.power) rename(names, placed.power->by_processor);
  for (Stage& stage : placed.staging.stages) {
    const auto to_name = [&](ProcessorId& kind) {
      const auto name = names.find(kind);
      if (name != names.end()) kind = name->second;
    };
    to_name(stage.kind);
    for (ProcessorId& copy : stage.copies) to_name(copy);
  }
  if (suffix.empty()) return placed;
  placed.measured_as = variant.id;
  placed.id = VariantId(variant.id.str() + "@" + suffix);
  return placed;
}

// Every way to take one processor of each kind that the variant uses, the last kind fastest.
void add_all(const Variant& variant, std::span<const KindOfProcessor> processors,
             std::vector<Variant>& variants) {
  std::vector<std::pair<ProcessorId, Processors>> kinds;
  for (const auto& [kind, time] : variant.frame_time) kinds.emplace_back(kind, of_kind(processors, kind));
  const bool runs = std::none_of(kinds.begin(), kinds.end(), [](const auto& k) { return k.second.empty(); });
  if (!runs) {
    variants.push_back(variant);
    return;
  }
  std::vector<std::size_t> at(kinds.size(), 0);
  while (true) {
    Renaming names;
    std::string suffix;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const ProcessorId& processor = kinds[k].second[at[k]];
      names.emplace(kinds[k].first, processor);
      if (kinds[k].second.size() > 1) suffix += (suffix.empty() ? "" : "+") + processor.str();
    }
    variants.push_back(on(variant, names, suffix));
    std::size_t k = kinds.size();
    while (k > 0 && ++at[k - 1] == kinds[k - 1].second.size()) at[--k] = 0;
    if (k == 0) return;
  }
}

Device on(const Device& device, std::span<const KindOfProcessor> processors) {
  Device placed = device;
  placed.processors.clear();
  placed.threads.clear();
  for (const ProcessorId& kind : device.processors) {
    const Processors own = of_kind(processors, kind);
    for (const ProcessorId& processor : own.empty() ? Processors{kind} : own) {
      if (std::find(placed.processors.begin(), placed.processors.end(), processor) != placed.processors.end())
        continue;
      placed.processors.push_back(processor);
      if (device.threads_on(kind) > 1) placed.threads[processor] = device.threads_on(kind);
    }
  }
  return placed;
}

}  // namespace

bool are_their_own_kinds(std::span<const KindOfProcessor> processors) {
  return std::all_of(processors.begin(), processors.end(),
                     [](const KindOfProcessor& p) { return p.kind == p.processor; });
}

ProfileSet on_processors(const ProfileSet& set, std::span<const KindOfProcessor> processors) {
  ProfileSet placed = set;
  placed.device = on(set.device, processors);
  placed.variants.clear();
  for (const Variant& variant : set.variants) add_all(variant, processors, placed.variants);
  return placed;
}

ProcessorId kind_with_threads(const ProcessorId& kind, int threads) {
  const std::string mark = "-x";
  std::string name = kind.str();
  const std::size_t at = name.rfind(mark);
  const auto digits = [&] { return name.find_first_not_of("0123456789", at + mark.size()); };
  const bool marked = at != std::string::npos && at > 0 && at + mark.size() < name.size();
  if (marked && digits() == std::string::npos) name.erase(at);
  if (threads > 1) name += mark + std::to_string(threads);
  return ProcessorId(name);
}

const VariantId& measured_id(const Variant& variant) {
  return variant.measured_as.str().empty() ? variant.id : variant.measured_as;
}

std::vector<std::size_t> same_measured(const ProfileSet& set, std::size_t variant) {
  const VariantId& measured = measured_id(set.variants.at(variant));
  std::vector<std::size_t> same;
  for (std::size_t i = 0; i < set.variants.size(); ++i) {
    if (measured_id(set.variants[i]) == measured) same.push_back(i);
  }
  return same;
}

}  // namespace saccade::profiles
