// The part of the configuration that defines rules: conditions under which tasks get other settings.
//   "rules": [{"id": "person", "task": "gate", "when": {"presence": {"labels": ["person"], "min_score":
//   0.6}},
//              "hold_seconds": 30, "set": {"fps": 15, "weight": 3}},
//             {"id": "night", "tasks": ["gate", "yard"], "when": {"clock": {"from": "22:00", "to": "06:00"}},
//              "set": {"fps": 3}}]
// Rules may name only existing tasks and labels of the observed task. Rules that are circular in a state of
// the timeline, where tasks raise each other's rates by what they see, are refused. Threads: functions
// without state. Errors: into the report.
#pragma once

#include <vector>

#include "rules/rule.hpp"
#include "runtime/run/run_config.hpp"
#include "scheduler/snapshot.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {

// Reads `rules` of the document. `tasks`, `configs`, `timeline`: all that could be read; their profiles may
// be null. Rates are multiplied by `fps_scale`.
[[nodiscard]] std::vector<rules::Rule> read_rules(text::ObjectReader& top,
                                                  const std::vector<scheduler::Task>& tasks,
                                                  const std::vector<runtime::TaskConfig>& configs,
                                                  const std::vector<runtime::TimelineState>& timeline,
                                                  double fps_scale);

// Applied to the first state, every rule must give a state that can be planned; applied to every state, so
// must all of them together. `root`: the document that the rules were read from.
void check_rules(const std::vector<rules::Rule>& rules, const std::vector<runtime::TimelineState>& timeline,
                 const text::JsonValue& root, text::JsonReport& report);

}  // namespace saccade::config
