// Settings of the command line, each `path=value`, as a patch of the configuration
// (config/document_patch.hpp): tasks by id; null resets. A value is JSON; anything that is not JSON is a
// string, so that names need no quotes.
//   tasks.gate.fps=30   limits.memory_bytes=60000000   objective=min_memory
// Threads: function without state. Errors: all at once; an error gives the number of the setting, which is
// also the line of its values, and its JSON pointer.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {

// The settings as one patch.
[[nodiscard]] Result<text::JsonValue> patch_of(const std::vector<std::string>& settings);

}  // namespace saccade::config
