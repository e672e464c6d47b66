// Temperatures of this machine: the kernel's sensors (hwmon; its thermal zones where hwmon has none) and
// NVIDIA's cards (nvml.hpp). For status and metrics; nothing is decided by them: a processor that throttles
// shows in its measured times.
// Threads: functions without state but for the open library. Errors: sensors that cannot be read are left
// out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/machine/nvml.hpp"

namespace saccade::runtime {

struct Temperature {
  std::string sensor;  // "coretemp Package id 0", "nvml NVIDIA H100"; each once
  double celsius = 0.0;
  std::optional<double> critical_celsius;  // at which the hardware slows down or stops; absent: not known
};

// `cards`: may be null.
[[nodiscard]] std::vector<Temperature> read_temperatures(const std::filesystem::path& sysfs,
                                                         const Nvml* cards);
// Of this machine; the library is opened on the first call.
[[nodiscard]] std::vector<Temperature> temperatures();

}  // namespace saccade::runtime
