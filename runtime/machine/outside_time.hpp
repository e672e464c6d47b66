// How long one CPU was held from outside this process, from what the kernel reports: by another program, or
// by the host, which ran something else. Pure arithmetic; machine/cpu_accounts.hpp takes the samples.
//
// Between two samples a thread pinned to the CPU waited for it for `waited`. During that time own threads ran
// for `own` (they do not count as outsiders, however much they delay the thread), and the own control group
// was throttled for `throttled` (a quota is a limit, not a stall). The rest, or the time that the host stole,
// whichever is longer, was taken from outside; `waited` contains the steal during it. Both are at most what
// own threads left. In case of doubt time counts as own: samples over-report own time and throttling.
//
// Order: add() with ascending times, then query. Threads: plain values. Errors: none; a decreasing counter
// counts as unchanged.
#pragma once

#include <deque>
#include <optional>

#include "base/clock.hpp"

namespace saccade::runtime {

struct CpuSample {  // counters since an arbitrary moment, except `at`
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
  // The hold that ended with this sample, if any: at least kLeast long. The sampling thread runs when it is
  // over, so a hold ends at the sample.
  std::optional<CpuHold> add(const CpuSample& sample);
  // Time in [from, to] during which the CPU was held. For the last twenty seconds only.
  [[nodiscard]] Duration between(TimePoint from, TimePoint to) const;

  static constexpr Duration kLeast = std::chrono::milliseconds(20);

 private:
  std::optional<CpuSample> last_;
  std::deque<CpuHold> holds_;
};

}  // namespace saccade::runtime
