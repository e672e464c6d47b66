// One decision outside a run: a moment of a configuration's timeline, and the planner's decision for it
// within the configured deadline.
// Threads: functions without state. Errors: none; verdicts are values.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/quantity.hpp"
#include "ilp/choice_solver.hpp"
#include "rules/rule.hpp"
#include "runtime/run/run_config.hpp"
#include "scheduler/plan.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/relaxations.hpp"

namespace saccade::config {

struct Moment {
  runtime::RunConfig run;
  scheduler::PolicyKind policy = scheduler::PolicyKind::transprecision;
  scheduler::Snapshot snapshot;               // the state to decide on
  std::optional<scheduler::Snapshot> before;  // the same without the settings, if there are any
  std::unique_ptr<ilp::ChoiceSolver> solver;
  std::vector<rules::Rule> rules = {};    // of the configuration
  std::vector<rules::Rule> counted = {};  // those of them applied to the snapshot
};
struct Decided {
  scheduler::Plan plan;
  Seconds took{0.0};
};
[[nodiscard]] Decided decide_once(const Moment& moment, const scheduler::Snapshot& snapshot);
// What would make the whole demand fit, with a new deadline; as scheduler::fit_whole_demand().
[[nodiscard]] std::optional<std::vector<scheduler::Relaxation>> fit_whole_demand_of(const Moment& moment);

}  // namespace saccade::config
