#include "runtime/control/executable.hpp"

#include <algorithm>

namespace saccade::runtime {
namespace {

std::optional<ProcessorIndex> index_of(const ProcessorId& processor, const scheduler::Snapshot& snapshot) {
  for (ProcessorIndex i = 0; i < snapshot.processors.size(); ++i) {
    if (snapshot.processors[i].id == processor) return i;
  }
  return std::nullopt;
}

}  // namespace

bool is_executable(const profiles::Variant& variant, int regions) {
  return variant.staging.empty() ? variant.frame_time.size() == 1 : regions <= 1;
}

std::optional<ProcessorIndex> processor_of(const profiles::Variant& variant,
                                           const scheduler::Snapshot& snapshot, int regions) {
  if (!is_executable(variant, regions)) return std::nullopt;
  if (variant.staging.empty()) return index_of(variant.frame_time.begin()->first, snapshot);
  const std::vector<profiles::Stage>& stages = variant.staging.stages;
  const bool all_here = std::all_of(stages.begin(), stages.end(), [&](const profiles::Stage& stage) {
    const auto is_here = [&](const ProcessorId& id) { return index_of(id, snapshot).has_value(); };
    return is_here(stage.kind) && std::all_of(stage.copies.begin(), stage.copies.end(), is_here);
  });
  return all_here ? index_of(stages.front().kind, snapshot) : std::nullopt;
}

DevicePlaces devices_of(const profiles::Variant& variant, const scheduler::Snapshot& snapshot,
                        const std::vector<std::optional<std::size_t>>& places) {
  DevicePlaces devices;
  for (ProcessorIndex p = 0; p < snapshot.processors.size(); ++p) {
    const std::optional<std::size_t>& place = places.at(p);
    if (!place || !variant.frame_time.contains(snapshot.processors[p].id)) continue;
    if (std::find(devices.begin(), devices.end(), *place) == devices.end()) devices.push_back(*place);
  }
  return devices;
}

}  // namespace saccade::runtime
