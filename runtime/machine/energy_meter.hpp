// A meter of the energy that the device has consumed: Intel's and AMD's RAPL counters (powercap), or the
// power monitors of boards (INA219, INA226, INA3221 through hwmon), whose power is integrated over time.
// Graphics cards (NVML) are not supported.
// A figure is that of the whole device, including everything else it does: measure the idle power first and
// on a quiet machine.
// Order: find_energy_meter once; then total() repeatedly: at least every minute if a counter may wrap around;
// if power is integrated, as often as it changes (every few milliseconds to distinguish single inferences,
// ten times a second for a run as a whole).
// Threads: one. Errors: total() is absent from the first failed reading on.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/quantity.hpp"
#include "base/result.hpp"

namespace saccade::runtime {

class EnergyMeter {
 public:
  virtual ~EnergyMeter() = default;
  [[nodiscard]] virtual std::string name() const = 0;  // "rapl package-0", "ina3221 VDD_IN"
  // Energy since the first call.
  [[nodiscard]] virtual std::optional<Joules> total(TimePoint now) = 0;
};

struct FoundMeter {
  std::unique_ptr<EnergyMeter> meter;  // null if this device has none that can be read
  Errors notes;                        // meters that exist but may not be read, and what to do
};
[[nodiscard]] FoundMeter find_energy_meter(const std::filesystem::path& sysfs = "/sys");

}  // namespace saccade::runtime
