// The control loop as one single-threaded state machine: on(event, now) -> actions. It knows what is wanted
// (the newest snapshot), what runs (the engines of every task), which memory is reserved and which variants
// have failed. It asks for solves, loads, swaps and rates but performs none of them: the shells carry its
// actions out and report back by events.
//
//   change            -> Solve at once; changes within `coalesce` of a solve are gathered into the next;
//                        one solve is in flight at a time
//   plan ready        -> dropped if it is of an older generation and fails the plan check against the newest
//                        snapshot; otherwise it becomes the target: tasks that keep their variant get
//                        their new rate, the others get a Load (memory is reserved first), and the
//                        remaining time is shared out (scheduler/transition.hpp)
//   load finished     -> Warm; on failure the variant is excluded with exponential back-off (at most 10 min,
//                        5 s while the task has no other variant), the old engine keeps serving, and a new
//                        plan is requested
//   warm finished     -> Swap, new shares; the old engine drains
//   inference hangs   -> no engine that has its stage serves any more, and parked ones are unloaded; their
//                        variants are excluded together, and a new plan is requested
//   inferences fail   -> after five in a row the variant is excluded, and a new plan is requested; parked
//                        engines that may have one of its stages are unloaded
//   drained           -> Unload, or parked in the warm cache; an unloaded engine's memory is released
//   tick              -> whatever is due: gathered changes, ended back-offs, load time-outs, the memory limit
//
// Memory: max(memory, load peak) is reserved while an engine loads, its memory afterwards; no reservation
// exceeds the limit. If a new engine does not fit beside the old one, an order of loads that fits is used
// (shrinking tasks first); if there is none, that task goes by a bridge, a smaller variant that serves in
// between (runtime/control/bridge.hpp), and where there is none of that either it unloads its old engine
// first. One load at a time: highest priority class first, then tasks without an engine, then shortest load.
// When the limit is lowered below what is in use, loads and plans have one second to make room; then engines
// are unloaded without replacement. What still exceeds the limit shortly before two seconds have passed (a
// hanging load holds its memory) is reported as infeasible. A plan that was not made within the limits runs
// without the memory limit; this is reported.
//
// Pauses: where loads disturb the inferences of a device, the next load there begins no sooner than
// ControllerOptions::load_pauses say, as long as something serves on it. Meanwhile loads on other devices
// overtake it that are as urgent or over before its pause is, and take no memory that it needs
// (runtime/control/switch_order.hpp).
//
// Plans: an infeasible plan's fallback runs; if it has none, what runs stays. The generation counts
// snapshots: every change and every plan requested after a fault, an ended back-off or drift. A variant
// of several stages is one engine here, whatever its processors: loaded, swapped and unloaded as a whole. A
// variant that names several processors and no stages is refused with a report, and so is one with stages for
// a task of several regions.
//
// What is measured of the processors (Measured) is not to be looked at while solving(): the plan would be
// outdated when it is ready, and where measurements change faster than plans are made no plan would ever be
// adopted. The look after the plan finds it, or the next one once something else has outdated the plan.
//
// Tasks and processors: the processors are those of the first Change, in its order. A task keeps its index:
// a Change may append tasks, and a removed one stays with demand 0 until a Change gives its index, once it is
// at_rest(), to another task. A task whose source is lost is
// planned with demand 0, so that its time, energy and memory go to the others; its engine is parked even
// beyond the warm cache's size, and is evicted like any parked engine.
//
// Spare engines: for a task that is named as such and not demanded the leanest variant that passes its
// filters is loaded, once nothing else is to be loaded and if it fits next to all that is there, and held
// until the task is demanded. It serves at once then, as a bridge if the plan wants another variant. It is
// the first to go when memory is needed, and goes at once when the filters have come to refuse it; another
// one is loaded then, if they allow one.
//
// Threads: none of its own; calls must not overlap. Errors: never fails; trouble is reported by Report
// actions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/quantity.hpp"
#include "runtime/control/actions.hpp"
#include "runtime/control/engine_rack.hpp"
#include "runtime/control/events.hpp"
#include "runtime/control/exclusions.hpp"
#include "runtime/control/options.hpp"
#include "runtime/control/solve_gate.hpp"
#include "runtime/control/switch_log.hpp"
#include "runtime/control/switch_order.hpp"
#include "runtime/control/task_run.hpp"
#include "scheduler/plan.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

struct ControllerOptions {
  RuntimeOptions runtime;
  Seconds first_backoff{0.25};  // after a failed load or an empty solve; doubles with each further one
  Seconds max_backoff{5.0};     // of solves, and of a task that no variant is left for
  Seconds max_exclusion{600.0};
  // Per processor, as in the first Change: the least time from the end of a load on its device to the next
  // one there, while an engine serves on it. Empty: none. Of processors that name a memory; the longest of
  // those that share it counts.
  std::vector<Seconds> load_pauses = {};
};

class Controller {
 public:
  explicit Controller(const ControllerOptions& options);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // The actions, in the order in which they are to be carried out. A `now` before that of an earlier call
  // counts as that one.
  [[nodiscard]] std::vector<Action> on(const Event& event, TimePoint now);
  // When the next Tick is due; absent when nothing depends on time.
  [[nodiscard]] std::optional<TimePoint> next_tick() const;

  // A plan is being made that nothing has outdated yet: Measured is to wait until it is ready.
  [[nodiscard]] bool solving() const { return gate_.in_flight_for_all(); }
  [[nodiscard]] bool in_transition() const { return in_transition_; }
  // No change pending, no solve in flight, no transition.
  [[nodiscard]] bool settled() const { return !gate_.pending() && !in_transition_; }
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  // The plan that runs; null before the first.
  [[nodiscard]] const std::shared_ptr<const scheduler::Plan>& plan() const { return plan_; }
  // The variant that serves the task; absent: none.
  [[nodiscard]] std::optional<std::size_t> serving(TaskIndex task) const;
  // The variant of the engine that is kept ready for the task, which is not demanded; absent: none, or not
  // yet.
  [[nodiscard]] std::optional<std::size_t> spare(TaskIndex task) const;
  // As plans know them, with their guards and corrections, and capacities without what decoding takes; none
  // before the first Change.
  [[nodiscard]] const std::vector<scheduler::Processor>& processors() const { return wanted_.processors; }
  // What decoding takes of each processor's CPUs, in force; none before the first Change.
  [[nodiscard]] const std::vector<double>& decoding() const { return decoding_; }
  // No engine of the task exists, or will without another plan that wants one.
  [[nodiscard]] bool at_rest(TaskIndex task) const;
  // Of every memory: limits, what is reserved now and was at most.
  [[nodiscard]] const MemoryLedger& memory() const { return rack_.memory(); }
  [[nodiscard]] Bytes reserved() const { return rack_.memory().used().host(); }
  [[nodiscard]] Bytes reserved_peak() const { return rack_.memory().peak().host(); }
  static constexpr std::size_t kSwitchesKept = SwitchLog::kKept;
  [[nodiscard]] const std::vector<SwitchRecord>& switches() const { return log_.records(); }
  [[nodiscard]] const std::shared_ptr<const SwitchTotals>& switch_totals() const { return log_.totals(); }

 private:
  // --- events (controller.cpp; InferenceEnded and InferenceHangs: controller_faults.cpp)
  void handle(const event::Change& change);
  void handle(const event::PlanReady& ready);
  void handle(const event::LoadFinished& finished);
  void handle(const event::WarmFinished& finished);
  void handle(const event::Swapped& swapped) { log_.exchanged(swapped.engine, swapped.time); }
  void handle(const event::Drained& drained);
  void handle(const event::Unloaded& unloaded);
  void handle(const event::InferenceEnded& ended);
  void handle(const event::InferenceHangs& hangs);
  void handle(const event::Measured& measured);
  void handle(const event::Decoding& decoding);
  void handle(const event::FramesLost& lost) { log_.frames_lost(lost.task, lost.frames); }
  void handle(const event::SourceLost& lost);
  void handle(const event::SourceBack& back);
  void handle(const event::Tick& tick);

  // --- what is wanted (controller.cpp)
  void replan();  // the newest snapshot changed
  void leave_for_decoding(ProcessorIndex index);
  void solve_if_due();
  [[nodiscard]] scheduler::Snapshot snapshot() const;
  [[nodiscard]] bool allowed(const scheduler::Plan& plan) const;  // uses no excluded variant
  void profiles_changed(TaskIndex task);
  void renew(TaskIndex task);
  void note_removed(const std::vector<TaskIndex>& removed);
  [[nodiscard]] bool up_to_date(const EngineSlot& slot) const {
    return slot.profiles == wanted_.tasks[slot.task].profiles;
  }

  // --- carrying a plan out (controller_transition.cpp)
  void adopt(std::shared_ptr<const scheduler::Plan> plan, bool limited);
  void aim(TaskIndex task, std::optional<std::size_t> variant, Fps granted);
  void load_next();
  [[nodiscard]] const profiles::Variant& target(TaskIndex task) const {
    return wanted_.tasks[task].profiles->variants[*runs_[task].target];
  }
  [[nodiscard]] std::vector<TaskIndex> waiting_for_load() const;  // most urgent first
  [[nodiscard]] bool more_urgent(TaskIndex a, TaskIndex b) const;
  [[nodiscard]] std::vector<SwitchStep> steps_of(const std::vector<TaskIndex>& waiting);
  void start_load(TaskIndex task, std::size_t variant);
  [[nodiscard]] bool start_bridge(TaskIndex task);  // false: there is none
  void swap_in(EngineSlot& slot);
  void take_out(TaskIndex task);  // the task's engine stops serving without a replacement
  void call_off(TaskIndex task);  // the switch under way
  void unload(EngineSlot& slot);
  void set_rates();
  [[nodiscard]] bool all_at_granted_rate() const;  // nothing is gained by a faster load
  void note_urgency();                             // after every event
  void end_transition_if_done();

  // --- engines that fail (controller_faults.cpp)
  void give_up(const EngineSlot& failed, const std::string& why);  // an engine that was to serve
  void exclude(const EngineSlot& failed, const std::string& why);
  void exclude(TaskIndex task, std::size_t variant, const std::string& why);
  // A variant that fails would fail on the other processors of its kind as well, unless it serves there; one
  // that shares a stage with it need not.
  enum class Exclude { variant, kind };
  // These two without a new plan.
  void note_failure(const EngineSlot& failed, const std::string& why, Exclude what);
  void note_exclusion(TaskIndex task, std::size_t variant, const std::string& why, Exclude what);
  void distrust_others(const EngineSlot& failed);
  void forget_standby(const EngineSlot& failed);
  bool take_out_of_service(EngineSlot& slot);  // true: its task has no engine until the next plan
  void abandon_hung_load();

  // --- pauses between loads on a device (controller_pauses.cpp)
  void note_pauses();
  void load_has_ended(const EngineSlot& slot);
  // How long the load has to wait. The next tick is when one that has to need not any more.
  [[nodiscard]] Duration pause_left(TaskIndex task, std::size_t variant);
  [[nodiscard]] bool serves_on(std::size_t device) const;

  // --- spare engines (controller_spare.cpp)
  void note_spares(const std::vector<TaskIndex>& spares);
  void unload_refused_spares();
  void load_spare();
  [[nodiscard]] std::optional<std::size_t> leanest(const scheduler::Snapshot& snapshot, TaskIndex task) const;
  void start_spare(TaskIndex task, std::size_t variant);
  void spare_is_ready(EngineSlot& slot);
  [[nodiscard]] bool keeps_spare(const EngineSlot& slot) const;
  // It serves until the target does. False: it takes more than the plan counts with, or is not allowed now.
  [[nodiscard]] bool bridge_with_spare(EngineSlot& slot);

  // --- memory (controller_memory.cpp)
  void park_or_unload(EngineSlot& slot);
  void keep_within_cache();
  void evict_parked_above_limit();
  [[nodiscard]] MemoryAmounts loading(TaskIndex task, std::size_t variant) const;
  [[nodiscard]] MemoryAmounts serving_memory(TaskIndex task, std::size_t variant) const;
  void watch_limit();  // after every event
  void unload_what_exceeds_the_limit();

  void report(EventKind event, std::optional<TaskIndex> task, std::string detail);
  [[nodiscard]] static const std::string& variant_name(const EngineSlot& slot) {
    return slot.profile().id.str();
  }

  const ControllerOptions options_;
  // The newest, without its running parts, but with what was measured of the processors.
  scheduler::Snapshot wanted_;
  std::uint64_t generation_ = 0;
  std::uint64_t profiles_generation_ = 0;  // plans of older ones use other variant indices
  SolveGate gate_;
  bool reported_solving_ = false;
  Exclusions exclusions_;
  EngineRack rack_;
  std::vector<std::optional<std::size_t>> places_;  // per processor: of its memory
  struct Pause {                                    // of a device
    Duration least{0};
    TimePoint until{};
  };
  std::vector<Pause> pauses_;              // by place of the device's memory
  std::optional<TimePoint> paused_until_;  // a load waits for it
  std::vector<double> capacities_;         // per processor, as configured
  std::vector<double> decoding_;           // per processor: what it takes of its CPUs
  std::vector<TaskRun> runs_;
  SwitchLog log_;
  std::shared_ptr<const scheduler::Plan> plan_;
  bool limited_ = true;    // the plan was made within the memory limit, so the limit is enforced
  bool fallback_ = false;  // what runs replaces a plan that was infeasible
  bool in_transition_ = false;
  bool reported_urgent_ = true;  // as a loader begins: before the first plan everything waits for loads
  // Since when the memory in use has exceeded the limit, and the measures taken.
  static constexpr Duration kUnloadAfter = std::chrono::milliseconds(1000);
  static constexpr Duration kReportAfter = std::chrono::milliseconds(1900);
  enum class Excess { seen, unloaded, reported };
  std::optional<TimePoint> above_since_;
  Excess excess_ = Excess::seen;

  TimePoint now_{};          // of the event being handled
  std::vector<Action> out_;  // its actions
};

}  // namespace saccade::runtime
