// The cores of this machine, each with its CPUs (hardware threads), as far as this process may use them.
// Threads: any. Errors: a CPU whose core the system does not report counts as a core of its own.
#pragma once

#include <filesystem>
#include <vector>

namespace saccade::runtime {

// In the order of their first CPUs. Determined at the first call: the calling thread may be restricted later.
[[nodiscard]] const std::vector<std::vector<int>>& machine_cores();

// Of `cpus`, ascending. `folder`: /sys/devices/system/cpu, or one like it.
[[nodiscard]] std::vector<std::vector<int>> cores_of(const std::vector<int>& cpus,
                                                     const std::filesystem::path& folder);

}  // namespace saccade::runtime
