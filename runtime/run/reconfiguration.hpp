// What a new configuration may change during a run, and what it may not: processors, policy, solver, backend
// and runtime options are fixed. Threads: pure.
#pragma once

#include "base/result.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::runtime {

inline constexpr const char* kRestartHint = "restart the service to change it";

// The differences in what cannot change at run time; `where` is a JSON pointer into the configuration's
// document. Both configurations have a first state.
[[nodiscard]] Errors fixed_parts(const RunConfig& running, const RunConfig& wanted);

// All reasons why a run of `running` cannot adopt `wanted`; empty = it can.
[[nodiscard]] Errors cannot_take_over(const RunConfig& running, const RunConfig& wanted);

// Tasks that this runtime cannot serve: each of their variants uses several processors at once, or has stages
// though the task has several regions.
[[nodiscard]] Errors not_executable(const RunConfig& config);

}  // namespace saccade::runtime
