// Which lost frames belong to a stall of the machine: those from 100 ms before it until, after it, all
// processors had nothing to do for the first time, 100 ms later at least and one second at most: what
// waited meanwhile fills the queues, and under load they empty slowly. A stall is noticed only when it is
// over, so losses are remembered for a while and judged later. Lost are frames that were dropped, and ticks
// of the demand that passed while nobody came for their frame. Drops for a rate that was not granted
// (over_quota, inactive) and at the end of the run (shutdown) have nothing to do with a stall and are never
// counted here.
// Threads: none of its own; under the same lock as the frame ledger. Memory is bounded: losses are
// remembered for ten seconds, stalls for twenty.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "runtime/frame.hpp"

namespace saccade::runtime {

class StallBook {
 public:
  explicit StallBook(std::size_t task_count) : in_stall_(task_count) {}

  void add_task() { in_stall_.emplace_back(); }  // with the next index
  void dropped(const Drop& drop, TimePoint at);
  void missed(TaskIndex task, TimePoint due);  // a tick
  // Stalls that overlap (two probes saw the same) count as one.
  void stalled(TimePoint from, TimePoint to);
  // Nothing waits and nothing runs; wanted while a stall is not over in this sense.
  void idle(TimePoint now);
  [[nodiscard]] bool idle_wanted() const { return !stalls_.empty() && !stalls_.back().idle; }
  void settle();  // at the end of the run: judges what is still remembered

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] Duration longest() const { return longest_; }
  [[nodiscard]] std::int64_t dropped_in_stall(TaskIndex task) const { return in_stall_.at(task).dropped; }
  [[nodiscard]] std::int64_t missed_in_stall(TaskIndex task) const { return in_stall_.at(task).missed; }

 private:
  struct Loss {
    TaskIndex task = 0;
    TimePoint at{};
    bool dropped = false;  // else missed
  };
  struct Stall {
    TimePoint from{};
    TimePoint to{};
    std::optional<TimePoint> idle;  // for the first time after it
  };
  struct Losses {
    std::int64_t dropped = 0;
    std::int64_t missed = 0;
  };
  void remember(const Loss& loss);
  void forget(TimePoint now);  // judges what is old
  void judge(const Loss& loss);

  std::vector<Losses> in_stall_;
  std::deque<Loss> losses_;
  std::deque<Stall> stalls_;
  std::int64_t count_ = 0;
  Duration longest_{0};
};

}  // namespace saccade::runtime
