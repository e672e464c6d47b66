// Intervals and bounds that both shells keep to, so that the simulation runs with the product's.
// Threads: constants.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/clock.hpp"

namespace saccade::runtime {

// How long waiting frames may take to finish at the end of a run; what is left then is dropped as `shutdown`.
inline constexpr Duration kShutdownPatience = std::chrono::seconds(2);
// Polling interval for drift and sources.
inline constexpr Duration kLookAround = std::chrono::milliseconds(100);

// Maximum number of tasks. Each has threads of its own; far fewer fill a processor.
inline constexpr std::size_t kMostTasks = 256;

}  // namespace saccade::runtime
