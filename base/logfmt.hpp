// A text as the value of a field in a log line of `key=value` pairs (logfmt): in double quotes, on a single
// line whatever it contains.
// Threads: pure. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace saccade {

// Quotes and backslashes are escaped with a backslash, line breaks and tabs as \n, \r and \t, other control
// characters as \u00XX.
[[nodiscard]] std::string log_quoted(std::string_view text);

}  // namespace saccade
