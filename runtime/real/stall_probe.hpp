// Notices when the machine itself stops the process: a thread that asks to be woken every 5 ms and
// reports each time that it was woken more than 20 ms after the last. So a noisy machine is not taken
// for a fault of the product.
// Threads: one inside; `report` is called on it.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.hpp"

namespace saccade::runtime {

class StallProbe {
 public:
  // Watches the CPUs named (empty: wherever it runs).
  StallProbe(const Clock& clock, std::vector<int> cpus,
             std::function<void(TimePoint from, TimePoint to)> report);
  ~StallProbe();
  StallProbe(const StallProbe&) = delete;
  StallProbe& operator=(const StallProbe&) = delete;

 private:
  void run();

  const Clock& clock_;
  const std::vector<int> cpus_;
  const std::function<void(TimePoint, TimePoint)> report_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace saccade::runtime
