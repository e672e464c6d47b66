// Which tasks can be planned but not run: a profile set may contain measures only (an imported table has no
// models), and then there is nothing to load.
// Threads: functions without state; reads the file system.
#pragma once

#include <span>

#include "base/result.hpp"
#include "scheduler/snapshot.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {

// Whether the variant's model file is there, or those of all its stages.
[[nodiscard]] bool has_models(const profiles::ProfileSet& set, const profiles::Variant& variant);

// One error per task that cannot run, located as by `report`. Models are checked only if the backend needs
// them; input size and labels are needed by every backend.
[[nodiscard]] Errors plan_only(std::span<const scheduler::Task> tasks, bool models_are_needed,
                               const text::JsonReport& report);

}  // namespace saccade::config
