// How much memory this process holds, for comparisons before and after: its proportional set size
// (PSS: private pages, and its share of shared ones), and the highest resident size since a mark.
// Threads: any. Errors: absent where the system does not tell.
#pragma once

#include <optional>

#include "base/quantity.hpp"

namespace saccade::runtime {

// From /proc/self/smaps_rollup.
[[nodiscard]] std::optional<Bytes> proportional_memory();

// The part of it that is this process's own: no program or model file is in it, whose pages come and go
// with other processes and with the system's need of memory.
[[nodiscard]] std::optional<Bytes> anonymous_memory();

// All that is resident, shared pages as well: quick to read, for who looks often.
[[nodiscard]] std::optional<Bytes> resident_memory();

// Gives memory that was freed back to the system, so that the next figure is not of the past.
void trim_memory();

// From now on a freed block of a MiB or more goes back to the system at once. By itself glibc raises that
// size as such blocks are freed, up to 32 MiB; what comes and goes as engines do then leaves holes: with the
// same engines loaded after each of 36 laps of 30 switches, 46 to 52 MB instead of 43.2 to 43.4.
void give_large_blocks_back();

// The most memory that was resident since construction, above what was resident then.
class PeakMemory {
 public:
  PeakMemory();
  [[nodiscard]] std::optional<Bytes> growth() const;

 private:
  std::optional<Bytes> before_;  // absent when the mark could not be set
};

}  // namespace saccade::runtime
