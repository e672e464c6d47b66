// Detects that a CPU was held from outside: a thread pinned to it that wakes every 5 ms and asks the kernel
// what it waited for (machine/outside_time.hpp). A probe that wakes late because own threads kept the CPU
// busy reports nothing.
// Threads: one inside; `report` is called on it.
#pragma once

#include <functional>
#include <thread>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "runtime/machine/outside_time.hpp"

namespace saccade::runtime {

class StallProbe {
 public:
  StallProbe(const Clock& clock, int cpu, std::function<void(int cpu, const CpuHold& hold)> report);
  ~StallProbe();
  StallProbe(const StallProbe&) = delete;
  StallProbe& operator=(const StallProbe&) = delete;

 private:
  void run();

  const Clock& clock_;
  const int cpu_;
  const std::function<void(int, const CpuHold&)> report_;
  Mutex mutex_;
  Condition stop_;
  bool stopping_ SACCADE_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace saccade::runtime
