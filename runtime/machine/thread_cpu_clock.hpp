// The CPU time of the calling thread. For measuring work that one thread does alone: it stops while the
// operating system runs something else on the core, so that a busy machine does not make an engine look slow.
// Not for work that waits for another device.
// Threads: every thread has its own time; take differences on one thread only.
#pragma once

#include <ctime>

#include "base/check.hpp"
#include "base/clock.hpp"

namespace saccade::runtime {

class ThreadCpuClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override {
    std::timespec time{};
    SACCADE_CHECK(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
    return TimePoint(std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec));
  }
};

}  // namespace saccade::runtime
