// How long one CPU was held by what is not this process, from what the kernel reports: another program, or
// the host that ran something else. Pure arithmetic; machine/cpu_accounts.hpp takes the samples.
//
// Between two samples a thread that never leaves the CPU waited for it `waited` long. Of that, own threads
// ran `own` (they are no outsider, however late they make the thread), and the own control group was
// throttled `throttled` (a quota is a limit, not a stall). What is left, or the time that the host stole,
// whichever is longer, was taken from outside; `waited` contains the steal that fell into it. Both are at
// most what own threads left over. What is in doubt counts as own: samples report own time and throttling
// rather too high.
//
// Order: add() with ascending times, then ask. Threads: plain values. Errors: none; a decreasing counter
// counts as unchanged.
#pragma once

#include <deque>
#include <optional>

#include "base/clock.hpp"

namespace saccade::runtime {

struct CpuSample {  // counters since any moment, but `at`
  TimePoint at{};
  Duration waited{0};  // in the run queue, by the sampling thread
  Duration own{0};     // run on the CPU by threads of this process, at most
  Duration throttled{0};
  Duration steal{0};
};

struct CpuHold {
  TimePoint from{};
  TimePoint to{};
  Duration stolen{0};  // by the host; the rest by other programs
};

class OutsideTime {
 public:
  // The hold that ended with this sample, if there is one: at least kLeast long. The sampling thread runs
  // when it is over, so a hold ends at the sample.
  std::optional<CpuHold> add(const CpuSample& sample);
  // Time in [from, to] in which the CPU was held. Of the last twenty seconds.
  [[nodiscard]] Duration between(TimePoint from, TimePoint to) const;

  static constexpr Duration kLeast = std::chrono::milliseconds(20);

 private:
  std::optional<CpuSample> last_;
  std::deque<CpuHold> holds_;
};

}  // namespace saccade::runtime
