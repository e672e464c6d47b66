// A list of labels in a text file: one name per line; empty lines only at the end, as one among the names
// would shift those after it.
// Threads: functions without state. Errors: Result with the path.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace saccade::app {

[[nodiscard]] Result<std::vector<std::string>> read_label_file(const std::string& file);

}  // namespace saccade::app
