// One scenario to its end in the product, and the same scenario simulated.
// Threads: none of its own. Errors: what the product says when a source or the engine library is not there.
#pragma once

#include <functional>
#include <memory>

#include "base/result.hpp"
#include "runtime/engine.hpp"
#include "runtime/run_config.hpp"
#include "runtime/run_summary.hpp"

namespace saccade::bench {

struct LongRun {
  runtime::RunSummary real;
  runtime::RunSummary simulated;
  std::size_t changes = 0;
};

// `duration`: until the timeline's last change and once more the time between the last two.
[[nodiscard]] Result<LongRun> run_long(const runtime::RunConfig& config,
                                       std::shared_ptr<const runtime::EngineBackend> backend,
                                       const std::function<void(double share)>& progress);

// Frames processed of those demanded, without those that were dropped in stalls of the machine; the mean
// over the tasks.
[[nodiscard]] double achieved_outside_stalls(const runtime::RunSummary& summary);

}  // namespace saccade::bench
