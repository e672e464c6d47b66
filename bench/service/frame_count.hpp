// How many frames a service has seen over all its tasks, and what remains of looks at that when the
// seconds in which the machine stood still are left out.
// Threads: plain values. Errors: none.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/quantity.hpp"

namespace saccade::bench {

struct FrameCount {
  double demanded = 0.0;
  double granted = 0.0;
  double served = 0.0;  // processed, or about to be

  [[nodiscard]] FrameCount since(const FrameCount& before) const {
    return {demanded - before.demanded, granted - before.granted, served - before.served};
  }
  void add(const FrameCount& more) {
    demanded += more.demanded;
    granted += more.granted;
    served += more.served;
  }
  [[nodiscard]] double achieved() const { return demanded > 0.0 ? served / demanded : 0.0; }
  [[nodiscard]] double of_granted() const { return granted > 0.0 ? served / granted : 0.0; }
};

struct Look {
  TimePoint at{};
  FrameCount frames;  // since the service began
};

struct Stall {  // of the machine
  TimePoint from{};
  TimePoint to{};
};

struct WatchedFrames {
  FrameCount all;
  FrameCount outside;      // but for the times between looks that a stall touches, or the second after it
  std::size_t stalls = 0;  // those that overlap count as one
  Seconds left_out{0.0};
};

// `looks` in their order, at least one; `stalls` in any order, those that ended before the first look
// are none of them.
[[nodiscard]] WatchedFrames watched_frames(std::span<const Look> looks, std::vector<Stall> stalls);

}  // namespace saccade::bench
