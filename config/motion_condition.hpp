// The motion conditions of a rule: `motion` and `still_seconds` of `when`.
//   {"motion": {"task": "gate", "share": 0.01}}           something moves in the view of gate
//   {"still_seconds": 60, "motion": {"task": "gate"}}     nothing has moved there for a minute
// Threads: functions without state. Errors: into the report.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "rules/rule.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {

// Absent: neither is given. `read_task`: reads the id of an existing task.
[[nodiscard]] std::optional<rules::MotionCondition> read_motion(
    text::ObjectReader& when,
    const std::function<std::optional<std::string>(const text::JsonAt&)>& read_task);

}  // namespace saccade::config
