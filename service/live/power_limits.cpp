#include "service/live/power_limits.hpp"

#include <utility>

#include "text/strict_json.hpp"

namespace saccade::service {

std::optional<std::string> above_power_limit(const std::optional<runtime::EnergyReading>& energy,
                                             const scheduler::Limits& limits) {
  if (!energy || energy->source != runtime::EnergySource::measured || !energy->power) return std::nullopt;
  const auto exceeded = [&](const std::optional<Watts>& limit,
                            const char* key) -> std::optional<std::string> {
    if (!limit || *energy->power <= *limit) return std::nullopt;
    return "the device draws " + text::to_text(energy->power->value()) + " W (" + energy->meter +
           ", the last second), more than `limits." + key + "` of " + text::to_text(limit->value()) +
           ": plans keep it by the profiles' figures; measure those again, or lower it";
  };
  if (auto peak = exceeded(limits.peak_power, "peak_power_watts")) return peak;
  return exceeded(limits.energy_per_second, "energy_joules_per_second");
}

void PowerWatch::add(const runtime::RunStatus& status) {
  auto above = status.wanted ? above_power_limit(status.energy, status.wanted->limits) : std::nullopt;
  const Lock lock(mutex_);
  above_ = std::move(above);
}

std::optional<std::string> PowerWatch::above() const {
  const Lock lock(mutex_);
  return above_;
}

}  // namespace saccade::service
