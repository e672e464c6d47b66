// One scenario to its end in the product, and the same scenario simulated.
// Threads: none of its own. Errors: what the product says when a source or the engine library is not there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/run/run_summary.hpp"

namespace saccade::bench {

// Of the simulation; those of the sources stand in the scenarios.
inline constexpr std::uint64_t kSimulationSeed = 1;

struct LongRun {
  runtime::RunSummary real;
  runtime::RunSummary simulated;
  std::size_t changes = 0;
};

// `duration`: until the timeline's last change and once more the time between the last two.
[[nodiscard]] Result<LongRun> run_long(const runtime::RunConfig& config,
                                       std::shared_ptr<const runtime::EngineBackend> backend,
                                       const std::function<void(double share)>& progress);

// Frames processed of those demanded, without those lost from outside (runtime/frames/stall_book.hpp); the
// mean over the tasks.
[[nodiscard]] double achieved_without_outside(const runtime::RunSummary& summary);

}  // namespace saccade::bench
