#include "runtime/machine/cores.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <string>

#include "runtime/machine/thread_settings.hpp"

namespace saccade::runtime {
namespace {

// The first CPU of a list as the kernel writes it: "0-1", "3,7"; -1 where there is none.
int first_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  int first = -1;
  if (!(in >> first)) return -1;
  return first;
}

}  // namespace

std::vector<std::vector<int>> cores_of(const std::vector<int>& cpus, const std::filesystem::path& folder) {
  std::map<int, std::vector<int>> by_first;  // by the first CPU of the core, whether or not it may be used
  for (const int cpu : cpus) {
    const int first = first_of(folder / ("cpu" + std::to_string(cpu)) / "topology" / "thread_siblings_list");
    by_first[first < 0 ? cpu : first].push_back(cpu);
  }
  std::vector<std::vector<int>> cores;
  for (auto& [first, own] : by_first) cores.push_back(std::move(own));
  std::sort(cores.begin(), cores.end());
  return cores;
}

const std::vector<std::vector<int>>& machine_cores() {
  static const std::vector<std::vector<int>> cores = cores_of(allowed_cpus(), "/sys/devices/system/cpu");
  return cores;
}

}  // namespace saccade::runtime
