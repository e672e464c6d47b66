// The inside of the simulated shell (private to runtime/simulated_shell*.cpp). One file holds the course
// of a run, one what happens in it, one what goes wrong, one what the conductor and the frame desk ask for.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "runtime/conductor.hpp"
#include "runtime/frame_desk.hpp"
#include "runtime/ring.hpp"
#include "runtime/simulated_shell.hpp"
#include "runtime/simulation/dice.hpp"
#include "runtime/simulation/engine_model.hpp"
#include "runtime/simulation/event_hash.hpp"
#include "runtime/simulation/event_queue.hpp"
#include "runtime/simulation/loader_model.hpp"
#include "runtime/thread_cpu_clock.hpp"

namespace saccade::runtime {

class SimulatedShell::Impl final : private Hands, private FrameListener {
 public:
  Impl(RunConfig config, const scheduler::Policy& policy, SimulationOptions options, RunHooks hooks);

  SimulationResult run();

 private:
  struct Running {
    Start start;
    TimePoint since{};
  };
  struct Processor {
    std::optional<Running> running;
    std::optional<TimePoint> wakes;  // when its capacity is no longer spent
  };

  // --- the course of a run
  void load_first_engines();
  void play();
  void finish();
  SimulationResult result();

  // --- what happens
  void step();
  void tick(TaskIndex task);
  void frames_pushed(TaskIndex task);
  void frame_ends(ProcessorIndex index);
  void hear_news();
  void plan_ready();
  void job_ends(std::size_t loader);
  void look_around();
  void weather();
  void change_at_the_end();
  void reshape();
  void measured_again(std::size_t place);
  void want(const scheduler::Snapshot& wanted);
  void ask(const Event& event);        // the controller
  void schedule_tick(TaskIndex task);  // or when its clients send next
  void schedule_controller();
  void schedule_weather();
  void start_frame(ProcessorIndex index);
  void start_jobs();
  [[nodiscard]] const scheduler::Snapshot& state();  // of the timeline, that holds now

  // --- Hands
  void solve(const action::Solve& solve, TimePoint now) override;
  void load(const action::Load& load, TimePoint now) override;
  void warm(const action::Warm& warm, TimePoint now) override;
  void unload(EngineKey engine, TimePoint now) override;
  void swap(const action::Swap& swap, std::optional<ServingEngine> engine, TimePoint now) override;
  void set_rate(const action::SetRate& rate, TimePoint now) override;
  void set_demand(TaskIndex task, Fps demand, TimePoint now) override;
  void set_granted(TaskIndex task, Fps granted, TimePoint now) override;
  void set_solving(bool pending, TimePoint now) override;

  void add_task(TaskIndex task, TimePoint now) override;
  void remove_task(TaskIndex task, TimePoint now) override;
  void change_source(TaskIndex task, TimePoint now) override;
  void retime(const std::vector<Duration>& state_starts, TimePoint now) override;

  // --- FrameListener
  void tell(Event event) override;
  RunHooks watched_hooks();  // the invariants hear what is told
  void dropped(const Drop& drop, TimePoint at) override;

  RunConfig config_;  // with the tasks that the faults have taken away
  const scheduler::Policy& policy_;
  const SimulationOptions options_;

  TimePoint now_{};
  EventQueue queue_;
  EventHash hash_;
  std::int64_t events_ = 0;
  Dice dice_;
  Dice clients_;  // apart, so that tasks whose frames are pushed do not move the other ones' latencies
  const Latency solve_latency_{std::chrono::milliseconds(1), std::chrono::milliseconds(3)};
  const Latency unload_latency_{std::chrono::milliseconds(1), std::chrono::milliseconds(2)};

  const RunHooks hooks_;
  Conductor conductor_;
  FrameDesk desk_;
  std::vector<Processor> processors_;
  std::vector<std::uint64_t> tick_versions_;  // per task; entries of older ones are void
  FrameNumber last_frame_ = 0;
  std::map<EngineKey, EngineModel> engines_;
  LoaderModel loader_;
  Ring<Event> news_;  // that the controller is to hear, oldest first
  std::optional<scheduler::Snapshot> solving_;
  Duration solve_time_{0};
  bool solve_fails_ = false;
  std::optional<TimePoint> controller_tick_;
  std::uint64_t controller_version_ = 0;
  bool stopping_ = false;
  TimePoint start_{};
  TimePoint end_{};

  FaultDriver faults_;
  Invariants invariants_;
  bool asked_ = false;                // the controller, since the last event
  std::size_t state_ = 0;             // place in the timeline
  std::vector<std::size_t> removed_;  // tasks that are taken away, by place in the configuration
  std::vector<std::size_t> places_;   // of every task that there has been
  std::uint64_t weather_version_ = 0;
  std::vector<char> camera_well_;                                   // per task, as last told
  std::array<std::uint64_t, LoaderModel::kThreads> job_numbers_{};  // entries of others are void
  std::uint64_t last_job_ = 0;
  std::map<EngineKey, Errors> outcomes_;  // of loads and warm-ups that fail

  const ThreadCpuClock clock_;  // measures, decides nothing
  const TimePoint begun_ = clock_.now();
  Duration solver_cpu_{0};
};

}  // namespace saccade::runtime
