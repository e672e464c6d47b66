// When a picture was taken, by two clocks: a monotonic one, to measure ages, and the wall clock, to display.
// No decision uses the latter, which is the camera's own if it reports a plausible time. Units: nanoseconds.
// Threads: plain values.
#pragma once

#include <chrono>

namespace saccade::runtime {

struct CaptureTime {
  std::chrono::nanoseconds monotonic{0};  // CLOCK_MONOTONIC: since the machine booted
  std::chrono::nanoseconds wall{0};       // since 1970, UTC; 0: unknown
  bool by_camera = false;                 // `wall` is the camera's clock; else this machine's, at the arrival
};

[[nodiscard]] CaptureTime captured_now();

// The camera's clock reports that the picture was taken at `wall` (since 1970, UTC). That is accepted if it
// is at most ten seconds before the arrival and at most one after it: a camera whose clock is further off is
// not set, and its pictures would be searched for at the wrong time.
[[nodiscard]] CaptureTime told_by_camera(CaptureTime arrived, std::chrono::nanoseconds wall);

}  // namespace saccade::runtime
