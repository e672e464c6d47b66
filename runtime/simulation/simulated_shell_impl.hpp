// The inside of the simulated shell, private to runtime/simulation/simulated_shell*.cpp: the course of a
// run (simulated_shell.cpp), its events (_events), its faults and changes (_faults), and what the conductor
// and the frame desk call (_hands).
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/frames/frame_desk.hpp"
#include "runtime/frames/ring.hpp"
#include "runtime/machine/thread_cpu_clock.hpp"
#include "runtime/run/arrivals.hpp"
#include "runtime/run/conductor.hpp"
#include "runtime/run/frame_events.hpp"
#include "runtime/simulation/dice.hpp"
#include "runtime/simulation/engine_model.hpp"
#include "runtime/simulation/event_hash.hpp"
#include "runtime/simulation/event_queue.hpp"
#include "runtime/simulation/loader_model.hpp"
#include "runtime/simulation/simulated_shell.hpp"

namespace saccade::runtime {

class SimulatedShell::Impl final : private Hands, private FrameEvents {
 public:
  Impl(RunConfig config, const scheduler::Policy& policy, SimulationOptions options, RunHooks hooks);

  SimulationResult run();
  void begin_at_once();
  void run_until(Duration at);
  Result<std::uint64_t> reconfigure(RunConfig config);
  SimulationResult finish();
  [[nodiscard]] const Controller& controller() const { return conductor_.controller(); }
  [[nodiscard]] const FrameDesk& desk() const { return desk_; }
  [[nodiscard]] const std::optional<Breach>& breach() const { return invariants_.breach(); }

 private:
  struct Running {
    Start start;
    TimePoint since{};
  };
  struct Processor {
    std::optional<Running> running;
    std::optional<TimePoint> wakes;  // when it has capacity again
  };

  // --- the course of a run
  void begin();
  void load_first_engines();
  void start();  // of the run: time 0
  void play();   // until its end
  void wind_up();
  SimulationResult result();

  // --- what happens
  void step();
  void happen(const QueueEntry& entry);
  void tick(TaskIndex task);
  // Whether the task's source has a frame for a tick that is due then.
  [[nodiscard]] bool arrived(TaskIndex task, TimePoint due);
  void frames_pushed(TaskIndex task);
  void frame_ends(ProcessorIndex index);
  void hear_news();
  void plan_ready();
  void job_ends(std::size_t loader);
  void look_around();
  void look_at_decoding();
  [[nodiscard]] std::int64_t slower_by_others(ProcessorIndex index) const;  // percent
  [[nodiscard]] Duration slowed_down(Duration time, ProcessorIndex index) const;
  void weather();
  void change_at_the_end();
  void reshape();
  void measured_again(std::size_t place);
  void want(const scheduler::Snapshot& wanted);
  void note_priorities();
  void ask(const Event& event);        // the controller
  void schedule_tick(TaskIndex task);  // or when its clients send next
  void schedule_controller();
  void schedule_weather();
  void start_frame(ProcessorIndex index);
  void start_frames();  // on every processor
  void start_from_gate(TaskIndex task);
  void start_jobs();
  [[nodiscard]] const scheduler::Snapshot& state();  // of the timeline, that holds now

  // --- Hands
  void solve(const action::Solve& solve, TimePoint now) override;
  void load(const action::Load& load, TimePoint now) override;
  void warm(const action::Warm& warm, TimePoint now) override;
  void unload(EngineKey engine, TimePoint now) override;
  void set_urgency(bool /*urgent*/) override {}  // a simulated load takes as long either way
  void swap(const action::Swap& swap, std::optional<ServingEngine> engine, TimePoint now) override;
  void with_desk(const UseDesk& use) override { use(desk_, now_); }
  void close_source(TaskIndex /*task*/, TimePoint /*now*/) override {}
  void renew_task(TaskIndex task, TimePoint now) override;
  void add_task(TaskIndex task, TimePoint now) override;
  void remove_task(TaskIndex task, TimePoint now) override;
  void change_source(TaskIndex task, TimePoint now) override;
  [[nodiscard]] bool source_ended(TaskIndex /*task*/) const override { return true; }
  [[nodiscard]] std::size_t place_of(TaskIndex task) const;

  // --- FrameEvents
  void post(Event event) override;
  void dropped(const Drop& drop, TimePoint at) override;
  void ticks_changed(TaskIndex task) override { schedule_tick(task); }

  // --- what the hash and the invariants see of the controller
  RunHooks watched_hooks();
  void watch(const action::Solve& solve, TimePoint now);
  void watch(const action::Load& load, TimePoint now);
  void watch(const action::Warm& warm, TimePoint now);
  void watch(const action::Unload& unload, TimePoint now);
  void watch(const action::Swap& swap, TimePoint now);
  void watch(const action::SetRate& rate, TimePoint now);
  void watch(const action::SetDemand& demand, TimePoint now);
  void watch(const action::SetSolving& solving, TimePoint now);
  void watch(const action::SetUrgency& urgency, TimePoint now);
  void watch(const action::Report& /*report*/, TimePoint /*now*/) {}  // an event of its own
  void watch_plan();

  RunConfig config_;                            // including the tasks that faults have removed
  const std::vector<double> profiled_through_;  // the emulated slowdowns that are in the profiles
  const scheduler::Policy& policy_;
  const SimulationOptions options_;

  TimePoint now_{};
  EventQueue queue_;
  EventHash hash_;
  std::int64_t events_ = 0;
  Dice dice_;
  Dice clients_;  // separate, so that pushed frames do not shift the latencies of other tasks
  const Latency solve_latency_{std::chrono::milliseconds(1), std::chrono::milliseconds(3)};
  const Latency unload_latency_{std::chrono::milliseconds(1), std::chrono::milliseconds(2)};

  const RunHooks hooks_;
  Conductor conductor_;
  FrameDesk desk_;
  DecodingLoad decoding_;
  std::vector<Processor> processors_;
  std::vector<std::uint64_t> tick_versions_;  // per task; entries of older ones are void
  std::map<TaskIndex, std::pair<ReplaySource, Arrivals>> replays_;  // of tasks with recorded arrivals
  FrameNumber last_frame_ = 0;
  std::map<EngineKey, EngineModel> engines_;
  LoaderModel loader_;
  Ring<Event> news_;  // not yet passed to the controller, oldest first
  std::optional<scheduler::Snapshot> solving_;
  Duration solve_time_{0};
  bool solve_fails_ = false;
  std::optional<TimePoint> controller_tick_;
  std::shared_ptr<const scheduler::Plan> watched_plan_;
  std::uint64_t controller_version_ = 0;
  bool stopping_ = false;
  TimePoint start_{};
  TimePoint end_{};

  FaultDriver driver_;
  FaultSource& faults_;  // the driver, or a test's script
  Invariants invariants_;
  bool asked_ = false;                // the controller was called since the last event
  std::size_t state_ = 0;             // position in the timeline
  std::vector<std::size_t> removed_;  // tasks, by place in the configuration
  std::vector<std::size_t> places_;   // in the configuration, of every task there has been
  std::uint64_t weather_version_ = 0;
  std::vector<char> camera_well_;                                   // per task, as last reported
  std::array<std::uint64_t, LoaderModel::kThreads> job_numbers_{};  // entries of others are void
  std::uint64_t last_job_ = 0;
  std::map<EngineKey, Errors> outcomes_;  // of loads and warm-ups that fail

  const ThreadCpuClock clock_;  // measures, decides nothing
  const TimePoint begun_ = clock_.now();
  Duration solver_cpu_{0};
};

}  // namespace saccade::runtime
