#include "runtime/machine/resident_memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace saccade::runtime {

namespace {

constexpr int kLargeBlock = 1 << 20;

// The figure after `key` in a file of /proc, which counts in kB.
std::optional<Bytes> figure(const char* file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string word; stream >> word;) {
    double kilobytes = 0.0;
    if (word == key && stream >> kilobytes) return Bytes(kilobytes * 1024.0);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Bytes> proportional_memory() { return figure("/proc/self/smaps_rollup", "Pss:"); }

std::optional<Bytes> anonymous_memory() { return figure("/proc/self/smaps_rollup", "Pss_Anon:"); }

std::optional<Bytes> resident_memory() { return figure("/proc/self/status", "VmRSS:"); }

void trim_memory() { ::malloc_trim(0); }

void give_large_blocks_back() { ::mallopt(M_MMAP_THRESHOLD, kLargeBlock); }

PeakMemory::PeakMemory() {
  std::ofstream mark("/proc/self/clear_refs");
  mark << "5" << std::flush;  // sets the peak to what is resident now (proc(5))
  if (mark) before_ = figure("/proc/self/status", "VmHWM:");
}

std::optional<Bytes> PeakMemory::growth() const {
  const std::optional<Bytes> peak = figure("/proc/self/status", "VmHWM:");
  if (!before_ || !peak) return std::nullopt;
  return std::max(*peak - *before_, Bytes(0.0));
}

}  // namespace saccade::runtime
