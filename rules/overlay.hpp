// The overlay of rules over a configuration: settings by task. Pure: functions and values.
// The settings in force are the configuration and its timeline with the overlay on top; tasks that a state
// does not have are ignored. Threads: plain values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rules/rule.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::rules {

using Overlay = std::map<std::string, Settings>;  // by the id of the task

// Combines settings: values given in `settings` replace, the rest stays.
void lay(const Settings& settings, Settings& over);
void lay(const std::string& task, const Settings& settings, Overlay& over);
// Of all rules together, in their order: a later one wins.
[[nodiscard]] Overlay overlay_of(const std::vector<Rule>& rules);

// A rule that is active for a task.
struct Holding {
  std::string rule;
  std::string task;
};
// The overlay of the active rules that `rules` still has unchanged after a change of `before`: the others
// start anew (rules/engine.hpp).
[[nodiscard]] Overlay overlay_of(const std::vector<Rule>& rules, const std::vector<Rule>& before,
                                 const std::vector<Holding>& holding);

void lay_over(const Overlay& overlay, scheduler::Snapshot& state);

// The most that the rules could demand of `state` at once, key by key: the highest rates, floors, weights and
// classes and the shortest frame times among the state's own and those of all rules. Rules that cannot be
// active at the same time are counted together.
[[nodiscard]] scheduler::Snapshot worst_case(const std::vector<Rule>& rules, scheduler::Snapshot state);

}  // namespace saccade::rules
