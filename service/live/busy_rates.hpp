// Recent utilisation of the processors, from the busy times of the last seconds.
// Threads: any; a lock is held for a few numbers.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "runtime/run/run_hooks.hpp"

namespace saccade::service {

class BusyRates {
 public:
  // Called several times a second with the current status.
  void add(const runtime::RunStatus& status);
  // Per processor: busy time / time budget over about the last two seconds; absent: no sample to compare
  // with.
  [[nodiscard]] std::vector<std::optional<double>> budget_used(const runtime::RunStatus& now) const;

 private:
  struct Sample {
    Duration at{0};
    std::vector<Duration> busy;
  };
  mutable Mutex mutex_;
  std::deque<Sample> samples_ SACCADE_GUARDED_BY(mutex_);  // the last seconds
};

}  // namespace saccade::service
