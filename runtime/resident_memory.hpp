// How much memory this process holds, for comparisons before and after: its proportional set size
// (PSS: private pages, and its share of shared ones), and the highest resident size since a mark.
// Threads: any. Errors: absent where the system does not tell.
#pragma once

#include <optional>

#include "base/quantity.hpp"

namespace saccade::runtime {

// From /proc/self/smaps_rollup.
[[nodiscard]] std::optional<Bytes> proportional_memory();

// Gives memory that was freed back to the system, so that the next figure is not of the past.
void trim_memory();

// The most memory that was resident since construction, above what was resident then.
class PeakMemory {
 public:
  PeakMemory();
  [[nodiscard]] std::optional<Bytes> growth() const;

 private:
  std::optional<Bytes> before_;  // absent when the mark could not be set
};

}  // namespace saccade::runtime
