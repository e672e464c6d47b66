// What the verbs that decide once have in common: which moment of a configuration is meant, what runs
// then, what is changed for the sake of argument, and the decision itself within its deadline.
// Order: add planning_options() to the verb's options, read_moment(), decide_once().
// Threads: functions without state. Errors: told on `err`, the exit code comes back.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/options.hpp"
#include "ilp/choice_solver.hpp"
#include "runtime/run_config.hpp"
#include "scheduler/plan.hpp"
#include "scheduler/policy.hpp"

namespace saccade::app {

[[nodiscard]] std::vector<OptionSpec> planning_options();

struct Moment {
  runtime::RunConfig run;
  scheduler::PolicyKind policy = scheduler::PolicyKind::transprecision;
  scheduler::Snapshot snapshot;               // what is to be decided
  std::optional<scheduler::Snapshot> before;  // the same without the settings, when there are any
  std::unique_ptr<ilp::ChoiceSolver> solver;
};
// The moment, or the exit code.
[[nodiscard]] std::variant<Moment, int> read_moment(const std::string& verb, const Invocation& call,
                                                    std::ostream& err);

struct Decided {
  scheduler::Plan plan;
  Seconds took{0.0};
};
[[nodiscard]] Decided decide_once(const Moment& moment, const scheduler::Snapshot& snapshot);
// What would make the whole demand fit, with the same deadline again; as scheduler::fit_whole_demand().
[[nodiscard]] std::optional<std::vector<scheduler::Relaxation>> fit_whole_demand_of(const Moment& moment);

[[nodiscard]] int exit_code_of(scheduler::PlanStatus status);

}  // namespace saccade::app
