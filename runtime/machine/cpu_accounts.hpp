// The kernel's accounting of one CPU and this process, for machine/outside_time.hpp: the run-queue delay of
// the calling thread (second field of /proc/thread-self/schedstat), the CPU time of this process without that
// of threads that may not run on the CPU, the steal of the CPU (/proc/stat) and the throttling of the own
// control group and its ancestors (cpu.stat). Threads: created and used on one thread, which is pinned to the
// CPU. Errors: what the system does not report stays 0, so that nothing is attributed to outsiders.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/machine/outside_time.hpp"

namespace saccade::runtime {

struct Throttling {  // of the own control group and its ancestors, since their creation
  std::int64_t count = 0;
  Duration time{0};  // summed over CPUs
};
// Absent: no group has a quota, or none can be read.
[[nodiscard]] std::optional<Throttling> own_throttling();

// The steal of `cpu` in the text of /proc/stat; absent: it is not listed.
[[nodiscard]] std::optional<Duration> steal_in(const std::string& proc_stat, int cpu);
// Adds the values in the text of a cpu.stat file (version 1 or 2). False: it contains no quota.
bool add_throttling(const std::string& cpu_stat, Throttling& sum);

class CpuAccounts {
 public:
  explicit CpuAccounts(int cpu);
  ~CpuAccounts();
  CpuAccounts(const CpuAccounts&) = delete;
  CpuAccounts& operator=(const CpuAccounts&) = delete;

  // `all`: also what is expensive to read (about 0.1 ms); otherwise steal, throttling and the list of threads
  // are those of the last time.
  [[nodiscard]] CpuSample read(TimePoint now, bool all);

 private:
  struct Elsewhere {  // a thread that may not run here
    pid_t thread = 0;
    Duration ran{0};
    bool listed = false;
  };
  void list_threads();
  void read_own();

  const int cpu_;
  int delays_ = -1;  // file descriptor
  std::vector<Elsewhere> elsewhere_;
  Duration process_{0};  // CPU time at the last read
  CpuSample sample_;
};

}  // namespace saccade::runtime
