// Numbers and words as they appear in reasons and complaints, formatted in one way.
// Threads: pure.
#pragma once

#include <string>
#include <vector>

namespace saccade::scheduler {

[[nodiscard]] std::string number(double value);  // six significant digits
[[nodiscard]] std::string quoted(const std::string& name);
[[nodiscard]] std::string join(const std::vector<std::string>& words);  // with commas

}  // namespace saccade::scheduler
