#include "runtime/machine.hpp"

#include <fstream>

namespace saccade::runtime {

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

}  // namespace saccade::runtime
