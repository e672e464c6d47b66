// What a configuration's rules would ask of the machine: which of them to count, and what would be lost if
// they demanded their most at once. Threads: functions without state. Errors: values; where nothing can be
// planned in time, nothing is said.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"

namespace saccade::config {

// Of `word`: "none", "all" of the rules, "worst" (the most of all of them, key by key) or ids with commas.
struct RuleChoice {
  std::vector<rules::Rule> rules = {};
  bool worst = false;
};
[[nodiscard]] Result<RuleChoice> choose_rules(const std::vector<rules::Rule>& rules, const std::string& word);
void lay_over(const RuleChoice& choice, scheduler::Snapshot& state);

// The worst case of the rules in every state of the timeline, planned with the configured deadline: each task
// that would get less than it demands, at the first state in which it does. Located at the rules of `file`.
[[nodiscard]] Errors worst_case_warnings(const LoadedConfig& config, const std::string& file);

}  // namespace saccade::config
