#include "runtime/run/energy_reading.hpp"

#include <algorithm>

namespace saccade::runtime {

const char* to_string(EnergySource source) {
  return source == EnergySource::measured ? "measured" : "modelled";
}

void EnergyModel::add_frames(const profiles::ProfileSet& profiles, int regions, const TaskFrames& frames) {
  // A task that has done nothing yet is known when its network was measured at all.
  known_ =
      known_ && std::any_of(profiles.variants.begin(), profiles.variants.end(), [&](const auto& variant) {
        return profiles::energy_per_frame(variant, regions).has_value();
      });
  for (std::size_t v = 0; v < frames.variants.size(); ++v) {
    if (frames.variants[v].frames == 0) continue;
    const std::optional<Joules> each = profiles::energy_per_frame(profiles.variants.at(v), regions);
    known_ = known_ && each.has_value();
    if (each) total_ += *each * static_cast<double>(frames.variants[v].frames);
  }
}

void EnergyModel::add_power(const profiles::ProfileSet& profiles, int regions, std::size_t serving,
                            Fps rate) {
  const std::optional<Joules> each = profiles::energy_per_frame(profiles.variants.at(serving), regions);
  known_ = known_ && each.has_value();
  if (each) power_ += *each * rate;
}

}  // namespace saccade::runtime
