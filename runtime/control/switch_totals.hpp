// Counts of all switches of a run so far. They only grow, so that occasional readers miss none. Loading a
// task's first engine is not a switch, but counts here if it fails. Units: switches. Threads: plain value.
#pragma once

#include <cstdint>

#include "runtime/frames/latency_histogram.hpp"

namespace saccade::runtime {

struct SwitchTotals {
  std::int64_t done = 0;
  std::int64_t called_off = 0;  // by a newer plan, after they had cost frames
  // The engine did not load, warm up or fit, or timed out. An engine that breaks while it serves is not a
  // failed switch.
  std::int64_t failed = 0;
  LatencyHistogram load_times;  // of those that were done
  LatencyHistogram warm_times;
  LatencyHistogram swap_times;
};

}  // namespace saccade::runtime
