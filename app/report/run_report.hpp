// A run's summary for machines (the JSON of `saccade run --json`) and for people (tables).
// Threads: functions without state.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

#include "base/result.hpp"
#include "runtime/control/actions.hpp"
#include "runtime/run/run_summary.hpp"

namespace saccade::app {

[[nodiscard]] nlohmann::ordered_json to_json(const runtime::RunSummary& summary);

// One line of the event stream: {"at_ns": ..., "event": ..., "task": ..., "detail": ...}
void write_event(std::ostream& file, Duration at, const runtime::action::Report& report);
// After the last event: an error if not every line could be written to `name`.
[[nodiscard]] Status finish_events(std::ostream& file, const std::string& name);

void print_summary(const runtime::RunSummary& summary, std::ostream& out);

}  // namespace saccade::app
