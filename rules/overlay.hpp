// What rules lay over a configuration: by task, what is set. Pure: functions and values.
// Wanted is what the configuration and its timeline say with the overlay on top; tasks that a state does not
// have are passed over. Threads: plain values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rules/rule.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::rules {

using Overlay = std::map<std::string, Settings>;  // by the id of the task

// On top of what is there: what `settings` gives replaces, the rest stays.
void lay(const Settings& settings, Settings& over);
void lay(const std::string& task, const Settings& settings, Overlay& over);
// Of all rules at once, in their order: a later one wins.
[[nodiscard]] Overlay overlay_of(const std::vector<Rule>& rules);

// A rule that holds for a task.
struct Holding {
  std::string rule;
  std::string task;
};
// What the rules lay over that hold now and that `rules` has, after a change of `before`, as they were: the
// others begin anew (rules/engine.hpp).
[[nodiscard]] Overlay overlay_of(const std::vector<Rule>& rules, const std::vector<Rule>& before,
                                 const std::vector<Holding>& holding);

void lay_over(const Overlay& overlay, scheduler::Snapshot& state);

// The most that the rules could demand of `state` at once, key by key: the highest rates, floors, weights and
// classes and the shortest frame times among the state's own and those of all rules. Rules that cannot hold
// together are counted together.
[[nodiscard]] scheduler::Snapshot worst_case(const std::vector<Rule>& rules, scheduler::Snapshot state);

}  // namespace saccade::rules
