// What both shells do alike: it feeds the controller, passes its actions on to the shell's hands,
// keeps the place in the timeline, tells events with the time since the start, and keeps what the
// summary needs to know besides the frame desk's books.
//
// Call order: begin() with the first state; on() for whatever happens; once ready(), start(), which is
// time 0 of the run, of its ticks and of its timeline.
// Threads: none of its own; used by the shell's main loop.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/controller.hpp"
#include "runtime/frame_desk.hpp"
#include "runtime/latency_histogram.hpp"
#include "runtime/run_config.hpp"
#include "runtime/run_hooks.hpp"
#include "runtime/run_summary.hpp"
#include "runtime/task_roster.hpp"

namespace saccade::runtime {

// What only a shell can do. Outcomes come back as events, never during the call.
class Hands {
 public:
  virtual ~Hands() = default;
  virtual void solve(const action::Solve& solve, TimePoint now) = 0;
  virtual void load(const action::Load& load, TimePoint now) = 0;
  virtual void warm(const action::Warm& warm, TimePoint now) = 0;
  virtual void unload(EngineKey engine, TimePoint now) = 0;
  // `engine` is what is swapped in, without the engine itself.
  virtual void swap(const action::Swap& swap, std::optional<ServingEngine> engine, TimePoint now) = 0;
  virtual void set_rate(const action::SetRate& rate, TimePoint now) = 0;
  virtual void set_demand(TaskIndex task, Fps demand, TimePoint now) = 0;
  virtual void set_granted(TaskIndex task, Fps granted, TimePoint now) = 0;
  virtual void set_solving(bool pending, TimePoint now) = 0;

  // The configuration changed. A task that is added may be one that was there before.
  virtual void add_task(TaskIndex task, TimePoint now) = 0;
  virtual void remove_task(TaskIndex task, TimePoint now) = 0;  // its demand is 0 by now
  virtual void change_source(TaskIndex task, TimePoint now) = 0;
  virtual void retime(const std::vector<Duration>& state_starts, TimePoint now) = 0;
};

class Conductor {
 public:
  Conductor(const RunConfig& config, RunHooks hooks, Hands& hands);  // hands outlive this

  void begin(TimePoint now);  // wants the timeline's first state
  // Time to start: the first engines serve or have failed, or it has taken twice the load time-out.
  [[nodiscard]] bool ready(TimePoint now) const { return controller_.settled() || now >= ready_by_; }
  [[nodiscard]] TimePoint ready_by() const { return ready_by_; }
  void on(const Event& event, TimePoint now);
  void want(const scheduler::Snapshot& wanted, TimePoint now);
  // Wants another configuration, and tells the generation it became. Its timeline counts from the start of
  // the run: the last state whose time has come holds. One that is not valid changes nothing; it is
  // refused with all that is wrong with it, and a `fault` is told.
  [[nodiscard]] Result<std::uint64_t> reconfigure(RunConfig config, TimePoint now);

  void start(TimePoint now);
  [[nodiscard]] const std::optional<TimePoint>& started() const { return start_; }
  [[nodiscard]] std::optional<TimePoint> next_state_at() const;  // of the timeline, after the start
  // The next state when its time has come; it is then taken.
  [[nodiscard]] const scheduler::Snapshot* take_state(TimePoint now);

  // `at`: when it happened. The times told never step back.
  void tell(TimePoint at, const action::Report& report);
  void tell_drop(const Drop& drop, TimePoint at);

  [[nodiscard]] const Controller& controller() const { return controller_; }
  [[nodiscard]] const std::shared_ptr<const scheduler::Snapshot>& wanted() const { return wanted_; }
  [[nodiscard]] const TaskRoster& roster() const { return roster_; }
  // The plan that runs with the tasks of wanted(), in their order: one that it does not know yet is off in
  // it. Null before the first.
  [[nodiscard]] const std::shared_ptr<const scheduler::Plan>& shown_plan() const { return shown_plan_; }
  // Engines that are being loaded or are there; those that failed or are gone are forgotten.
  [[nodiscard]] std::size_t engines() const { return loading_.size(); }
  [[nodiscard]] const RunHooks& hooks() const { return hooks_; }
  // What belongs to the run although its time is up: the controller hears it and does nothing more.
  void note(const Event& event, TimePoint now);

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
  };
  void note_plan(TimePoint now);
  void show_plan();
  void tell_engine(const char* event, EngineKey engine, TimePoint at);

  void carry_out(const action::Solve& solve, TimePoint now) { hands_.solve(solve, now); }
  void carry_out(const action::Load& load, TimePoint now);
  void carry_out(const action::Warm& warm, TimePoint now) { hands_.warm(warm, now); }
  void carry_out(const action::Swap& swap, TimePoint now);
  void carry_out(const action::Unload& unload, TimePoint now);
  void carry_out(const action::SetRate& rate, TimePoint now) { hands_.set_rate(rate, now); }
  void carry_out(const action::SetDemand& demand, TimePoint now) {
    hands_.set_demand(demand.task, demand.demand, now);
  }
  void carry_out(const action::SetSolving& solving, TimePoint now) {
    hands_.set_solving(solving.pending, now);
  }
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
  TimePoint ready_by_{};
  std::optional<TimePoint> start_;
  TimePoint told_{};  // time of the last event told
};

[[nodiscard]] FrameDesk::Setup desk_setup(const RunConfig& config);

}  // namespace saccade::runtime
