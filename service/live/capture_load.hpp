// How busy cameras keep the CPUs on which they are read and decoded: processor time of their readers over
// about the last ten seconds, of the CPUs that captures may use. Call order: runs_on(), then add() and
// busy(). Threads: any; a lock is held for a few numbers. Errors: none.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>

#include "base/mutex.hpp"
#include "runtime/run/run_hooks.hpp"

namespace saccade::service {

class CaptureLoad {
 public:
  struct Busy {
    double share = 0.0;    // 0 to 1
    std::size_t cpus = 0;  // that captures may use
  };
  // The number of CPUs that captures may use.
  void runs_on(std::size_t cpus);
  // Called several times a second with the current status.
  void add(const runtime::RunStatus& status);
  // Absent: no two samples yet, or runs_on() was not called.
  [[nodiscard]] std::optional<Busy> busy() const;

 private:
  struct Sample {
    Duration at{0};
    std::map<runtime::TaskNumber, Duration> times;  // of each task's camera
  };
  mutable Mutex mutex_;
  std::size_t cpus_ SACCADE_GUARDED_BY(mutex_) = 0;
  std::deque<Sample> samples_ SACCADE_GUARDED_BY(mutex_);  // a second apart
  std::optional<Busy> busy_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::service
