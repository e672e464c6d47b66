// The rate at which every task may run now: what the plan grants, once its target serves; while engines load,
// what the shares of the remaining time allow (scheduler/transition.hpp), never more than is granted.
// Threads: pure.
#pragma once

#include <vector>

#include "base/quantity.hpp"
#include "runtime/control/engine_rack.hpp"
#include "runtime/control/task_run.hpp"
#include "scheduler/snapshot.hpp"
#include "scheduler/transition.hpp"

namespace saccade::runtime {

[[nodiscard]] std::vector<Fps> rates_now(const scheduler::Snapshot& wanted, const std::vector<TaskRun>& runs,
                                         const EngineRack& rack, scheduler::Shares shares);

// Whether the task's target takes less time per frame than the engine that serves it, so that its switch
// frees processor time for others.
[[nodiscard]] bool frees_time(const scheduler::Snapshot& wanted, const TaskRun& run, TaskIndex task,
                              const EngineRack& rack);

}  // namespace saccade::runtime
