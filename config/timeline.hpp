// The timeline of a configuration: its entries are patches of the document (config/document_patch.hpp), each
// of which creates one further state.
// Threads: functions without state. Errors: into the report.
#pragma once

#include <vector>

#include "runtime/run/run_config.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {

// The base state at 0 and one state per entry of the document's list. `base` and `slowdowns` are the result
// of reading the rest of the document. For a patched state only errors located in the patch are reported: the
// others have been reported before.
[[nodiscard]] std::vector<runtime::TimelineState> read_timeline(const text::JsonValue& document,
                                                                const scheduler::Snapshot& base,
                                                                const std::vector<double>& slowdowns,
                                                                double fps_scale, text::JsonReport& report);

}  // namespace saccade::config
