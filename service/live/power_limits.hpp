// The power that a meter measures, compared with the limits on power and energy. Plans respect them by the
// profiles' figures; what the device draws may be more: other programs, cooling, profiles of another device.
// Modelled energy is the plan's own and says nothing.
// Threads: function without state. Errors: none.
#pragma once

#include <optional>
#include <string>

#include "runtime/run/energy_reading.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::service {

// What is exceeded, in words for an operator; absent: nothing, or nothing was measured.
[[nodiscard]] std::optional<std::string> above_power_limit(
    const std::optional<runtime::EnergyReading>& energy, const scheduler::Limits& limits);

}  // namespace saccade::service
