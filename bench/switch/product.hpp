// What the courses through the product share.
// Threads and errors: as bench/switch/course.hpp.
#pragma once

#include <functional>

#include "bench/switch/course.hpp"
#include "runtime/real/real_shell.hpp"

namespace saccade::bench {

// Called several times in a period, on the product's main loop; true ends the run.
using OnStatus = std::function<bool(const runtime::RunStatus& status)>;

// Runs the product with `config` until `on_status` ends it.
[[nodiscard]] Result<Recording> watch_product(const Course& course, runtime::RunConfig config, Watch& watch,
                                              const OnStatus& on_status);

// Frames that a run of this length can have at most, at the demand of the first state.
[[nodiscard]] std::size_t most_frames(const Course& course, Duration longest);

}  // namespace saccade::bench
