// The identity of this machine, as its vendor names it, for profiles and reports.
// Threads: any. Errors: "unknown" if the system does not report it.
#pragma once

#include <string>

namespace saccade::runtime {

// The board if there is one ("NVIDIA Jetson Nano Developer Kit"), else the CPU's model.
[[nodiscard]] std::string machine_name();

// The CPU's instruction sets by which engines choose their kernels, with the system's names, in order and
// separated by spaces: "avx2 avx512_vnni avx512f fma". Two machines with the same sets give the same results
// with the same engine. Empty if the system does not report them.
[[nodiscard]] std::string instruction_set();
// The same from the text of /proc/cpuinfo.
[[nodiscard]] std::string instruction_set_of(const std::string& cpuinfo);

}  // namespace saccade::runtime
