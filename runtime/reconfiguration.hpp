// What another configuration may change while a run goes on, and what it may not: the run is built on
// its processors, policy, solver, backend and runtime options.
// Threads: pure.
#pragma once

#include "base/result.hpp"
#include "runtime/run_config.hpp"

namespace saccade::runtime {

// Everything for which a run of `running` cannot take over `wanted`, all at once; empty = it can.
[[nodiscard]] Errors cannot_take_over(const RunConfig& running, const RunConfig& wanted);

// What this runtime cannot serve: a task all of whose variants use several processors at once.
[[nodiscard]] Errors not_executable(const RunConfig& config);

}  // namespace saccade::runtime
