#include "runtime/real_shell.hpp"

#include <algorithm>
#include <map>
#include <thread>

#include "base/check.hpp"
#include "runtime/frame_source.hpp"
#include "runtime/real/frame_threads.hpp"
#include "runtime/real/loader.hpp"
#include "runtime/real/message_queue.hpp"
#include "runtime/real/serving.hpp"
#include "runtime/real/solver_thread.hpp"
#include "runtime/real/stall_probe.hpp"
#include "runtime/real/thread_settings.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kPatience = std::chrono::seconds(2);           // for waiting frames at the end
constexpr Duration kLookAround = std::chrono::milliseconds(100);  // drift and loader are looked at this often

std::vector<int> worker_cpus(const RunConfig& config) {
  std::vector<int> cpus;
  for (const ProcessorConfig& processor : config.processors) {
    cpus.insert(cpus.end(), processor.cpus.begin(), processor.cpus.end());
  }
  return cpus;
}

std::vector<Duration> timeline_starts(const RunConfig& config) {
  std::vector<Duration> starts;
  for (const TimelineState& state : config.timeline) starts.push_back(state.at);
  return starts;
}

Serving::Setup serving_setup(const RunConfig& config, bool announce_drops) {
  Serving::Setup setup;
  for (const scheduler::Processor& processor : config.timeline.front().snapshot.processors) {
    setup.capacities.push_back(processor.capacity);
  }
  setup.tasks = config.tasks.size();
  setup.gate_frames = config.runtime.gate_frames;
  setup.segment_starts = timeline_starts(config);
  setup.announce_drops = announce_drops;
  return setup;
}

// A task all of whose variants use several processors cannot be served.
std::optional<Error> only_spread_variants(const scheduler::Task& task) {
  const auto& variants = task.profiles->variants;
  const bool all = std::all_of(variants.begin(), variants.end(), [](const profiles::Variant& variant) {
    return variant.frame_time.size() > 1;
  });
  if (!all) return std::nullopt;
  return Error{
      task.id.str(), "every variant of this task's network uses several processors at once",
      "profile variants that run on one processor; networks split over several are planned, not run"};
}

// Keeps the calling thread, and the threads it starts, off the workers' CPUs for as long as it lives.
class OffTheProcessors {
 public:
  explicit OffTheProcessors(const RunConfig& config)
      : before_(allowed_cpus()), others_(other_cpus(before_, worker_cpus(config))) {
    pin_to(others_);
  }
  ~OffTheProcessors() { pin_to(before_); }
  OffTheProcessors(const OffTheProcessors&) = delete;
  OffTheProcessors& operator=(const OffTheProcessors&) = delete;

  [[nodiscard]] const std::vector<int>& others() const { return others_; }

 private:
  std::vector<int> before_;
  std::vector<int> others_;
};

}  // namespace

class RealShell::Impl {
 public:
  Impl(RunConfig config, std::shared_ptr<const EngineBackend> backend, const scheduler::Policy& policy,
       RunHooks hooks, std::vector<std::unique_ptr<FrameSource>> sources);

  RunSummary run(std::optional<Duration> duration);
  void stop() { queue_->post(StopRequest{}); }

 private:
  struct Loading {  // what is needed again when the engine is swapped in
    TaskIndex task = 0;
    std::size_t variant = 0;
    VariantId id;
    Duration profiled{0};
  };

  void start_threads(const std::vector<int>& others);
  void load_first_engines();
  void play(std::optional<Duration> duration);
  void finish();
  RunSummary summarise();

  // One message, or what time asks for; false when the run is to end.
  bool step(std::optional<TimePoint> until);
  void on(const Event& event, TimePoint now);
  void apply_timeline(TimePoint now);
  void look_around(TimePoint now);
  void note_plan();
  void tell(TimePoint at, const action::Report& report);
  void tell_engine(const char* event, EngineKey engine, TimePoint at);
  void tell_drop(const Drop& drop, TimePoint at);
  void show_status(TimePoint now) const;

  void carry_out(const action::Solve& solve, TimePoint);
  void carry_out(const action::Load& load, TimePoint now);
  void carry_out(const action::Warm& warm, TimePoint) { loader_->warm(warm.engine); }
  void carry_out(const action::Swap& swap, TimePoint);
  void carry_out(const action::Unload& unload, TimePoint);
  void carry_out(const action::SetRate& rate, TimePoint) { serving_.set_rate(rate); }
  void carry_out(const action::SetDemand& demand, TimePoint) {
    serving_.set_demand(demand.task, demand.demand);
  }
  void carry_out(const action::SetSolving& solving, TimePoint) { serving_.set_solving(solving.pending); }
  void carry_out(const action::Report& report, TimePoint at) { tell(at, report); }

  const RunConfig config_;
  const std::shared_ptr<const EngineBackend> backend_;
  const scheduler::Policy& policy_;
  const RunHooks hooks_;
  // Shared with loader threads, which may outlive the shell when a load hangs.
  const std::shared_ptr<const SteadyClock> clock_ = std::make_shared<SteadyClock>();
  const std::shared_ptr<MessageQueue> queue_ = std::make_shared<MessageQueue>(*clock_);

  Controller controller_;
  Serving serving_;
  std::vector<std::unique_ptr<FrameSource>> sources_;
  std::optional<Loader> loader_;
  std::optional<SolverThread> solver_;
  std::vector<std::unique_ptr<StallProbe>> probes_;
  std::vector<std::thread> captures_;
  std::vector<std::thread> workers_;

  std::map<EngineKey, Loading> loading_;
  std::shared_ptr<const scheduler::Plan> noted_plan_;
  std::vector<Duration> solve_times_;
  std::size_t next_state_ = 1;  // of the timeline
  std::shared_ptr<const scheduler::Snapshot> wanted_;
  std::optional<TimePoint> start_;
  TimePoint end_{};
  TimePoint told_{};  // time of the last event told
  TimePoint next_look_{};
  TimePoint next_status_{};
};

// --- Opening --------------------------------------------------------------------------------------

RealShell::Impl::Impl(RunConfig config, std::shared_ptr<const EngineBackend> backend,
                      const scheduler::Policy& policy, RunHooks hooks,
                      std::vector<std::unique_ptr<FrameSource>> sources)
    : config_(std::move(config)),
      backend_(std::move(backend)),
      policy_(policy),
      hooks_(std::move(hooks)),
      controller_({.runtime = config_.runtime}),
      serving_(serving_setup(config_, hooks_.drop_events), *clock_, *queue_),
      sources_(std::move(sources)) {}

Result<std::unique_ptr<RealShell>> RealShell::open(RunConfig config,
                                                   std::shared_ptr<const EngineBackend> backend,
                                                   const scheduler::Policy& policy, RunHooks hooks,
                                                   const SourceOpener& opener) {
  SACCADE_CHECK(backend && !config.timeline.empty() && config.timeline.front().at == Duration(0));
  // Decoders start threads of their own when they are opened; those inherit where they may run.
  const OffTheProcessors off(config);
  Errors errors;
  std::vector<std::unique_ptr<FrameSource>> sources;
  for (TaskIndex task = 0; task < config.tasks.size(); ++task) {
    const scheduler::Task& wanted = config.timeline.front().snapshot.tasks.at(task);
    if (auto refused = only_spread_variants(wanted)) errors.push_back(std::move(*refused));
    auto source = opener(config.tasks[task].source, config.tasks[task].regions, wanted.profiles->input,
                         wanted.profiles->labels);
    if (source.ok()) {
      sources.push_back(std::move(source).value());
      continue;
    }
    for (Error error : source.errors()) {
      error.where = config.tasks[task].id.str() + ": " + error.where;
      errors.push_back(std::move(error));
    }
  }
  if (!errors.empty()) return errors;
  return std::unique_ptr<RealShell>(new RealShell(std::make_unique<Impl>(
      std::move(config), std::move(backend), policy, std::move(hooks), std::move(sources))));
}

RealShell::RealShell(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RealShell::~RealShell() = default;
RunSummary RealShell::run(std::optional<Duration> duration) { return impl_->run(duration); }
void RealShell::stop() { impl_->stop(); }

// --- The course of a run --------------------------------------------------------------------------

RunSummary RealShell::Impl::run(std::optional<Duration> duration) {
  const OffTheProcessors off(config_);
  start_threads(off.others());
  load_first_engines();
  play(duration);
  finish();
  return summarise();
}

void RealShell::Impl::start_threads(const std::vector<int>& others) {
  loader_.emplace(backend_, config_.runtime, config_.processors, clock_, queue_);
  solver_.emplace(policy_, config_.solver_deadline, *clock_, *queue_);
  const auto stalled = [this](TimePoint from, TimePoint to) { serving_.stalled(from, to); };
  probes_.push_back(std::make_unique<StallProbe>(*clock_, others, stalled));
  for (ProcessorIndex p = 0; p < config_.processors.size(); ++p) {
    const std::vector<int>& cpus = config_.processors[p].cpus;
    if (!cpus.empty()) probes_.push_back(std::make_unique<StallProbe>(*clock_, cpus, stalled));
    workers_.emplace_back([this, p, &cpus] { work(p, serving_, *clock_, cpus); });
  }
  for (TaskIndex task = 0; task < sources_.size(); ++task) {
    captures_.emplace_back([this, task, others] {
      capture(task, config_.tasks[task].id, *sources_[task], serving_, *queue_, others);
    });
  }
}

void RealShell::Impl::load_first_engines() {
  wanted_ = std::make_shared<scheduler::Snapshot>(config_.timeline.front().snapshot);
  on(event::Change{*wanted_}, clock_->now());
  bool go_on = true;
  while (go_on && !controller_.settled()) go_on = step(std::nullopt);
  start_ = clock_->now();
  end_ = *start_;
  serving_.start(*start_);
  if (!go_on) stop();  // asked to end before it began: the request is seen again
}

void RealShell::Impl::play(std::optional<Duration> duration) {
  const std::optional<TimePoint> end = duration ? std::optional(*start_ + *duration) : std::nullopt;
  for (;;) {
    apply_timeline(clock_->now());
    std::optional<TimePoint> until = end;
    if (next_state_ < config_.timeline.size()) {
      const TimePoint change = *start_ + config_.timeline[next_state_].at;
      until = until ? std::min(*until, change) : change;
    }
    if (!step(until)) break;
    if (end && clock_->now() >= *end) break;
  }
  end_ = end ? std::min(clock_->now(), *end) : clock_->now();
}

void RealShell::Impl::finish() {
  serving_.stop_sources(end_);
  for (std::thread& thread : captures_) thread.join();
  serving_.finish_frames(kPatience);
  serving_.stop_workers();
  for (std::thread& thread : workers_) thread.join();
  probes_.clear();
  solver_.reset();
  // What the threads still had to say belongs to the run; what the controller would do next does not.
  while (const auto message = queue_->take(clock_->now())) {
    const auto* event = std::get_if<Event>(&message->what);
    if (event && (std::holds_alternative<event::FramesLost>(*event) ||
                  std::holds_alternative<event::Swapped>(*event))) {
      (void)controller_.on(*event, clock_->now());
    }
    if (const auto* dropped = std::get_if<Drop>(&message->what)) tell_drop(*dropped, message->at);
  }
  loader_.reset();
}

bool RealShell::Impl::step(std::optional<TimePoint> until) {
  TimePoint wake = std::min(next_look_, until.value_or(TimePoint::max()));
  if (const auto tick = controller_.next_tick()) wake = std::min(wake, *tick);
  if (auto message = queue_->take(wake)) {
    if (std::holds_alternative<StopRequest>(message->what)) return false;
    if (const auto* event = std::get_if<Event>(&message->what)) on(*event, clock_->now());
    if (const auto* report = std::get_if<action::Report>(&message->what)) tell(message->at, *report);
    if (const auto* dropped = std::get_if<Drop>(&message->what)) tell_drop(*dropped, message->at);
  }
  const TimePoint now = clock_->now();
  const auto tick = controller_.next_tick();
  if (tick && *tick <= now) on(event::Tick{}, now);
  look_around(now);
  return true;
}

// --- Inside ---------------------------------------------------------------------------------------

void RealShell::Impl::on(const Event& event, TimePoint now) {
  if (const auto* ready = std::get_if<event::PlanReady>(&event)) solve_times_.push_back(ready->solve_time);
  if (const auto* warm = std::get_if<event::WarmFinished>(&event)) tell_engine("warm", warm->engine, now);
  if (const auto* drained = std::get_if<event::Drained>(&event)) tell_engine("drain", drained->engine, now);
  for (const Action& action : controller_.on(event, now)) {
    std::visit([&](const auto& each) { carry_out(each, now); }, action);
  }
  note_plan();
}

void RealShell::Impl::apply_timeline(TimePoint now) {
  while (next_state_ < config_.timeline.size() && *start_ + config_.timeline[next_state_].at <= now) {
    wanted_ = std::make_shared<scheduler::Snapshot>(config_.timeline[next_state_].snapshot);
    ++next_state_;
    on(event::Change{*wanted_}, now);
  }
}

void RealShell::Impl::look_around(TimePoint now) {
  loader_->watch(now);
  if (now >= next_look_) {
    next_look_ = now + kLookAround;
    for (ProcessorIndex p = 0; p < config_.processors.size(); ++p) {
      if (const auto correction = serving_.drift(p, now)) on(event::Drift{p, *correction}, now);
    }
  }
  if (hooks_.status && now >= next_status_) {
    next_status_ = now + hooks_.status_interval;
    show_status(now);
  }
}

void RealShell::Impl::note_plan() {
  if (controller_.plan() == noted_plan_) return;
  noted_plan_ = controller_.plan();
  if (!noted_plan_) return;
  for (TaskIndex task = 0; task < noted_plan_->tasks.size(); ++task) {
    serving_.set_granted(task, noted_plan_->tasks[task].granted);
  }
}

void RealShell::Impl::carry_out(const action::Solve& solve, TimePoint) { solver_->submit(solve.snapshot); }

void RealShell::Impl::carry_out(const action::Load& load, TimePoint now) {
  const profiles::Variant& variant = load.profiles->variants.at(load.variant);
  const auto times = profiles::time_per_frame(variant, load.batch);
  const auto found = times.find(config_.processors.at(load.processor).id);
  loading_[load.engine] = {load.task, load.variant, variant.id,
                           found == times.end() ? Duration(0) : to_duration(found->second)};
  loader_->load(load, now);
}

void RealShell::Impl::carry_out(const action::Swap& swap, TimePoint) {
  std::optional<ServingEngine> engine;
  if (swap.engine) {
    const Loading& loaded = loading_.at(*swap.engine);
    engine = ServingEngine{&loader_->engine(*swap.engine), *swap.engine, loaded.variant, loaded.profiled};
  }
  const Duration time = serving_.swap(swap, engine);
  if (swap.engine) queue_->post(Event(event::Swapped{*swap.engine, time}));
}

void RealShell::Impl::carry_out(const action::Unload& unload, TimePoint) {
  loading_.erase(unload.engine);
  loader_->unload(unload.engine);
}

void RealShell::Impl::tell(TimePoint at, const action::Report& report) {
  // What another thread noted may be older than what the main loop told last; the log's times never
  // step back.
  told_ = std::max(told_, at);
  if (hooks_.event) hooks_.event(start_ ? std::max(told_ - *start_, Duration(0)) : Duration(0), report);
}

void RealShell::Impl::tell_engine(const char* event, EngineKey engine, TimePoint at) {
  const Loading& loaded = loading_.at(engine);
  tell(at, {event, config_.tasks.at(loaded.task).id.str(), loaded.id.str()});
}

void RealShell::Impl::tell_drop(const Drop& drop, TimePoint at) {
  tell(at, {"drop", config_.tasks.at(drop.task).id.str(),
            std::string("reason=") + to_string(drop.reason) + " cause=" + to_string(drop.cause)});
}

void RealShell::Impl::show_status(TimePoint now) const {
  RunStatus status;
  status.at = start_ ? now - *start_ : Duration(0);
  status.plan = controller_.plan();
  status.wanted = wanted_;
  status.reserved = controller_.reserved();
  status.switches = &controller_.switches();
  status.start = start_.value_or(now);
  for (Serving::TaskView& view : serving_.tasks()) {
    status.tasks.push_back({std::move(view.frames), view.demand, Fps(0.0), view.rate, view.variant});
  }
  for (TaskIndex task = 0; status.plan && task < status.tasks.size(); ++task) {
    status.tasks[task].granted = status.plan->tasks[task].granted;
  }
  for (ProcessorIndex p = 0; p < config_.processors.size(); ++p) status.busy.push_back(serving_.busy(p));
  hooks_.status(status);
}

RunSummary RealShell::Impl::summarise() {
  std::vector<RunTask> tasks;
  for (TaskIndex task = 0; task < config_.tasks.size(); ++task) {
    tasks.push_back(
        {config_.tasks[task].id, wanted_->tasks.at(task).profiles, sources_[task]->labelled_images(), {}});
  }
  RunSummary summary = serving_.summarise(std::move(tasks), controller_.switches(), end_);
  summary.generations = controller_.generation();
  summary.memory_peak = controller_.reserved_peak();
  const double seconds = summary.seconds.value();
  for (ProcessorIndex p = 0; p < config_.processors.size(); ++p) {
    const double busy = to_seconds(serving_.busy(p)).value();
    summary.processors.push_back(
        {config_.processors[p].id, seconds > 0.0 ? busy / seconds : 0.0, serving_.correction(p)});
  }
  std::sort(solve_times_.begin(), solve_times_.end());
  if (!solve_times_.empty()) {
    summary.solves = {static_cast<std::int64_t>(solve_times_.size()),
                      to_seconds(solve_times_[(solve_times_.size() - 1) / 2]),
                      to_seconds(solve_times_.back())};
  }
  return summary;
}

}  // namespace saccade::runtime
