// The solvers a configuration may name for the planner: `core`, the project's own exact search, and
// `glpk`, to compare with.
// Threads: functions without state.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ilp/choice_solver.hpp"

namespace saccade::config {

[[nodiscard]] const std::vector<std::string>& solver_names();
// `name` is one of solver_names() (checked).
[[nodiscard]] std::unique_ptr<ilp::ChoiceSolver> make_solver(const std::string& name);

}  // namespace saccade::config
