// A meter that tells how much energy the device has drawn: the power monitors of boards (INA219, INA226,
// INA3221 through hwmon), whose power is summed over time and which see the whole board; otherwise Intel's
// and AMD's RAPL counters (powercap) and the counters of NVIDIA's cards (NVML), added where both exist. A
// figure is of the whole device, whatever else it does meanwhile: measure the idle power first and on a quiet
// machine. Order: find_energy_meter once; then total() again and again: at least every minute where a counter
// may wrap around; where power is summed up as often as it changes (every few milliseconds to tell single
// inferences, ten times a second for a run as a whole).
// Threads: one. Errors: total() is absent from the first reading that failed.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/quantity.hpp"
#include "base/result.hpp"
#include "runtime/machine/nvml.hpp"

namespace saccade::runtime {

class EnergyMeter {
 public:
  virtual ~EnergyMeter() = default;
  [[nodiscard]] virtual std::string name() const = 0;  // "rapl package-0", "ina3221 VDD_IN"
  // Energy since the first call.
  [[nodiscard]] virtual std::optional<Joules> total(TimePoint now) = 0;
  // How far apart the moments are at which the figure changes; 0: it follows the time.
  [[nodiscard]] virtual Duration step() const { return Duration(0); }
};

struct FoundMeter {
  std::unique_ptr<EnergyMeter> meter;  // null if this device has none that can be read
  Errors notes;                        // meters that exist but may not be read, and what to do
};
// `nvml`: as for Nvml::open(); empty: cards are not looked for.
[[nodiscard]] FoundMeter find_energy_meter(const std::filesystem::path& sysfs = "/sys",
                                           const std::string& nvml = kNvmlLibrary);

}  // namespace saccade::runtime
