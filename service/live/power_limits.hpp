// The power that a meter measures, compared with the limits on power and energy. Plans respect them by the
// profiles' figures; what the device draws may be more: other programs, cooling, profiles of another device.
// Modelled energy is the plan's own and says nothing.
// Threads: any; PowerWatch holds a lock for one text. Errors: none.
#pragma once

#include <optional>
#include <string>

#include "base/mutex.hpp"
#include "runtime/run/energy_reading.hpp"
#include "runtime/run/run_hooks.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::service {

// What is exceeded, in words for an operator; absent: nothing, or nothing was measured.
[[nodiscard]] std::optional<std::string> above_power_limit(
    const std::optional<runtime::EnergyReading>& energy, const scheduler::Limits& limits);

// The same of the newest status that it was shown, for who does not want a whole one.
class PowerWatch {
 public:
  // Called several times a second with the current status.
  void add(const runtime::RunStatus& status);
  [[nodiscard]] std::optional<std::string> above() const;

 private:
  mutable Mutex mutex_;
  std::optional<std::string> above_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::service
