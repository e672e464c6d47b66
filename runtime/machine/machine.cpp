#include "runtime/machine/machine.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

namespace saccade::runtime {

namespace {

// x86 names vector and matrix instructions in several ways; on Arm the list has little else.
bool is_for_kernels(std::string_view flag) {
  constexpr std::array kBeginnings = {"avx",   "amx", "sse",  "ssse", "fma", "f16c",
                                      "asimd", "sve", "i8mm", "bf16", "fphp"};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](const char* beginning) { return flag.starts_with(beginning); });
}

}  // namespace

std::string machine_name() {
  std::ifstream board("/proc/device-tree/model");
  std::string text;
  if (std::getline(board, text, '\0') && !text.empty()) return text;
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string instruction_set_of(const std::string& cpuinfo) {
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    std::istringstream words(line.substr(std::min(line.find(':') + 1, line.size())));
    std::set<std::string> kept;
    for (std::string word; words >> word;) {
      if (is_for_kernels(word)) kept.insert(word);
    }
    std::string text;
    for (const std::string& word : kept) text += (text.empty() ? "" : " ") + word;
    return text;
  }
  return "";
}

std::string instruction_set() {
  std::ifstream file("/proc/cpuinfo");
  return instruction_set_of({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

}  // namespace saccade::runtime
