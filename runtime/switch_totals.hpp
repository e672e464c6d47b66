// All switches of a run so far, in numbers that only grow, so that whoever looks now and then misses none.
// A task's first engine is no switch; but it, too, may fail to come up.
// Units: switches. Threads: plain value.
#pragma once

#include <cstdint>

#include "runtime/latency_histogram.hpp"

namespace saccade::runtime {

struct SwitchTotals {
  std::int64_t done = 0;
  std::int64_t called_off = 0;  // by a newer plan, after they had cost frames
  // The engine did not load, warm up, fit, or come in time. One that breaks while it serves is no failed
  // switch.
  std::int64_t failed = 0;
  LatencyHistogram load_times;  // of those that were done
  LatencyHistogram warm_times;
  LatencyHistogram swap_times;
};

}  // namespace saccade::runtime
