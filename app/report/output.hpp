// How errors are printed for people and machines: the place first, so that editors can jump there, the hint
// on a line of its own.
// Threads: functions without state.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "base/result.hpp"

namespace saccade::app {

void print_errors(const Errors& errors, std::ostream& err);
// The same, for a command that ends with the error: returns the exit code.
[[nodiscard]] int fail(const Errors& errors, int exit_code, std::ostream& err);
void print_warnings(const Errors& warnings, std::ostream& err);
// "3 notes on the profiles: saccade check FILE"; nothing when there is none.
void print_note_count(std::size_t notes, const std::string& file, std::ostream& err);

}  // namespace saccade::app
