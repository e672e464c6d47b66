// The common part of both shells: feeds the controller, passes its actions on to the shell's hands and to the
// frame desk, keeps the position in the timeline, reports events with the time since the start, and records
// what the summary needs in addition to the frame desk's counters.
//
// Call order: begin() with the first state; on() for whatever happens; once ready(), start(), which is time 0
// of the run, of its ticks and of its timeline. Threads: none of its own; used by the shell's main loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/control/controller.hpp"
#include "runtime/frames/frame_desk.hpp"
#include "runtime/frames/latency_histogram.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/run/run_hooks.hpp"
#include "runtime/run/run_summary.hpp"
#include "runtime/run/task_roster.hpp"

namespace saccade::runtime {

// The operations that only a shell can perform. Outcomes are reported as events, never during the call. `now`
// is the conductor's.
class Hands {
 public:
  virtual ~Hands() = default;
  virtual void solve(const action::Solve& solve, TimePoint now) = 0;
  virtual void load(const action::Load& load, TimePoint now) = 0;
  virtual void warm(const action::Warm& warm, TimePoint now) = 0;
  virtual void unload(EngineKey engine, TimePoint now) = 0;
  virtual void set_urgency(bool urgent) = 0;  // of loads; at the start they are
  // `engine`: the one swapped in, its `engine` pointer to be filled in; absent: the task is switched off.
  virtual void swap(const action::Swap& swap, std::optional<ServingEngine> engine, TimePoint now) = 0;

  // Calls `use` once, before it returns, with exclusive access to the frame desk. `at` is the time to pass to
  // the desk: the real shell reads it under the desk's lock, so that the desk's time never steps back.
  using UseDesk = std::function<void(FrameDesk& desk, TimePoint at)>;
  virtual void with_desk(const UseDesk& use) = 0;

  // The configuration changed. First the sources that are no longer needed are closed, so that another task
  // may open the same device; then indices are reassigned; then a task's frames come from its source in the
  // roster, or from none. An added task may be one that was removed before.
  virtual void close_source(TaskIndex task, TimePoint now) = 0;
  virtual void renew_task(TaskIndex task, TimePoint now) = 0;  // add_task() follows
  virtual void add_task(TaskIndex task, TimePoint now) = 0;
  virtual void remove_task(TaskIndex task, TimePoint now) = 0;  // its demand is 0 already
  virtual void change_source(TaskIndex task, TimePoint now) = 0;
  // Whether no frame of a removed task can come any more.
  [[nodiscard]] virtual bool source_ended(TaskIndex task) const = 0;
};

class Conductor {
 public:
  Conductor(const RunConfig& config, RunHooks hooks, Hands& hands);  // `hands` must outlive this

  void begin(TimePoint now);  // requests the timeline's first state
  // Time to start: the first engines serve or have failed, or twice the load time-out has passed.
  [[nodiscard]] bool ready(TimePoint now) const { return controller_.settled() || now >= ready_by_; }
  [[nodiscard]] TimePoint ready_by() const { return ready_by_; }
  void on(const Event& event, TimePoint now);
  void want(const scheduler::Snapshot& wanted, TimePoint now);
  // Adopts another configuration and returns its generation. Its timeline counts from the start of the run:
  // the last state whose time has come applies. Errors: a configuration that cannot be adopted changes
  // nothing; all reasons are returned, and a `fault` is reported.
  [[nodiscard]] Result<std::uint64_t> reconfigure(RunConfig config, TimePoint now);

  void start(TimePoint now);
  [[nodiscard]] const std::optional<TimePoint>& started() const { return start_; }
  [[nodiscard]] std::optional<TimePoint> next_state_at() const;  // of the timeline, after the start
  // The next state, consumed, if its time has come; otherwise null.
  [[nodiscard]] const scheduler::Snapshot* take_state(TimePoint now);

  // Report an event; `at`: when it happened. Reported times never step back.
  void tell(TimePoint at, const action::Report& report);
  void tell_drop(const Drop& drop, TimePoint at);

  [[nodiscard]] const Controller& controller() const { return controller_; }
  [[nodiscard]] const std::shared_ptr<const scheduler::Snapshot>& wanted() const { return wanted_; }
  // Of processors that are emulated to be slower, as they are now (TimelineState::slowdowns).
  [[nodiscard]] const std::vector<double>& slowdowns() const { return slowdowns_; }
  [[nodiscard]] const TaskRoster& roster() const { return roster_; }
  // The running plan, with the tasks of wanted() in their order; a task the plan does not know yet is off.
  // Null before the first plan.
  [[nodiscard]] const std::shared_ptr<const scheduler::Plan>& shown_plan() const { return shown_plan_; }
  // Engines that exist or are being loaded.
  [[nodiscard]] std::size_t engines() const { return loading_.size(); }
  [[nodiscard]] const RunHooks& hooks() const { return hooks_; }
  // An event that still belongs to the run after its end: passed to the controller, without carrying out
  // actions.
  void note(const Event& event, TimePoint now);

  // From the profiles, of tasks whose counters were discarded; absent: unknown.
  [[nodiscard]] const std::optional<Joules>& forgotten_energy() const { return forgotten_energy_; }

  // Everything but the sources' labels.
  [[nodiscard]] std::vector<RunTask> run_tasks() const;
  void complete(RunSummary& summary, const std::vector<Duration>& busy,
                const std::vector<double>& corrections) const;

 private:
  struct Loading {  // what is needed again when the engine is swapped in
    TaskIndex task = 0;
    std::size_t variant = 0;
    VariantId id;
    Duration profiled{0};
    std::shared_ptr<const EngineStages> stages;  // null: the network is whole
  };
  void want(const scheduler::Snapshot& wanted, const std::vector<TaskIndex>& renewed, TimePoint now);
  void slow_down(const TimelineState& state, TimePoint now);
  [[nodiscard]] std::vector<TaskIndex> settled_tasks();
  void forget_books(TaskIndex task, const RunTask& of);
  void note_plan();
  [[nodiscard]] bool plans_for(const scheduler::Plan& plan, TaskIndex task) const;
  void show_plan();
  [[nodiscard]] std::shared_ptr<const EngineStages> stages_of(const profiles::Variant& variant) const;
  void tell_engine(EventKind event, EngineKey engine, TimePoint at);

  void carry_out(const action::Solve& solve, TimePoint now) { hands_.solve(solve, now); }
  void carry_out(const action::Load& load, TimePoint now);
  void carry_out(const action::Warm& warm, TimePoint now) { hands_.warm(warm, now); }
  void carry_out(const action::Swap& swap, TimePoint now);
  void carry_out(const action::Unload& unload, TimePoint now);
  void carry_out(const action::SetRate& rate, TimePoint now);
  void carry_out(const action::SetDemand& demand, TimePoint now);
  void carry_out(const action::SetSolving& solving, TimePoint now);
  void carry_out(const action::SetUrgency& urgency, TimePoint) { hands_.set_urgency(urgency.urgent); }
  void carry_out(const action::Report& report, TimePoint at) { tell(at, report); }

  RunConfig config_;  // the newest
  TaskRoster roster_;
  const RunHooks hooks_;
  Hands& hands_;
  Controller controller_;
  std::map<EngineKey, Loading> loading_;
  std::shared_ptr<const scheduler::Plan> noted_plan_;
  std::shared_ptr<const scheduler::Plan> shown_plan_;
  LatencyHistogram solve_times_;
  std::size_t next_state_ = 1;  // of the timeline
  std::shared_ptr<const scheduler::Snapshot> wanted_;
  std::vector<double> slowdowns_;
  TimePoint ready_by_{};
  std::optional<TimePoint> start_;
  std::optional<Joules> forgotten_energy_ = Joules(0.0);
  TimePoint told_{};  // time of the last event reported
};

[[nodiscard]] FrameDesk::Setup desk_setup(const RunConfig& config);

}  // namespace saccade::runtime
