#include "scheduler/text.hpp"

#include <array>
#include <cstdio>

namespace saccade::scheduler {

std::string number(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.6g", value);
  return buffer.data();
}

std::string quoted(const std::string& name) { return "`" + name + "`"; }

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

}  // namespace saccade::scheduler
