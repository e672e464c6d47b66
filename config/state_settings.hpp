// The settings that may differ between states of the timeline: the demand, floors and limits of tasks, the
// limits of the device, the objective and how decisions are made.
// Threads: functions without state. Errors: into the report.
#pragma once

#include "scheduler/snapshot.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {

// Demand, weight, priority, floors and limits; keys that are absent leave `task` as it is.
void read_task_settings(text::ObjectReader& reader, double fps_scale, scheduler::Task& task);

// `memory` and what the context of its device takes.
void read_memory(text::ObjectReader& reader, scheduler::Processor& processor);

// Of all tasks together; keys that are absent leave `limits` as they are.
void read_limits(const text::JsonAt& at, scheduler::Limits& limits, text::JsonReport& report);

// limits, objective, pareto, degrade
void read_device_settings(text::ObjectReader& reader, scheduler::Snapshot& state);

}  // namespace saccade::config
