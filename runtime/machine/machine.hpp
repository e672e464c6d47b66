// What machine this is, in the words of its maker, for profiles and reports.
// Threads: any. Errors: "unknown" where the system does not tell.
#pragma once

#include <string>

namespace saccade::runtime {

// The board where there is one ("NVIDIA Jetson Nano Developer Kit"), else the CPU's model.
[[nodiscard]] std::string machine_name();

// Those of the CPU's instructions that engines choose their kernels by, as the system names them, in
// order and parted by spaces: "avx2 avx512_vnni avx512f fma". Two machines with the same ones give the
// same results with the same engine. Empty where the system does not tell.
[[nodiscard]] std::string instruction_set();
// The same from the text of /proc/cpuinfo.
[[nodiscard]] std::string instruction_set_of(const std::string& cpuinfo);

}  // namespace saccade::runtime
