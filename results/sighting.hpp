// What a worker hands over for a finished frame, with as little work as possible: names are looked up later,
// on the hub's thread. Assignment reuses the target's memory.
// Units: nanoseconds; boxes in pixels of the source's frame. Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "profiles/profile_set.hpp"
#include "results/result.hpp"
#include "vision/decode/objects.hpp"

namespace saccade::results {

struct Sighting {
  std::string task;
  std::shared_ptr<const profiles::ProfileSet> profiles;  // of the task; never null
  std::size_t variant = 0;                               // index into these
  std::size_t processor = 0;                             // index in configuration order
  std::int64_t frame = 0;
  std::int64_t generation = 0;
  Duration captured_monotonic{0};
  Duration captured_wall{0};  // since 1970, UTC
  CapturedBy captured_by = CapturedBy::arrival;
  int width = 0;  // of the source's frame; 0: unknown
  int height = 0;
  Duration latency{0};  // of the inference
  Duration age{0};      // from the capture until the result was available
  vision::Objects objects;
};

}  // namespace saccade::results
