// The sources that are opened before a run, on the caller's thread: those that need no device, network or
// file. An error in one of these is permanent; errors of any other source show when its capture opens it, and
// may be temporary.
// Threads: a function without state. Errors: all sources at once, each with its task's id.
#pragma once

#include <memory>
#include <vector>

#include "runtime/run/run_config.hpp"
#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

// One per task; null: its capture opens it, or it has none.
using FirstSources = std::vector<std::unique_ptr<FrameSource>>;
// Errors are added to `errors`.
[[nodiscard]] FirstSources open_first_sources(const RunConfig& config, const SourceOpener& opener,
                                              Errors& errors);

}  // namespace saccade::runtime
