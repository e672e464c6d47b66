// What-if: settings of the command line, each `path=value`, put over a state before it is planned.
// They are a patch like those of the timeline and complain in the same words: tasks by id, the keys of
// a task, `limits`, `objective`, `pareto`, `degrade`; null resets. A value is JSON; what is no JSON is
// taken as a string, so that names need no quotes.
//   tasks.gate.fps=30   limits.memory_bytes=60000000   objective=min_memory
// Threads: function without state. Errors: Status, all at once; a complaint names the setting by its
// number and its JSON pointer.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "profiles/strict_json.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::app {

// The settings as one patch.
[[nodiscard]] Result<profiles::JsonValue> patch_of(const std::vector<std::string>& settings);

[[nodiscard]] Status apply_settings(const std::vector<std::string>& settings, double fps_scale,
                                    scheduler::Snapshot& state);

}  // namespace saccade::app
