#include "runtime/machine/cpu_accounts.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace saccade::runtime {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::optional<Duration> time_of(clockid_t clock) {
  std::timespec time{};
  if (::clock_gettime(clock, &time) != 0) return std::nullopt;
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

// The CPU clock of another thread of this process (clock_getcpuclockid(3) has it for processes only).
clockid_t clock_of(pid_t thread) {
  return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) | 6U);
}

bool may_run_on(pid_t thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(thread, sizeof set, &set) != 0) return true;  // in doubt: here
  return CPU_ISSET(static_cast<std::size_t>(cpu), &set);
}

// The cpu.stat files of the own control group and of those around it that can be seen.
std::vector<std::filesystem::path> throttling_files() {
  std::vector<std::filesystem::path> files;
  std::istringstream groups(text_of("/proc/self/cgroup"));  // "4:cpu,cpuacct:/a/b", version 2: "0::/a/b"
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",cpu,") == std::string::npos) continue;
    const std::filesystem::path root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
    std::filesystem::path group = std::filesystem::path(line.substr(second + 1)).relative_path();
    for (;; group = group.parent_path()) {
      std::error_code ignored;
      const std::filesystem::path file = root / group / "cpu.stat";
      if (std::filesystem::exists(file, ignored)) files.push_back(file);
      if (group.empty()) break;
    }
  }
  return files;
}

}  // namespace

bool add_throttling(const std::string& cpu_stat, Throttling& sum) {
  std::istringstream words(cpu_stat);
  std::string key;
  std::int64_t value = 0;
  bool found = false;
  while (words >> key >> value) {
    if (key == "nr_throttled") sum.count += value;
    if (key == "throttled_usec") sum.time += std::chrono::microseconds(value);
    if (key == "throttled_time") sum.time += Duration(value);
    found = found || key.starts_with("throttled_") || key == "nr_throttled";
  }
  return found;
}

std::optional<Throttling> own_throttling() {
  Throttling sum;
  bool found = false;
  for (const std::filesystem::path& file : throttling_files()) {
    found = add_throttling(text_of(file), sum) || found;
  }
  return found ? std::optional(sum) : std::nullopt;
}

std::optional<Duration> steal_in(const std::string& proc_stat, int cpu) {
  const std::string wanted = "cpu" + std::to_string(cpu);
  std::istringstream lines(proc_stat);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word != wanted) continue;
    std::int64_t value = 0;
    for (int column = 0; column < 8; ++column) {  // the eighth is steal (proc(5))
      if (!(words >> value)) return std::nullopt;
    }
    const long per_second = ::sysconf(_SC_CLK_TCK);
    return value * Duration(std::chrono::seconds(1)) / std::max(per_second, 1L);
  }
  return std::nullopt;
}

CpuAccounts::CpuAccounts(int cpu)
    : cpu_(cpu), delays_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {
  process_ = time_of(CLOCK_PROCESS_CPUTIME_ID).value_or(Duration(0));
}

CpuAccounts::~CpuAccounts() {
  if (delays_ >= 0) ::close(delays_);
}

CpuSample CpuAccounts::read(TimePoint now, bool all) {
  sample_.at = now;
  char text[64] = {};
  if (delays_ >= 0 && ::pread(delays_, text, sizeof text - 1, 0) > 0) {
    char* second = nullptr;
    (void)std::strtoll(text, &second, 10);  // time run
    sample_.waited = Duration(std::strtoll(second, nullptr, 10));
  }
  if (all) list_threads();
  read_own();
  if (all) {
    if (const auto throttling = own_throttling()) sample_.throttled = throttling->time;
    sample_.steal = steal_in(text_of("/proc/stat"), cpu_).value_or(sample_.steal);
  }
  return sample_;
}

// A thread that is new here counts as own until the next read, and one that may run here from now on for the
// time since the last read as well.
void CpuAccounts::list_threads() {
  for (Elsewhere& each : elsewhere_) each.listed = false;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", failure)) {
    const auto thread = static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
    if (thread <= 0 || may_run_on(thread, cpu_)) continue;
    const auto known = std::find_if(elsewhere_.begin(), elsewhere_.end(),
                                    [thread](const Elsewhere& each) { return each.thread == thread; });
    if (known != elsewhere_.end()) {
      known->listed = true;
    } else if (const auto ran = time_of(clock_of(thread))) {
      elsewhere_.push_back({thread, *ran, true});
    }
  }
  std::erase_if(elsewhere_, [](const Elsewhere& each) { return !each.listed; });
}

void CpuAccounts::read_own() {
  Duration elsewhere{0};
  for (Elsewhere& each : elsewhere_) {
    const auto ran = time_of(clock_of(each.thread));
    if (!ran || *ran < each.ran) continue;  // it has ended, which the next list shows
    elsewhere += *ran - each.ran;
    each.ran = *ran;
  }
  const Duration process = time_of(CLOCK_PROCESS_CPUTIME_ID).value_or(process_);
  sample_.own += std::max(process - process_ - elsewhere, Duration(0));
  process_ = process;
}

}  // namespace saccade::runtime
