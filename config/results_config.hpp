// The part of the configuration that specifies the sinks of results.
//   "node": "yard-box",
//   "results": [{"id": "log", "type": "file", "path": "results.jsonl", "when": "objects"},
//               {"id": "ha", "type": "mqtt", "url": "mqtt://broker.lan", "home_assistant": "homeassistant"}]
// Filters may name only existing tasks and labels that one of these tasks has.
// Threads: functions without state. Errors: into the report; passwords appear in no message.
#pragma once

#include <filesystem>
#include <vector>

#include "results/settings.hpp"
#include "scheduler/snapshot.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {

// Reads `node` and `results` of the document. `tasks`: all that could be read; their profiles may be null.
// Relative paths are below `directory`.
[[nodiscard]] results::ResultsSettings read_results(text::ObjectReader& top,
                                                    const std::vector<scheduler::Task>& tasks,
                                                    const std::filesystem::path& directory);

}  // namespace saccade::config
