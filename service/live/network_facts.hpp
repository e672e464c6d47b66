// What KServe v2 reports of a task's network: its inputs and outputs according to its interface, its variants
// as versions. Threads: functions without state.
#pragma once

#include "runtime/run/run_hooks.hpp"
#include "service/api/service_model.hpp"

namespace saccade::service {

// `task`: one of the run's.
[[nodiscard]] NetworkFacts network_facts(const runtime::RunOutline& run, const runtime::TaskOutline& task);

}  // namespace saccade::service
