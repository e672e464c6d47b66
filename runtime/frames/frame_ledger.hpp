// The accounting of every frame, per task over the whole run. A frame is received once and ends exactly once:
// received = processed + dropped + in flight holds after every call, and ending a frame that is not open is a
// failed check.
//
// `granted` counts the ticks that a regulator at the plan's rate admits, whether or not a frame arrived for
// them: the integral of the granted rate, in whole frames, on the same ticks as `demanded`. During a
// transition it is the target plan's rate. Every frame lost with cause `switch` was therefore granted, and
// (lost to switch + lost to solve) / granted is the overhead.
//
// A pushed frame that was refused because the gate was full is rejected: it was never received.
//
// Threads: none of its own; readers and writers share one lock, so that a copy of TaskFrames is consistent.
// No allocation per frame once warm.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "runtime/frames/frame.hpp"
#include "runtime/frames/latency_histogram.hpp"
#include "runtime/frames/regulator.hpp"

namespace saccade::runtime {

struct VariantFrames {
  std::int64_t frames = 0;    // processed by the variant
  std::int64_t labelled = 0;  // regions with a known label
  std::int64_t correct = 0;   // of these, answered correctly
};

struct TaskFrames {
  std::int64_t demanded = 0;
  std::int64_t granted = 0;
  std::int64_t received = 0;
  std::int64_t rejected = 0;  // not part of received
  std::int64_t processed = 0;
  std::int64_t in_flight = 0;
  std::array<std::int64_t, kDropReasons> dropped{};          // by DropReason
  std::array<std::int64_t, kLossCauses> dropped_by_cause{};  // by LossCause
  std::vector<VariantFrames> variants;                       // by variant index; as long as needed
  LatencyHistogram latency;                                  // end of processing - due
  LatencyHistogram age;                                      // end of processing - capture, where it is known
  LatencyHistogram in_periods;                               // the same, in periods: 1 s stands for one
  LatencyHistogram inference;                                // share of it spent in the engine
  FrameTime worked;                                          // on processed frames, summed
  Duration largest_gap{0};  // between ends of processed frames, while the task was active

  [[nodiscard]] std::int64_t dropped_total() const;
};

// Of tasks whose counters were discarded (FrameLedger::renew_task()).
struct ForgottenFrames {
  std::int64_t tasks = 0;
  std::int64_t demanded = 0;
  std::int64_t granted = 0;
  std::int64_t received = 0;
  std::int64_t rejected = 0;
  std::int64_t processed = 0;
  std::array<std::int64_t, kDropReasons> dropped{};          // by DropReason
  std::array<std::int64_t, kLossCauses> dropped_by_cause{};  // by LossCause
};

class FrameLedger {
 public:
  explicit FrameLedger(std::size_t task_count);

  void add_task() { tasks_.emplace_back(); }  // with the next index
  // Resets its counters; their values are added to forgotten(). Requires that no frame is open.
  void renew_task(TaskIndex task);
  [[nodiscard]] const ForgottenFrames& forgotten() const { return forgotten_; }
  // The task's demand became > 0 or 0: gaps are measured only while it is active.
  void set_active(TaskIndex task, bool active, TimePoint now);
  // The rate that the plan grants (the target plan's in a transition).
  void set_granted(TaskIndex task, Fps rate, TimePoint now);

  void tick(TaskIndex task, TimePoint due);  // one demanded frame
  // `period`: of the task's frames when this one was due.
  void received(TaskIndex task, FrameNumber frame, Duration period);
  struct Judged {
    int labelled = 0;
    int correct = 0;
  };
  void rejected(TaskIndex task) { ++tasks_.at(task).frames.rejected; }
  // `age`: end - capture; absent: it is not known when the picture was captured, as in a simulation.
  void processed(TaskIndex task, FrameNumber frame, TimePoint due, TimePoint end, FrameTime time,
                 std::size_t variant, Judged judged, std::optional<Duration> age = {});
  void dropped(const Drop& drop);

  [[nodiscard]] const TaskFrames& task(TaskIndex task) const { return tasks_.at(task).frames; }
  [[nodiscard]] std::size_t task_count() const { return tasks_.size(); }
  // Includes the gap that is still open at `now`.
  [[nodiscard]] Duration largest_gap(TaskIndex task, TimePoint now) const;

 private:
  struct Open {
    FrameNumber frame = 0;
    Duration period{0};
  };
  struct Account {
    TaskFrames frames;
    Regulator granted;
    std::vector<Open> open;             // received and not ended; a handful
    std::optional<TimePoint> last_end;  // or the activation; absent while inactive
  };
  static Open end(Account& account, FrameNumber frame);
  static void check(const Account& account);

  std::vector<Account> tasks_;
  ForgottenFrames forgotten_;
};

// (frames lost to switching and solving) / granted, over all tasks that ever existed; 0 if nothing was
// granted.
[[nodiscard]] double overhead_share(const FrameLedger& ledger);

}  // namespace saccade::runtime
