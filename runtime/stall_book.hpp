// Which drops belong to a stall of the machine: those between 100 ms before it and 100 ms after it. A
// stall is noticed only when it is over, so drops are remembered for a while and judged later.
// Rates that were not granted (over_quota, inactive) and the end of the run (shutdown) have nothing to
// do with a stall and are never counted here.
// Threads: none of its own; under the same lock as the frame ledger. Memory is bounded: drops are
// remembered for ten seconds.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/clock.hpp"
#include "runtime/frame.hpp"

namespace saccade::runtime {

class StallBook {
 public:
  explicit StallBook(std::size_t task_count) : in_stall_(task_count) {}

  void add_task() { in_stall_.push_back(0); }  // with the next index
  void dropped(const Drop& drop, TimePoint at);
  // Stalls that overlap (two probes saw the same) count as one.
  void stalled(TimePoint from, TimePoint to);
  void settle();  // at the end of the run: judges what is still remembered

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] Duration longest() const { return longest_; }
  [[nodiscard]] std::int64_t dropped_in_stall(TaskIndex task) const { return in_stall_.at(task); }

 private:
  struct Remembered {
    TaskIndex task = 0;
    TimePoint at{};
  };
  struct Window {
    TimePoint from{};
    TimePoint to{};
  };
  void judge(const Remembered& drop);

  std::vector<std::int64_t> in_stall_;
  std::deque<Remembered> drops_;
  std::deque<Window> stalls_;
  std::int64_t count_ = 0;
  Duration longest_{0};
};

}  // namespace saccade::runtime
