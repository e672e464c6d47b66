// What the components of a frame's time are for: cameras of 1920 x 1080 pixels served on real engines by a
// plan that knows the whole frame times, and by one that knows only the inference, as plans do where
// preparing and decoding belong to nobody. Neither corrects its times by what it measures meanwhile, and the
// guard is fixed. Threads: the shell's; returns when they have ended. Errors: no engine library.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "profiles/profile_set.hpp"

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
// `set`: of detectors of the data set `yard`, with the frame times and components of this machine. First one
// camera without a guard, at the rate at which the inference of the most accurate variant alone takes the
// whole processor; then four that demand twice what it can give them with that variant. Each of the two runs
// of either takes `each`.
[[nodiscard]] Result<std::vector<ServedFigures>> measure_served(const std::string& backend,
                                                                const profiles::ProfileSet& set,
                                                                Duration each);

}  // namespace saccade::bench
