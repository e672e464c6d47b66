// The effect of a configuration's rules on planning: which of them to count, and what would be lost if their
// demand were highest. Threads: functions without state. Errors: values; if nothing can be planned in time,
// there is no warning.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"

namespace saccade::config {

// The choice named by `word`: "none", "all", "worst" (the most of all rules, key by key) or ids with commas.
struct RuleChoice {
  std::vector<rules::Rule> rules = {};
  bool worst = false;
};
[[nodiscard]] Result<RuleChoice> choose_rules(const std::vector<rules::Rule>& rules, const std::string& word);
void lay_over(const RuleChoice& choice, scheduler::Snapshot& state);

// The worst case of the rules in every state of the timeline, planned with the configured deadline: each task
// that would get less than it demands, at the first such state. Located at the rules of `file`.
[[nodiscard]] Errors worst_case_warnings(const LoadedConfig& config, const std::string& file);

}  // namespace saccade::config
