// Writes a JSON value as text.
// Threads: functions without state. Errors: none.
#pragma once

#include <string>

#include "text/strict_json.hpp"

namespace saccade::text {

// Keys in their order; whole numbers without a fraction (25, not 25.0). Indented by `indent` spaces; by
// default on one line.
[[nodiscard]] std::string write_json(const JsonValue& value, int indent = -1);

}  // namespace saccade::text
