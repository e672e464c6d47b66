// What the verbs that plan once share: the options that name a moment of a configuration, and its reading.
// Order: add planning_options() to the verb's options, then read_moment(), then config::decide_once().
// Threads: functions without state. Errors: printed on `err`; the exit code is returned.
#pragma once

#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "app/report/options.hpp"
#include "config/moment.hpp"
#include "scheduler/plan.hpp"

namespace saccade::app {

[[nodiscard]] std::vector<OptionSpec> planning_options();

// The moment, or the exit code.
[[nodiscard]] std::variant<config::Moment, int> read_moment(const std::string& verb, const Invocation& call,
                                                            std::ostream& err);

[[nodiscard]] int exit_code_of(scheduler::PlanStatus status);

}  // namespace saccade::app
