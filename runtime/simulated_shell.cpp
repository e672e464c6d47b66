#include "runtime/simulated_shell.hpp"

#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "runtime/conductor.hpp"
#include "runtime/frame_desk.hpp"
#include "runtime/ring.hpp"
#include "runtime/simulation/dice.hpp"
#include "runtime/simulation/engine_model.hpp"
#include "runtime/simulation/event_hash.hpp"
#include "runtime/simulation/event_queue.hpp"
#include "runtime/simulation/loader_model.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kPatience = std::chrono::seconds(2);           // for waiting frames at the end
constexpr Duration kLookAround = std::chrono::milliseconds(100);  // drift is looked at this often
constexpr Duration kSwap{400};
constexpr std::int64_t kMaxNodes = 1'000'000;  // far more than a plan of a few dozen tasks needs

std::uint64_t number(Duration duration) { return static_cast<std::uint64_t>(duration.count()); }
std::uint64_t number(TimePoint time) { return number(time.time_since_epoch()); }
// Rates enter as whole micro-frames per second.
std::uint64_t number(Fps rate) { return static_cast<std::uint64_t>(std::llround(rate.value() * 1e6)); }

}  // namespace

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
  void frame_ends(ProcessorIndex index);
  void hear_news();
  void plan_ready();
  void job_ends(std::size_t loader);
  void look_around();
  void ask(const Event& event);  // the controller
  void schedule_tick(TaskIndex task);
  void schedule_controller();
  void start_frame(ProcessorIndex index);
  void start_job();

  // --- Hands
  void solve(const action::Solve& solve, TimePoint now) override;
  void load(const action::Load& load, TimePoint now) override;
  void warm(EngineKey engine, TimePoint now) override;
  void unload(EngineKey engine, TimePoint now) override;
  void swap(const action::Swap& swap, std::optional<ServingEngine> engine, TimePoint now) override;
  void set_rate(const action::SetRate& rate, TimePoint now) override;
  void set_demand(TaskIndex task, Fps demand, TimePoint now) override;
  void set_granted(TaskIndex task, Fps granted, TimePoint now) override;
  void set_solving(bool pending, TimePoint now) override;

  // --- FrameListener
  void tell(Event event) override;
  void dropped(const Drop& drop, TimePoint at) override;

  const RunConfig config_;
  const scheduler::Policy& policy_;
  const SimulationOptions options_;

  TimePoint now_{};
  EventQueue queue_;
  EventHash hash_;
  std::int64_t events_ = 0;
  Dice dice_;
  const Latency solve_latency_{std::chrono::milliseconds(1), std::chrono::milliseconds(3)};
  const Latency unload_latency_{std::chrono::milliseconds(1), std::chrono::milliseconds(2)};

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
  std::optional<TimePoint> controller_tick_;
  std::uint64_t controller_version_ = 0;
  bool stopping_ = false;
  TimePoint end_{};

  const SteadyClock clock_;  // measures, decides nothing
  Duration solver_wall_{0};
};

SimulatedShell::Impl::Impl(RunConfig config, const scheduler::Policy& policy, SimulationOptions options,
                           RunHooks hooks)
    : config_(std::move(config)),
      policy_(policy),
      options_(options),
      dice_(options.seed),
      conductor_(config_, std::move(hooks), *this),
      desk_(desk_setup(config_), *this),
      processors_(config_.processors.size()),
      tick_versions_(config_.tasks.size()) {}

// --- The course of a run --------------------------------------------------------------------------

SimulationResult SimulatedShell::Impl::run() {
  load_first_engines();
  play();
  finish();
  return result();
}

void SimulatedShell::Impl::load_first_engines() {
  conductor_.begin(now_);
  schedule_controller();
  while (!conductor_.controller().settled()) step();
}

void SimulatedShell::Impl::play() {
  end_ = now_ + options_.duration;
  conductor_.start(now_);
  desk_.start(now_);
  for (TaskIndex task = 0; task < tick_versions_.size(); ++task) schedule_tick(task);
  if (const auto at = conductor_.next_state_at()) queue_.push(*at, Happening::state);
  queue_.push(now_, Happening::look_around);
  while (queue_.next_at() < end_) step();
}

void SimulatedShell::Impl::finish() {
  stopping_ = true;
  const TimePoint last = end_ + kPatience;
  while (!desk_.dispatcher().idle() && !queue_.empty() && queue_.next_at() <= last) step();
  now_ = std::max(now_, end_);
  desk_.drop_waiting(DropReason::shutdown, now_);
  while (!desk_.dispatcher().idle()) step();
  // What was still to be told belongs to the run.
  while (!news_.empty()) hear_news();
}

SimulationResult SimulatedShell::Impl::result() {
  SimulationResult result;
  result.summary = desk_.summarise(conductor_.run_tasks(), conductor_.controller().switches(), end_);
  std::vector<Duration> busy;
  std::vector<double> corrections;
  for (ProcessorIndex p = 0; p < processors_.size(); ++p) {
    busy.push_back(desk_.dispatcher().busy(p));
    corrections.push_back(desk_.drift().correction(p));
  }
  conductor_.complete(result.summary, busy, corrections);
  result.hash = hash_.value();
  result.events = events_;
  result.wall = since_start(clock_.now());
  result.solver_wall = to_seconds(solver_wall_);
  return result;
}

// --- What happens ---------------------------------------------------------------------------------

void SimulatedShell::Impl::step() {
  SACCADE_CHECK(!queue_.empty());
  const QueueEntry entry = queue_.pop();
  now_ = entry.at;
  ++events_;
  hash_.mix(number(now_), static_cast<std::uint64_t>(entry.what) << 32U | entry.index, entry.key);
  switch (entry.what) {
    case Happening::tick:
      if (!stopping_ && entry.key == tick_versions_[entry.index]) tick(entry.index);
      break;
    case Happening::frame_ends:
      frame_ends(entry.index);
      break;
    case Happening::processor_free:
      processors_[entry.index].wakes.reset();
      start_frame(entry.index);
      break;
    case Happening::news:
      hear_news();
      break;
    case Happening::plan_ready:
      if (!stopping_) plan_ready();
      break;
    case Happening::job_ends:
      if (!stopping_) job_ends(entry.index);
      break;
    case Happening::load_overdue:
      loader_.leave_behind(entry.key);
      start_job();
      break;
    case Happening::controller_tick:
      if (!stopping_ && entry.key == controller_version_) {
        controller_tick_.reset();
        ask(event::Tick{});
      }
      break;
    case Happening::look_around:
      if (!stopping_) look_around();
      break;
    case Happening::state:
      while (const scheduler::Snapshot* state = stopping_ ? nullptr : conductor_.take_state(now_)) {
        conductor_.want(*state, now_);
      }
      schedule_controller();
      if (const auto at = conductor_.next_state_at()) queue_.push(*at, Happening::state);
      break;
  }
}

void SimulatedShell::Impl::tick(TaskIndex task) {
  desk_.collect_ticks(task, now_);
  while (const auto due = desk_.take_tick(task)) {
    desk_.offer(task, ++last_frame_, *due, desk_.period(task), now_);
  }
  if (const auto processor = desk_.view(task).processor) start_frame(*processor);
  schedule_tick(task);
}

void SimulatedShell::Impl::frame_ends(ProcessorIndex index) {
  const Running running = *processors_[index].running;
  processors_[index].running.reset();
  desk_.finished(index, running.start, now_, now_ - running.since, Done{}, {});
  start_frame(index);
}

void SimulatedShell::Impl::hear_news() {
  const Event event = news_.pop_front();
  if (!stopping_) return ask(event);
  if (std::holds_alternative<event::FramesLost>(event) || std::holds_alternative<event::Swapped>(event)) {
    conductor_.note(event, now_);
  }
}

void SimulatedShell::Impl::plan_ready() {
  const scheduler::Snapshot snapshot = std::move(*solving_);
  solving_.reset();
  const TimePoint before = clock_.now();
  scheduler::Plan plan = policy_.decide(snapshot, {.stop = {}, .max_nodes = kMaxNodes});
  solver_wall_ += clock_.now() - before;
  ask(event::PlanReady{std::move(plan), solve_time_});
}

void SimulatedShell::Impl::job_ends(std::size_t loader) {
  const LoaderModel::Job job = loader_.end(loader);
  const EngineKey key = job.engine;
  switch (job.kind) {
    case LoaderModel::Kind::load:
      ask(event::LoadFinished{key, {}, now_ - engines_.at(key).begun});
      break;
    case LoaderModel::Kind::warm:
      ask(event::WarmFinished{key, {}, now_ - engines_.at(key).begun});
      break;
    case LoaderModel::Kind::unload:
      engines_.erase(key);
      ask(event::Unloaded{key});
      break;
  }
  start_job();
}

void SimulatedShell::Impl::look_around() {
  for (ProcessorIndex p = 0; p < processors_.size(); ++p) {
    if (const auto correction = desk_.drift(p, now_)) ask(event::Drift{p, *correction});
  }
  queue_.push(now_ + kLookAround, Happening::look_around);
}

// --- Inside ---------------------------------------------------------------------------------------

void SimulatedShell::Impl::ask(const Event& event) {
  conductor_.on(event, now_);
  schedule_controller();
}

void SimulatedShell::Impl::schedule_tick(TaskIndex task) {
  ++tick_versions_[task];
  if (const auto due = desk_.next_tick(task)) {
    queue_.push(std::max(*due, now_), Happening::tick, task, tick_versions_[task]);
  }
}

void SimulatedShell::Impl::schedule_controller() {
  const std::optional<TimePoint> next = conductor_.controller().next_tick();
  if (next == controller_tick_) return;
  controller_tick_ = next;
  ++controller_version_;
  if (next) queue_.push(std::max(*next, now_), Happening::controller_tick, 0, controller_version_);
}

void SimulatedShell::Impl::start_frame(ProcessorIndex index) {
  Processor& processor = processors_[index];
  if (processor.running) return;
  const std::optional<Start> start = desk_.next(index, now_);
  if (!start) {
    const auto until = desk_.dispatcher().spent_until(index, now_);
    if (until && until != processor.wakes) {
      processor.wakes = until;
      queue_.push(*until, Happening::processor_free, index);
    }
    return;
  }
  processor.running = Running{*start, now_};
  hash_.mix(start->frame, start->engine);
  queue_.push(now_ + engines_.at(start->engine).frame.draw(dice_), Happening::frame_ends, index);
}

void SimulatedShell::Impl::start_job() {
  const auto begun = loader_.begin();
  if (!begun) return;
  const EngineKey key = begun->job.engine;
  EngineModel& engine = engines_.at(key);
  engine.begun = now_;
  Duration time{0};
  switch (begun->job.kind) {
    case LoaderModel::Kind::load:
      time = engine.load.draw(dice_);
      break;
    case LoaderModel::Kind::warm:
      time = engine.frame.draw(dice_);
      break;
    case LoaderModel::Kind::unload:
      time = unload_latency_.draw(dice_);
      break;
  }
  queue_.push(now_ + time, Happening::job_ends, begun->loader, key);
  const TimePoint limit = begun->job.asked + to_duration(config_.runtime.load_timeout);
  if (now_ + time > limit) queue_.push(std::max(limit, now_), Happening::load_overdue, 0, key);
}

// --- Hands ----------------------------------------------------------------------------------------

void SimulatedShell::Impl::solve(const action::Solve& solve, TimePoint now) {
  SACCADE_CHECK(!solving_);
  hash_.mix(solve.snapshot.generation);
  solving_ = solve.snapshot;
  solve_time_ = solve_latency_.draw(dice_);
  queue_.push(now + solve_time_, Happening::plan_ready);
}

void SimulatedShell::Impl::load(const action::Load& load, TimePoint now) {
  hash_.mix(load.engine, load.task, load.variant, load.processor);
  engines_[load.engine] = engine_model(load, config_.processors.at(load.processor).id, now);
  loader_.put({LoaderModel::Kind::load, load.engine, now});
  start_job();
}

void SimulatedShell::Impl::warm(EngineKey engine, TimePoint /*now*/) {
  loader_.put({LoaderModel::Kind::warm, engine, engines_.at(engine).asked});
  start_job();
}

void SimulatedShell::Impl::unload(EngineKey engine, TimePoint now) {
  hash_.mix(engine);
  loader_.put({LoaderModel::Kind::unload, engine, now});
  start_job();
}

void SimulatedShell::Impl::swap(const action::Swap& swap, std::optional<ServingEngine> engine,
                                TimePoint now) {
  hash_.mix(swap.task, swap.engine.value_or(0), swap.old.value_or(0));
  desk_.swap(swap, engine, now);
  if (!swap.engine) return;
  tell(event::Swapped{*swap.engine, kSwap});
  start_frame(swap.processor);
}

void SimulatedShell::Impl::set_rate(const action::SetRate& rate, TimePoint now) {
  hash_.mix(rate.task, number(rate.rate), rate.shadow ? number(*rate.shadow) + 1 : 0);
  desk_.set_rate(rate, now);
}

void SimulatedShell::Impl::set_demand(TaskIndex task, Fps demand, TimePoint now) {
  hash_.mix(task, number(demand));
  desk_.set_demand(task, demand, now);
  if (desk_.started()) schedule_tick(task);
}

void SimulatedShell::Impl::set_granted(TaskIndex task, Fps granted, TimePoint now) {
  hash_.mix(task, number(granted));
  desk_.set_granted(task, granted, now);
}

void SimulatedShell::Impl::set_solving(bool pending, TimePoint /*now*/) {
  hash_.mix(pending ? 1U : 0U);
  desk_.set_solving(pending);
}

// --- FrameListener --------------------------------------------------------------------------------

void SimulatedShell::Impl::tell(Event event) {
  news_.push_back(std::move(event));
  queue_.push(now_, Happening::news);
}

void SimulatedShell::Impl::dropped(const Drop& drop, TimePoint at) {
  hash_.mix(drop.frame << 8U | static_cast<std::uint64_t>(drop.reason) << 4U |
            static_cast<std::uint64_t>(drop.cause));
  if (conductor_.hooks().drop_events) conductor_.tell_drop(drop, at);
}

// --- The outside ----------------------------------------------------------------------------------

Result<std::unique_ptr<SimulatedShell>> SimulatedShell::open(RunConfig config,
                                                             const scheduler::Policy& policy,
                                                             SimulationOptions options, RunHooks hooks) {
  if (Errors errors = not_executable(config); !errors.empty()) return errors;
  return std::unique_ptr<SimulatedShell>(
      new SimulatedShell(std::make_unique<Impl>(std::move(config), policy, options, std::move(hooks))));
}

SimulatedShell::SimulatedShell(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SimulatedShell::~SimulatedShell() = default;
SimulationResult SimulatedShell::run() { return impl_->run(); }

}  // namespace saccade::runtime
