// How much memory this process uses, for comparisons before and after: its proportional set size (PSS:
// private pages, and its share of shared ones), and the peak resident size since a mark.
// Threads: any. Errors: absent if the system does not report it.
#pragma once

#include <optional>

#include "base/quantity.hpp"

namespace saccade::runtime {

// From /proc/self/smaps_rollup.
[[nodiscard]] std::optional<Bytes> proportional_memory();

// The private part of it: without program and model files, whose pages come and go with other processes and
// with the system's need for memory.
[[nodiscard]] std::optional<Bytes> anonymous_memory();

// The resident set size, including shared pages: cheap to read, for frequent calls.
[[nodiscard]] std::optional<Bytes> resident_memory();

// Returns freed memory to the system, so that the next figure is not of the past.
void trim_memory();

// From now on a freed block of a MiB or more is returned to the system immediately. By default glibc raises
// that threshold as such blocks are freed, up to 32 MiB; repeated loading and unloading of engines then
// leaves holes: with the same engines loaded after each of 36 laps of 30 switches, 46 to 52 MB instead of
// 43.2 to 43.4.
void give_large_blocks_back();

// The peak resident memory since construction, relative to that at construction.
class PeakMemory {
 public:
  PeakMemory();
  [[nodiscard]] std::optional<Bytes> growth() const;

 private:
  std::optional<Bytes> before_;  // absent if the mark could not be set
};

}  // namespace saccade::runtime
