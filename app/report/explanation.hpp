// A plan in sentences for the operator of the cameras: what runs, which resources are scarce and what a
// little more of them would be worth, which floors and filters decide, and what would make the whole demand
// fit. Estimates are marked as such, and every claim states whether it is proven.
// Threads: function without state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/rule.hpp"
#include "runtime/run/run_config.hpp"
#include "scheduler/plan.hpp"

namespace saccade::app {

struct Sentence {
  std::string about;  // "plan" | "task" | "resource" | "relaxation" | "cut" | "guard" | "rule" | "decoding" |
                      // "camera" | "active_rule"
  std::string name;   // of the task, resource or relaxation; empty = the plan
  std::string text;
  std::optional<bool> proven = {};  // absent if there is nothing to prove
};

// relaxations: what would make the whole demand fit (scheduler::fit_whole_demand()); absent = there was no
// time left to find out.
[[nodiscard]] std::vector<Sentence> explain(
    const scheduler::Snapshot& snapshot, const scheduler::Plan& plan,
    const std::optional<std::vector<scheduler::Relaxation>>& relaxations);

// The guard that plans leave free on each processor, and why.
[[nodiscard]] std::vector<Sentence> explain_guards(const runtime::RunConfig& run,
                                                   const scheduler::Snapshot& snapshot);

// Which processors are emulated to be slower, and from when on by how much.
[[nodiscard]] std::vector<Sentence> explain_slowdowns(const runtime::RunConfig& run);

// What each rule of the configuration does, and whether it is one of `counted`.
[[nodiscard]] std::vector<Sentence> explain_rules(const std::vector<rules::Rule>& rules,
                                                  const std::vector<rules::Rule>& counted);

}  // namespace saccade::app
