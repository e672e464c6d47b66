// One run on real engines, for the benches that set it beside a simulated one.
// Threads: starts the shell's own and waits for them; one run at a time. Errors: no engine library, no
// source.
#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/run/run_summary.hpp"
#include "scheduler/policy.hpp"

namespace saccade::bench {

[[nodiscard]] Result<runtime::RunSummary> run_real(const runtime::RunConfig& config,
                                                   const scheduler::Policy& policy, Duration duration);

}  // namespace saccade::bench
