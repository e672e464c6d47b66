// The record of all switches of a run: what each one cost, the most recent ones in detail, and totals over
// all of them. Loading a task's first engine is not a switch.
//
// Call order, per task: begin(), then done() or call_off(); frames_lost() and did_not_fit() at any time
// between; exchanged() after done(). begin_transition() when a plan is adopted and no transition is under
// way. Bounded: a service may run for years, so records beyond the most recent ones survive in the totals
// only. Threads: plain value, used by the controller only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "runtime/control/engine_slot.hpp"
#include "runtime/control/switch_totals.hpp"
#include "runtime/frames/frame.hpp"

namespace saccade::runtime {

// A switch that a newer plan called off is recorded only if it has lost frames; its `to` is its `from`.
struct SwitchRecord {
  TimePoint at{};                   // of the swap, or when it was called off
  TaskIndex task = 0;               // kNoTask: its index belongs to another task by now
  std::optional<std::size_t> from;  // variant that served before; absent: none did
  std::optional<std::size_t> to;
  Duration load_time{0};
  Duration warm_time{0};
  Duration swap_time{0};
  std::int64_t frames_lost = 0;  // drops with cause `switching` during the task's transition
  bool both_fit = false;  // old and new engine fitted into memory together, and no rate had to be lowered
  bool bridge = false;    // `to` serves only until the engine that the plan wants fits (control/bridge.hpp)
};

class SwitchLog {
 public:
  static constexpr std::size_t kKept = 10'000;  // records kept at least, at most twice as many

  void resize(std::size_t tasks);  // never fewer than before
  void forget(TaskIndex task);     // its index goes to another task

  // The task's target is not served yet; `from` is the variant that serves until then, absent = none.
  void begin(TaskIndex task, std::optional<std::size_t> from);
  // `loaded` is swapped in. `bridge`: for as long as it takes to load another; the switch to that one has
  // begun with it. Requires begin().
  void done(TaskIndex task, const EngineSlot& loaded, bool bridge, TimePoint now);
  // A newer plan does without the switch that is under way; without effect when there is none.
  void call_off(TaskIndex task, TimePoint now);

  // With cause `switching`; attributed to the task's current or latest switch.
  void frames_lost(TaskIndex task, std::int64_t frames);
  void did_not_fit(TaskIndex task);                 // the switch under way; without effect when there is none
  void exchanged(EngineKey engine, Duration time);  // how long the swap of `engine` took
  void failed();                                    // an engine did not load, warm up or fit, or timed out
  void begin_transition();                          // frames lost from now on belong to no earlier switch

  // At least the latest kKept, oldest first.
  [[nodiscard]] const std::vector<SwitchRecord>& records() const { return records_; }
  // Never null. Immutable: the next switch makes a new value, so readers may keep this one.
  [[nodiscard]] const std::shared_ptr<const SwitchTotals>& totals() const { return totals_; }
  // Whether a variant served when the switch that is under way began.
  [[nodiscard]] bool interrupted(TaskIndex task) const {
    const std::optional<Pending>& pending = tasks_.at(task).pending;
    return pending && pending->from;
  }
  // When the task's latest switch was done; absent before the first.
  [[nodiscard]] const std::optional<TimePoint>& latest(TaskIndex task) const {
    return tasks_.at(task).latest;
  }

 private:
  struct Pending {
    std::optional<std::size_t> from;
    bool both_fit = false;  // so far
    std::int64_t lost = 0;
  };
  struct Task {
    std::optional<Pending> pending;
    bool has_served = false;  // the next swap is a switch
    std::optional<TimePoint> latest;
    // Records are numbered from the first of the run.
    std::optional<std::size_t> record;       // its latest in this transition
    std::optional<std::size_t> last_record;  // its latest at all
    std::optional<EngineKey> engine;         // swapped in by that one
  };
  template <class Change>
  void count(const Change& change);
  void keep(Task& task, const SwitchRecord& record);
  [[nodiscard]] SwitchRecord* kept(std::size_t number);  // null when no longer kept

  std::vector<Task> tasks_;
  std::vector<SwitchRecord> records_;
  std::size_t forgotten_ = 0;  // records before those
  std::shared_ptr<const SwitchTotals> totals_ = std::make_shared<SwitchTotals>();
};

}  // namespace saccade::runtime
