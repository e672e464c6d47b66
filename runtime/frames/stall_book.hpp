// Which lost frames are attributed to the machine: those lost while the CPUs on which they would have been
// served were held from outside (machine/outside_time.hpp), and no others. Frames lost before that, or
// afterwards because queues were full, remain the product's loss.
//
// Losses are dropped frames, and demanded ticks for which no frame was taken. A dropped frame counts on the
// CPUs of the processor on which its task's next frame would begin, a missed tick on the CPUs of the
// captures. Where a thread may use several CPUs, all of them must have been held: it would have moved to a
// free one. Never attributed: what the product itself attributes to a switch or a solve, drops above the
// granted rate (over_quota, inactive) and at the end of the run (shutdown).
//
// A hold is noticed only when it is over, so losses are remembered and judged later.
// Threads: none of its own; under the same lock as the frame ledger. Memory is bounded: losses are remembered
// for ten seconds, holds for twenty.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "runtime/frames/frame.hpp"

namespace saccade::runtime {

class StallBook {
 public:
  // CPUs; empty: not known, nothing lost there is attributed to the machine. No places at all, as where there
  // is no machine: nothing is held.
  struct Places {
    std::vector<std::vector<int>> processors;
    std::vector<int> captures;
  };
  explicit StallBook(std::size_t task_count, Places places = {})
      : places_(std::move(places)), in_stall_(task_count), busy_(task_count) {}

  void add_task();                  // with the next index
  void renew_task(TaskIndex task);  // begins at 0
  // `processor`: that the task is routed to; of a first stage with copies, the one whose turn it is.
  void dropped(const Drop& drop, std::optional<ProcessorIndex> processor, TimePoint at);
  void missed(TaskIndex task, TimePoint due);  // a tick
  // Until `now` the product is in a transition (of the task) or a solve (of all), to which the task's losses
  // are attributed. Call before missed(), which may be reported late.
  void transition(TaskIndex task, TimePoint now) { busy_.at(task) = now; }
  void solve(TimePoint now);
  // A CPU was held from outside, `stolen` of the time by the host.
  void held(int cpu, TimePoint from, TimePoint to, Duration stolen);
  void settle();  // at the end of the run: judges the losses still remembered

  // False: no CPU is known on which something would be lost.
  [[nodiscard]] bool watches() const;
  // Holds; those that overlap, of whatever CPU, count as one.
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] Duration longest() const { return longest_; }
  [[nodiscard]] Duration time() const { return time_; }  // summed over CPUs
  [[nodiscard]] Duration stolen() const { return stolen_; }
  [[nodiscard]] std::int64_t dropped_in_stall(TaskIndex task) const { return in_stall_.at(task).dropped; }
  [[nodiscard]] std::int64_t missed_in_stall(TaskIndex task) const { return in_stall_.at(task).missed; }

 private:
  struct Loss {
    TaskIndex task = 0;
    TimePoint at{};
    std::optional<ProcessorIndex> processor;  // of a dropped frame; absent: a missed tick
  };
  struct Hold {
    int cpu = 0;
    TimePoint from{};
    TimePoint to{};
  };
  struct Losses {
    std::int64_t dropped = 0;
    std::int64_t missed = 0;
  };
  void remember(const Loss& loss);
  void forget(TimePoint now);  // judges old losses
  void judge(const Loss& loss);
  [[nodiscard]] bool all_held(const std::vector<int>& cpus, TimePoint at) const;

  Places places_;
  std::vector<Losses> in_stall_;
  std::vector<std::optional<TimePoint>> busy_;  // per task: until when its losses are attributed otherwise
  std::deque<Loss> losses_;
  std::deque<Hold> holds_;
  std::optional<Hold> stall_;  // the last one, of overlapping holds
  std::int64_t count_ = 0;
  Duration longest_{0};
  Duration time_{0};
  Duration stolen_{0};
};

}  // namespace saccade::runtime
