// How complaints reach people and machines: where first, so that editors can jump there, what to do
// on a line of its own.
// Threads: functions without state.
#pragma once

#include <iosfwd>

#include "base/result.hpp"

namespace saccade::app {

void print_errors(const Errors& errors, std::ostream& err);
void print_warnings(const Errors& warnings, std::ostream& err);

}  // namespace saccade::app
