// A list of labels in a text file: one name per line, empty lines ignored.
// Threads: functions without state. Errors: Result with the path.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace saccade::app {

[[nodiscard]] Result<std::vector<std::string>> read_label_file(const std::string& file);

}  // namespace saccade::app
