// The inside of the controller (private to runtime/controller*.cpp). One file holds the events, one
// what a plan turns into (engines on their way, swaps, rates), one what memory asks for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/controller.hpp"
#include "runtime/engine_rack.hpp"
#include "runtime/exclusions.hpp"
#include "runtime/solve_gate.hpp"
#include "runtime/task_run.hpp"

namespace saccade::runtime {

// Memory that is above the limit for this long: engines are let go although none is there to replace
// them; and what is then still too much is told.
inline constexpr Duration kLetGoAfter = std::chrono::milliseconds(1000);
inline constexpr Duration kTellAfter = std::chrono::milliseconds(1900);

class Controller::Impl {
 public:
  explicit Impl(const ControllerOptions& options);

  std::vector<Action> on(const Event& event, TimePoint now);
  [[nodiscard]] std::optional<TimePoint> next_tick();

  // --- events (controller.cpp)
  void handle(const event::Change& change);
  void handle(const event::PlanReady& ready);
  void handle(const event::LoadFinished& finished);
  void handle(const event::WarmFinished& finished);
  void handle(const event::Swapped& swapped);
  void handle(const event::Drained& drained);
  void handle(const event::Unloaded& unloaded);
  void handle(const event::InferenceEnded& ended);
  void handle(const event::Drift& drift);
  void handle(const event::FramesLost& lost);
  void handle(const event::SourceLost& lost);
  void handle(const event::SourceBack& back);
  void handle(const event::Tick& tick);

  // --- wishes (controller.cpp)
  void replan();  // the newest snapshot changed
  void solve_if_due();
  [[nodiscard]] scheduler::Snapshot snapshot() const;
  [[nodiscard]] bool allowed(const scheduler::Plan& plan) const;  // names nothing excluded
  void profiles_changed(TaskIndex task);
  void note_removed(const std::vector<TaskIndex>& removed);
  [[nodiscard]] bool up_to_date(const EngineSlot& slot) const {
    return slot.profiles == wanted_.tasks[slot.task].profiles;
  }

  // --- carrying a plan out (controller_transition.cpp)
  void adopt(std::shared_ptr<const scheduler::Plan> plan, bool limited);
  void aim(TaskIndex task, std::optional<std::size_t> variant, Fps granted);
  void load_next();
  void start_load(TaskIndex task);
  void swap_in(EngineSlot& slot);
  void take_out(TaskIndex task);  // the task's engine leaves without another coming in
  void note_switch(TaskIndex task, const EngineSlot& slot);
  void call_off(TaskIndex task);  // the switch that is going on; what it has cost is kept
  void unload(EngineSlot& slot);
  void give_up(const EngineSlot& failed, const std::string& why);  // it was to serve and does not come up
  void exclude(const EngineSlot& failed, const std::string& why);  // something went wrong with it
  void exclude(TaskIndex task, std::size_t variant, const std::string& why);
  void abandon_hung_load();
  template <class Change>
  void count(const Change& change);  // makes the next totals
  void keep(TaskRun& run, const SwitchRecord& record);
  SwitchRecord* kept(std::size_t number);  // null: it is forgotten
  void set_rates();
  [[nodiscard]] bool nobody_waits() const;  // for an engine: every task runs at the plan's rate
  void end_transition_if_done();

  // --- memory (controller_memory.cpp)
  void park_or_unload(EngineSlot& slot);
  void keep_within_cache();
  void evict_parked_above_limit();
  void watch_limit();  // after every event
  void let_go_of_what_is_too_much();

  void report(std::string event, std::optional<TaskIndex> task, std::string detail);
  [[nodiscard]] const std::string& variant_name(const EngineSlot& slot) const {
    return slot.profile().id.str();
  }

  ControllerOptions options_;
  scheduler::Snapshot wanted_;  // the newest, without its running parts
  std::uint64_t generation_ = 0;
  std::uint64_t profiles_generation_ = 0;  // plans of older ones mean other variants
  std::vector<double> corrections_;        // by processor
  SolveGate gate_;
  bool told_solving_ = false;
  Exclusions exclusions_;
  EngineRack rack_;
  std::vector<TaskRun> runs_;
  std::shared_ptr<const scheduler::Plan> plan_;
  bool limited_ = true;    // the plan obeys the memory limit, so the limit is enforced
  bool fallback_ = false;  // what runs stands in for a plan that was infeasible
  bool in_transition_ = false;
  std::vector<SwitchRecord> switches_;
  std::size_t forgotten_ = 0;  // that were before those; a switch's number counts from the first of all
  std::shared_ptr<const SwitchTotals> totals_ = std::make_shared<SwitchTotals>();
  // Memory has been above the limit since then; what was done about it.
  enum class Excess { seen, let_go, told };
  std::optional<TimePoint> above_since_;
  Excess excess_ = Excess::seen;

  TimePoint now_{};          // of the event being handled
  std::vector<Action> out_;  // its actions
};

template <class Change>
void Controller::Impl::count(const Change& change) {
  auto next = std::make_shared<SwitchTotals>(*totals_);
  change(*next);
  totals_ = std::move(next);
}

}  // namespace saccade::runtime
