// The machine's stalls while a bench runs, as the product looks for them: on the CPUs that serve and on
// the others.
// Threads: probes inside; read when they have ended.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bench/switch/recording.hpp"
#include "runtime/real/stall_probe.hpp"
#include "runtime/real/thread_settings.hpp"

namespace saccade::bench {

class Stalls {
 public:
  Stalls(const Clock& clock, const std::vector<int>& serving) {
    const auto report = [this](TimePoint from, TimePoint to) {
      const std::lock_guard lock(mutex_);
      seen_.emplace_back(from, to);
    };
    const std::vector<int> others = runtime::other_cpus(runtime::allowed_cpus(), serving);
    probes_.push_back(std::make_unique<runtime::StallProbe>(clock, serving, report));
    probes_.push_back(std::make_unique<runtime::StallProbe>(clock, others, report));
  }

  // Ends the probes. Stalls that both saw are told once. Times since `start`.
  [[nodiscard]] std::vector<Window> end(TimePoint start) {
    probes_.clear();
    std::sort(seen_.begin(), seen_.end());
    std::vector<Window> stalls;
    for (const auto& [from, to] : seen_) {
      if (!stalls.empty() && from - start <= stalls.back().to) {
        stalls.back().to = std::max(stalls.back().to, Duration(to - start));
      } else {
        stalls.push_back({from - start, to - start});
      }
    }
    return stalls;
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<TimePoint, TimePoint>> seen_;
  std::vector<std::unique_ptr<runtime::StallProbe>> probes_;
};

}  // namespace saccade::bench
