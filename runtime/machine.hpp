// What machine this is, in the words of its maker, for profiles and reports.
// Threads: any. Errors: "unknown" where the system does not tell.
#pragma once

#include <string>

namespace saccade::runtime {

// The board where there is one ("NVIDIA Jetson Nano Developer Kit"), else the CPU's model.
[[nodiscard]] std::string machine_name();

}  // namespace saccade::runtime
