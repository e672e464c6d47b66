// When a picture was taken, by two clocks: one that never steps, to measure ages with, and the wall's, to
// tell people. Nothing decides by the latter, which is the camera's own where it tells one that can be
// believed. Units: nanoseconds. Threads: plain values.
#pragma once

#include <chrono>

namespace saccade::runtime {

struct CaptureTime {
  std::chrono::nanoseconds monotonic{0};  // CLOCK_MONOTONIC: since the machine was started
  std::chrono::nanoseconds wall{0};       // since 1970, UTC; 0: not known
  bool by_camera = false;                 // whose clock `wall` is; else this machine's, at the arrival
};

[[nodiscard]] CaptureTime captured_now();

// The camera's clock says that the picture was taken at `wall` (since 1970, UTC). It is believed where that
// lies at most ten seconds before the arrival and at most one after it: a camera whose clock is further off
// is not set, and people would look for its pictures at the wrong time.
[[nodiscard]] CaptureTime told_by_camera(CaptureTime arrived, std::chrono::nanoseconds wall);

}  // namespace saccade::runtime
