// How many frames a service has seen over all its tasks, and how long the host held the CPUs that serve
// meanwhile. Nothing is taken out of the counts: the times of holds stand beside them.
// Threads: plain values. Errors: none.
#pragma once

#include <optional>

#include "base/quantity.hpp"

namespace saccade::bench {

struct FrameCount {
  double demanded = 0.0;
  double granted = 0.0;
  double served = 0.0;  // processed, or about to be

  [[nodiscard]] FrameCount since(const FrameCount& before) const {
    return {demanded - before.demanded, granted - before.granted, served - before.served};
  }
  [[nodiscard]] double achieved() const { return demanded > 0.0 ? served / demanded : 0.0; }
  [[nodiscard]] double of_granted() const { return granted > 0.0 ? served / granted : 0.0; }
};

struct Look {
  FrameCount frames;             // since the service began
  std::optional<Seconds> steal;  // of the CPUs that serve, since the machine started; absent: not reported
};

struct WatchedFrames {
  FrameCount all;
  std::optional<Seconds> steal;
};

[[nodiscard]] WatchedFrames between(const Look& from, const Look& to);

}  // namespace saccade::bench
