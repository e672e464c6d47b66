#include "runtime/simulated_shell.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/check.hpp"
#include "runtime/conductor.hpp"
#include "runtime/frame_desk.hpp"
#include "runtime/reconfiguration.hpp"
#include "runtime/ring.hpp"
#include "runtime/simulation/dice.hpp"
#include "runtime/simulation/engine_model.hpp"
#include "runtime/simulation/event_hash.hpp"
#include "runtime/simulation/event_queue.hpp"
#include "runtime/simulation/loader_model.hpp"
#include "runtime/thread_cpu_clock.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kPatience = std::chrono::seconds(2);           // for waiting frames at the end
constexpr Duration kLookAround = std::chrono::milliseconds(100);  // drift is looked at this often
constexpr Duration kSwap{400};
constexpr Duration kHalfACalm = FaultDriver::kCalm / 2;
constexpr Duration kBeforeTheEnd = std::chrono::milliseconds(6);  // a solve, and the load has begun
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
  void weather();
  void change_at_the_end();
  void reshape(const scheduler::Snapshot& state);
  void want(const scheduler::Snapshot& wanted);
  void ask(const Event& event);  // the controller
  void schedule_tick(TaskIndex task);
  void schedule_controller();
  void schedule_weather();
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
  RunHooks watched_hooks();  // the invariants hear what is told
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
  bool asked_ = false;                          // the controller, since the last event
  const scheduler::Snapshot* state_ = nullptr;  // of the timeline
  std::uint64_t weather_version_ = 0;
  std::vector<char> camera_well_;                                   // per task, as last told
  std::array<std::uint64_t, LoaderModel::kLoaders> job_numbers_{};  // entries of others are void
  std::uint64_t last_job_ = 0;
  std::map<EngineKey, Errors> outcomes_;  // of loads and warm-ups that fail

  const ThreadCpuClock clock_;  // measures, decides nothing
  const TimePoint begun_ = clock_.now();
  Duration solver_cpu_{0};
};

SimulatedShell::Impl::Impl(RunConfig config, const scheduler::Policy& policy, SimulationOptions options,
                           RunHooks hooks)
    : config_(std::move(config)),
      policy_(policy),
      options_(options),
      dice_(options.seed),
      hooks_(std::move(hooks)),
      conductor_(config_, watched_hooks(), *this),
      desk_(desk_setup(config_), *this),
      processors_(config_.processors.size()),
      tick_versions_(config_.tasks.size()),
      faults_({.points = options.faults,
               .seed = options.seed,
               .duration = options.duration,
               .load_timeout = to_duration(config_.runtime.load_timeout),
               .tasks = config_.tasks.size(),
               .processors = config_.processors.size()}),
      invariants_(config_, conductor_.controller(), desk_),
      state_(&config_.timeline.front().snapshot),
      camera_well_(config_.tasks.size(), 1) {}

RunHooks SimulatedShell::Impl::watched_hooks() {
  RunHooks watched = hooks_;
  watched.event = [this](Duration at, const action::Report& report) {
    invariants_.report(report, now_);
    if (hooks_.event) hooks_.event(at, report);
  };
  return watched;
}

// --- The course of a run --------------------------------------------------------------------------

SimulationResult SimulatedShell::Impl::run() {
  load_first_engines();
  play();
  finish();
  return result();
}

void SimulatedShell::Impl::load_first_engines() {
  invariants_.wants(*state_, now_);
  conductor_.begin(now_);
  schedule_controller();
  while (!conductor_.ready(now_) && !invariants_.breach()) {
    if (queue_.empty() || queue_.next_at() > conductor_.ready_by()) now_ = conductor_.ready_by();
    if (!conductor_.ready(now_)) step();
  }
}

void SimulatedShell::Impl::play() {
  start_ = now_;
  end_ = now_ + options_.duration;
  conductor_.start(now_);
  desk_.start(now_);
  invariants_.start(now_);
  for (TaskIndex task = 0; task < tick_versions_.size(); ++task) schedule_tick(task);
  if (const auto at = conductor_.next_state_at()) queue_.push(*at, Happening::state);
  queue_.push(now_, Happening::look_around);
  schedule_weather();
  if (faults_.enabled(Fault::shutdown_in_load)) {
    queue_.push(end_ - std::min(kBeforeTheEnd, options_.duration), Happening::change_wanted);
  }
  while (queue_.next_at() < end_ && !invariants_.breach()) step();
}

void SimulatedShell::Impl::finish() {
  if (invariants_.breach()) end_ = now_;
  stopping_ = true;
  if (faults_.enabled(Fault::shutdown_in_load) && loader_.at_work()) faults_.hit(Fault::shutdown_in_load);
  const TimePoint last = end_ + kPatience;
  while (!desk_.dispatcher().idle() && !queue_.empty() && queue_.next_at() <= last) step();
  now_ = std::max(now_, end_);
  desk_.drop_waiting(DropReason::shutdown, now_);
  while (!desk_.dispatcher().idle()) step();
  // What was still to be told belongs to the run.
  while (!news_.empty()) hear_news();
  invariants_.run_ends(now_);
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
  result.cpu = to_seconds(clock_.now() - begun_);
  result.solver_cpu = to_seconds(solver_cpu_);
  result.faults = faults_.counts();
  result.breach = invariants_.breach();
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
      if (!stopping_ && entry.key == job_numbers_[entry.index]) job_ends(entry.index);
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
        reshape(*state);
      }
      if (const auto at = conductor_.next_state_at()) queue_.push(*at, Happening::state);
      break;
    case Happening::weather:
      if (!stopping_ && entry.key == weather_version_) weather();
      break;
    case Happening::calm_check:
      if (stopping_) break;
      entry.key == 0 ? invariants_.calm_begins() : invariants_.calm_ends(now_);
      break;
    case Happening::change_wanted:
      change_at_the_end();
      break;
  }
  invariants_.after_event(now_, queue_.size());
  if (asked_ && !stopping_) invariants_.after_controller(now_);
  asked_ = false;
}

void SimulatedShell::Impl::tick(TaskIndex task) {
  desk_.collect_ticks(task, now_);
  const FaultDriver::Camera camera = faults_.camera(task, now_ - start_);
  if (camera.late_until) {
    queue_.push(start_ + *camera.late_until, Happening::tick, task, tick_versions_[task]);
    return;
  }
  while (const auto due = desk_.take_tick(task)) {
    if (!camera.delivers) continue;
    invariants_.received(task, ++last_frame_, *due, desk_.period(task));
    desk_.offer(task, last_frame_, *due, desk_.period(task), now_);
  }
  const bool well = camera.fault == nullptr;
  if (well != (camera_well_[task] != 0)) {
    camera_well_[task] = well ? 1 : 0;
    conductor_.tell(now_,
                    {well ? "source_back" : "fault", config_.tasks[task].id.str(), well ? "" : camera.fault});
  }
  if (const auto processor = desk_.view(task).processor) start_frame(*processor);
  schedule_tick(task);
}

void SimulatedShell::Impl::frame_ends(ProcessorIndex index) {
  const Running running = *processors_[index].running;
  processors_[index].running.reset();
  invariants_.ended(index, now_);
  Status status = Done{};
  if (faults_.inference_throws(running.start.task, now_ - start_)) {
    status = Error{"engine", "the inference failed", ""};
  }
  desk_.finished(index, running.start, now_, now_ - running.since, status, {});
  start_frame(index);
}

void SimulatedShell::Impl::hear_news() {
  const Event event = news_.pop_front();
  if (!stopping_) return ask(event);
  invariants_.hears(event, now_);
  if (std::holds_alternative<event::FramesLost>(event) || std::holds_alternative<event::Swapped>(event)) {
    conductor_.note(event, now_);
  }
}

void SimulatedShell::Impl::plan_ready() {
  const scheduler::Snapshot snapshot = std::move(*solving_);
  solving_.reset();
  if (solve_fails_) {
    ask(event::PlanReady{scheduler::blank_plan(snapshot, policy_.name()), solve_time_});
    return;
  }
  const TimePoint before = clock_.now();
  scheduler::Plan plan = policy_.decide(snapshot, {.stop = {}, .max_nodes = kMaxNodes});
  solver_cpu_ += clock_.now() - before;
  ask(event::PlanReady{std::move(plan), solve_time_});
}

void SimulatedShell::Impl::job_ends(std::size_t loader) {
  const LoaderModel::Job job = loader_.end(loader);
  const EngineKey key = job.engine;
  const auto outcome = outcomes_.extract(key);
  Errors errors = outcome ? std::move(outcome.mapped()) : Errors{};
  const Duration time = now_ - engines_.at(key).begun;
  switch (job.kind) {
    case LoaderModel::Kind::load:
      if (!errors.empty()) engines_.erase(key);
      ask(event::LoadFinished{key, std::move(errors), time});
      break;
    case LoaderModel::Kind::warm:
      ask(event::WarmFinished{key, std::move(errors), time});
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
  invariants_.now_and_then(now_);
  queue_.push(now_ + kLookAround, Happening::look_around);
}

void SimulatedShell::Impl::weather() {
  const FaultDriver::Turn turn = faults_.turn(now_ - start_, conductor_.controller().reserved());
  if (turn.reload) {
    RunConfig invalid = config_;
    invalid.timeline.back().snapshot.tasks.front().min_accuracy = 2.0;
    const std::uint64_t before = conductor_.controller().generation();
    const bool refused = !conductor_.reconfigure(std::move(invalid), now_).ok();
    faults_.hit(Fault::invalid_reload);
    invariants_.reloaded(refused && conductor_.controller().generation() == before);
  }
  if (turn.reshape) reshape(*state_);
  if (turn.calm) {
    // What hangs comes back.
    for (std::size_t loader = 0; loader < job_numbers_.size(); ++loader) {
      if (!loader_.job(loader)) continue;
      job_numbers_[loader] = ++last_job_;
      const Duration back = dice_.between(std::chrono::milliseconds(1), std::chrono::seconds(1));
      queue_.push(now_ + back, Happening::job_ends, loader, last_job_);
    }
    queue_.push(now_ + kHalfACalm, Happening::calm_check, 0, 0);
    queue_.push(now_ + FaultDriver::kCalm - Duration(1), Happening::calm_check, 0, 1);
  }
  schedule_weather();
}

void SimulatedShell::Impl::change_at_the_end() {
  scheduler::Snapshot wanted = *conductor_.wanted();
  using scheduler::Objective;
  wanted.objective =
      wanted.objective == Objective::min_memory ? Objective::max_accuracy : Objective::min_memory;
  if (!stopping_ && scheduler::validate(wanted).empty()) want(wanted);
}

// --- Inside ---------------------------------------------------------------------------------------

void SimulatedShell::Impl::ask(const Event& event) {
  asked_ = true;
  invariants_.hears(event, now_);
  conductor_.on(event, now_);
  schedule_controller();
}

void SimulatedShell::Impl::schedule_tick(TaskIndex task) {
  ++tick_versions_[task];
  if (const auto due = desk_.next_tick(task)) {
    queue_.push(std::max(*due, now_), Happening::tick, task, tick_versions_[task]);
  }
}

void SimulatedShell::Impl::schedule_weather() {
  ++weather_version_;
  if (const auto at = faults_.next()) {
    queue_.push(std::max(start_ + *at, now_), Happening::weather, 0, weather_version_);
  }
}

void SimulatedShell::Impl::reshape(const scheduler::Snapshot& state) {
  state_ = &state;
  want(faults_.wanted(state, now_ - start_));
}

void SimulatedShell::Impl::want(const scheduler::Snapshot& wanted) {
  asked_ = true;
  invariants_.wants(wanted, now_);
  conductor_.want(wanted, now_);
  schedule_controller();
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
  invariants_.started(index, *start, now_);
  hash_.mix(start->frame, start->engine);
  const std::int64_t percent = faults_.inference_percent(start->task, index, now_ - start_);
  const Duration time = engines_.at(start->engine).frame.draw(dice_) * percent / 100;
  queue_.push(now_ + time, Happening::frame_ends, index);
}

void SimulatedShell::Impl::start_job() {
  const auto begun = loader_.begin();
  if (!begun) return;
  const EngineKey key = begun->job.engine;
  EngineModel& engine = engines_.at(key);
  engine.begun = now_;
  FaultDriver::Fate fate;
  Duration time{0};
  switch (begun->job.kind) {
    case LoaderModel::Kind::load:
      fate = faults_.load(engine.task, engine.variant, now_ - start_);
      time = engine.load.draw(dice_);
      break;
    case LoaderModel::Kind::warm:
      fate = faults_.warm_up(now_ - start_);
      time = engine.frame.draw(dice_);
      break;
    case LoaderModel::Kind::unload:
      fate.factor = faults_.loader_factor(now_ - start_);
      time = unload_latency_.draw(dice_);
      break;
  }
  time = fate.hangs.value_or(time * fate.factor);
  if (!fate.errors.empty()) outcomes_[key] = std::move(fate.errors);
  job_numbers_[begun->loader] = ++last_job_;
  queue_.push(now_ + time, Happening::job_ends, begun->loader, last_job_);
  const TimePoint limit = begun->job.asked + to_duration(config_.runtime.load_timeout);
  if (now_ + time > limit) queue_.push(std::max(limit, now_), Happening::load_overdue, 0, key);
}

// --- Hands ----------------------------------------------------------------------------------------

void SimulatedShell::Impl::solve(const action::Solve& solve, TimePoint now) {
  SACCADE_CHECK(!solving_);
  hash_.mix(solve.snapshot.generation);
  invariants_.solve(solve.snapshot, now);
  solving_ = solve.snapshot;
  solve_time_ = solve_latency_.draw(dice_);
  const std::optional<Fault> spoilt = faults_.solver();
  solve_fails_ = spoilt.has_value();
  if (spoilt == Fault::solver_times_out) solve_time_ = to_duration(config_.solver_deadline);
  queue_.push(now + solve_time_, Happening::plan_ready);
}

void SimulatedShell::Impl::load(const action::Load& load, TimePoint now) {
  hash_.mix(load.engine, load.task, load.variant, load.processor);
  invariants_.load(load, now);
  engines_[load.engine] = engine_model(load, config_.processors.at(load.processor).id, now);
  loader_.put({LoaderModel::Kind::load, load.engine, now});
  start_job();
}

void SimulatedShell::Impl::warm(EngineKey engine, TimePoint /*now*/) {
  invariants_.warm(engine);
  loader_.put({LoaderModel::Kind::warm, engine, engines_.at(engine).asked});
  start_job();
}

void SimulatedShell::Impl::unload(EngineKey engine, TimePoint now) {
  hash_.mix(engine);
  invariants_.unload(engine);
  loader_.put({LoaderModel::Kind::unload, engine, now});
  start_job();
}

void SimulatedShell::Impl::swap(const action::Swap& swap, std::optional<ServingEngine> engine,
                                TimePoint now) {
  hash_.mix(swap.task, swap.engine.value_or(0), swap.old.value_or(0));
  invariants_.swap(swap);
  desk_.swap(swap, engine, now);
  if (!swap.engine) return;
  tell(event::Swapped{*swap.engine, kSwap});
  start_frame(swap.processor);
}

void SimulatedShell::Impl::set_rate(const action::SetRate& rate, TimePoint now) {
  hash_.mix(rate.task, number(rate.rate), rate.shadow ? number(*rate.shadow) + 1 : 0);
  invariants_.rate(rate);
  desk_.set_rate(rate, now);
}

void SimulatedShell::Impl::set_demand(TaskIndex task, Fps demand, TimePoint now) {
  hash_.mix(task, number(demand));
  invariants_.demand(task, demand);
  desk_.set_demand(task, demand, now);
  if (desk_.started()) schedule_tick(task);
}

void SimulatedShell::Impl::set_granted(TaskIndex task, Fps granted, TimePoint now) {
  hash_.mix(task, number(granted));
  invariants_.granted(task, granted);
  desk_.set_granted(task, granted, now);
}

void SimulatedShell::Impl::set_solving(bool pending, TimePoint /*now*/) {
  hash_.mix(pending ? 1U : 0U);
  invariants_.solving(pending);
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
  invariants_.dropped(drop);
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
