// What clients of KServe v2 get to know of a task's network: its inputs and outputs as its interface has
// them, its variants as versions. Threads: functions without state.
#pragma once

#include "runtime/run/run_hooks.hpp"
#include "service/api/service_model.hpp"

namespace saccade::service {

// `task`: one of the run's.
[[nodiscard]] NetworkFacts network_facts(const runtime::RunOutline& run, const runtime::TaskOutline& task);

}  // namespace saccade::service
