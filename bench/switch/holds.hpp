// When the CPU that serves was held from outside while a bench runs, as the product looks for it
// (runtime/real/stall_probe.hpp). Several serving CPUs: nothing is recorded, as a thread would have moved.
// Threads: a probe inside; read when it has ended.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "bench/switch/recording.hpp"
#include "runtime/real/stall_probe.hpp"

namespace saccade::bench {

class Holds {
 public:
  Holds(const Clock& clock, const std::vector<int>& serving) {
    if (serving.size() != 1) return;
    probe_ = std::make_unique<runtime::StallProbe>(clock, serving.front(),
                                                   [this](int, const runtime::CpuHold& hold) {
                                                     const std::lock_guard lock(mutex_);
                                                     seen_.push_back(hold);
                                                   });
  }

  // Ends the probe. Times since `start`.
  [[nodiscard]] std::vector<Hold> end(TimePoint start) {
    probe_.reset();
    std::vector<Hold> holds;
    for (const runtime::CpuHold& hold : seen_) {
      holds.push_back({{hold.from - start, hold.to - start}, hold.stolen});
    }
    return holds;
  }

 private:
  std::mutex mutex_;
  std::vector<runtime::CpuHold> seen_;
  std::unique_ptr<runtime::StallProbe> probe_;  // last: it uses the others
};

}  // namespace saccade::bench
