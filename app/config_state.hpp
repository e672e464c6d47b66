// What may change while a run goes on: the demand, floors and limits of tasks, the limits of the
// device, the objective and how decisions are made. The same readers serve the base state and the
// patches of the timeline; a patch is a JSON merge patch, tasks addressed by id, null resets a key to
// its default. The result is one complete snapshot per state.
// Threads: functions without state. Errors: into the report.
#pragma once

#include <vector>

#include "profiles/object_reader.hpp"
#include "runtime/run_config.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::app {

enum class Nulls { refused, reset };  // base state, patch

void read_task_settings(profiles::ObjectReader& reader, double fps_scale, Nulls nulls, scheduler::Task& task);

// limits, objective, pareto, degrade
void read_device_settings(profiles::ObjectReader& reader, Nulls nulls, scheduler::Snapshot& state);

// A patch: what an entry of the timeline may change.
void apply_patch(const profiles::JsonAt& at, double fps_scale, scheduler::Snapshot& state,
                 profiles::JsonReport& report);

// The base state at 0 and one state per entry of the list.
[[nodiscard]] std::vector<runtime::TimelineState> read_timeline(const profiles::JsonAt* at,
                                                                const scheduler::Snapshot& base,
                                                                double fps_scale,
                                                                profiles::JsonReport& report);

}  // namespace saccade::app
