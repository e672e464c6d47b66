// When a picture was taken, by two clocks: one that never steps, to measure ages with, and the wall's, to
// tell people. Nothing decides by the latter. Units: nanoseconds. Threads: plain values.
#pragma once

#include <chrono>

namespace saccade::runtime {

struct CaptureTime {
  std::chrono::nanoseconds monotonic{0};  // CLOCK_MONOTONIC: since the machine was started
  std::chrono::nanoseconds wall{0};       // since 1970, UTC; 0: not known
};

[[nodiscard]] CaptureTime captured_now();

}  // namespace saccade::runtime
