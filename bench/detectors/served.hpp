// What the components of a frame's time are for: cameras of 1920 x 1080 pixels served on real engines by a
// plan that knows the whole frame times, and by one that knows only the inference, as plans do where
// preparing and decoding belong to nobody. Neither corrects its times by what it measures meanwhile, and the
// guard is fixed. Threads: the calling one measures, the shell's serve; returns when they have ended. Errors:
// no engine library, a variant that cannot be run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/profiling/profile_rounds.hpp"

namespace saccade::bench {

struct ServedStretch {
  double achieved = 0.0;   // frames processed / frames granted, over all cameras
  double delivered = 0.0;  // relative accuracy over processed frames / frames demanded
};
struct ServedFigures {
  std::size_t cameras = 0;
  double fps = 0.0;  // of each camera
  ServedStretch whole;
  ServedStretch inference_alone;
};
struct ServedTrial {
  std::string backend = "auto";
  profiles::ProfileSet set;     // of detectors of the data set `yard`; its frame times are not used
  runtime::RoundLimits rounds;  // of each variant, before the cameras are served
  Duration each{0};             // of every run
};
// The variants' frame times and components are measured first, each variant alone on the frames that the
// cameras deliver, as it serves. Then one camera without a guard, at the rate at which the inference of the
// most accurate variant alone takes the whole processor, and four that demand twice what it can give them
// with that variant.
[[nodiscard]] Result<std::vector<ServedFigures>> measure_served(const ServedTrial& trial);

}  // namespace saccade::bench
