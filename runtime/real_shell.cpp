#include "runtime/real_shell.hpp"

#include <algorithm>
#include <mutex>
#include <thread>

#include "base/check.hpp"
#include "runtime/conductor.hpp"
#include "runtime/frame_source.hpp"
#include "runtime/real/captures.hpp"
#include "runtime/real/frame_threads.hpp"
#include "runtime/real/loader.hpp"
#include "runtime/real/message_queue.hpp"
#include "runtime/real/serving.hpp"
#include "runtime/real/solver_thread.hpp"
#include "runtime/real/stall_probe.hpp"
#include "runtime/real/status_board.hpp"
#include "runtime/real/thread_settings.hpp"
#include "runtime/reconfiguration.hpp"
#include "runtime/sources/thumbnail.hpp"

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

class RealShell::Impl final : private Hands {
 public:
  Impl(RunConfig config, std::shared_ptr<const EngineBackend> backend, const scheduler::Policy& policy,
       RunHooks hooks, std::vector<std::unique_ptr<FrameSource>> sources, SourceOpener opener,
       std::unique_ptr<EnergyMeter> meter);

  RunSummary run(std::optional<Duration> duration);
  void stop() { queue_->post(StopRequest{}); }
  Result<std::uint64_t> reconfigure(RunConfig config);
  RunStatus status() const { return board_.read(serving_, energy_, clock_->now()); }
  LatestFrame::Look latest_frame(TaskIndex task) { return serving_.look(task); }
  PushVerdict push(TaskIndex task, PushedFrame frame, AnswerFrame answer);

 private:
  void start_threads(const std::vector<int>& others);
  void load_first_engines();
  void play(std::optional<Duration> duration);
  void finish();
  RunSummary summarise();

  void answer(Reconfiguration& wanted, TimePoint now);
  void refuse_reconfigurations();

  // One message, or what time asks for; false when the run is to end.
  bool step(std::optional<TimePoint> until);
  void look_around(TimePoint now);
  void read_energy(TimePoint now);
  void tell_meter_lost(TimePoint now);

  void solve(const action::Solve& solve, TimePoint) override { solver_->submit(solve.snapshot); }
  void load(const action::Load& load, TimePoint now) override { loader_->load(load, now); }
  void warm(const action::Warm& warm, TimePoint) override { loader_->warm(warm); }
  void unload(EngineKey engine, TimePoint) override { loader_->unload(engine); }
  void swap(const action::Swap& swap, std::optional<ServingEngine> engine, TimePoint) override;
  void set_rate(const action::SetRate& rate, TimePoint) override { serving_.set_rate(rate); }
  void set_demand(TaskIndex task, Fps demand, TimePoint) override { serving_.set_demand(task, demand); }
  void set_granted(TaskIndex task, Fps granted, TimePoint) override { serving_.set_granted(task, granted); }
  void set_solving(bool pending, TimePoint) override { serving_.set_solving(pending); }
  void add_task(TaskIndex task, TimePoint) override;
  void remove_task(TaskIndex task, TimePoint) override;
  void change_source(TaskIndex task, TimePoint) override { start_capture(task, nullptr); }
  void retime(const std::vector<Duration>& starts, TimePoint) override { serving_.retime(starts); }
  void start_capture(TaskIndex task, std::unique_ptr<FrameSource> source);

  const RunConfig config_;
  const std::shared_ptr<const EngineBackend> backend_;
  const scheduler::Policy& policy_;
  // Shared with loader threads, which may outlive the shell when a load hangs.
  const std::shared_ptr<const SteadyClock> clock_ = std::make_shared<SteadyClock>();
  const std::shared_ptr<MessageQueue> queue_ = std::make_shared<MessageQueue>(*clock_);

  Conductor conductor_;
  Serving serving_;
  StatusBoard board_;
  EnergyBook energy_;
  std::mutex open_mutex_;
  bool open_to_change_ = false;  // a reconfiguration that is posted now will be answered
  std::vector<std::unique_ptr<FrameSource>> sources_;  // opened before the run
  const SourceOpener opener_;
  std::optional<Loader> loader_;
  std::optional<SolverThread> solver_;
  std::vector<std::unique_ptr<StallProbe>> probes_;
  std::optional<Captures> captures_;
  std::vector<std::thread> workers_;

  TimePoint end_{};
  TimePoint next_look_{};
  TimePoint next_status_{};
};

// --- Opening --------------------------------------------------------------------------------------

RealShell::Impl::Impl(RunConfig config, std::shared_ptr<const EngineBackend> backend,
                      const scheduler::Policy& policy, RunHooks hooks,
                      std::vector<std::unique_ptr<FrameSource>> sources, SourceOpener opener,
                      std::unique_ptr<EnergyMeter> meter)
    : config_(std::move(config)),
      backend_(std::move(backend)),
      policy_(policy),
      conductor_(config_, std::move(hooks), *this),
      serving_(desk_setup(config_), conductor_.hooks().drop_events, *clock_, *queue_),
      energy_(std::move(meter)),
      sources_(std::move(sources)),
      opener_(std::move(opener)) {
  board_.update(conductor_);
}

Result<std::unique_ptr<RealShell>> RealShell::open(RunConfig config,
                                                   std::shared_ptr<const EngineBackend> backend,
                                                   const scheduler::Policy& policy, RunHooks hooks,
                                                   const SourceOpener& opener,
                                                   std::unique_ptr<EnergyMeter> meter) {
  SACCADE_CHECK(backend && !config.timeline.empty() && config.timeline.front().at == Duration(0));
  // Decoders start threads of their own when they are opened; those inherit where they may run.
  const OffTheProcessors off(config);
  Errors errors = not_executable(config);
  std::vector<std::unique_ptr<FrameSource>> sources;
  for (TaskIndex task = 0; task < config.tasks.size(); ++task) {
    if (config.tasks[task].pushed()) {
      sources.push_back(nullptr);
      continue;
    }
    const scheduler::Task& wanted = config.timeline.front().snapshot.tasks.at(task);
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
  return std::unique_ptr<RealShell>(
      new RealShell(std::make_unique<Impl>(std::move(config), std::move(backend), policy, std::move(hooks),
                                           std::move(sources), opener, std::move(meter))));
}

RealShell::RealShell(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RealShell::~RealShell() = default;
RunSummary RealShell::run(std::optional<Duration> duration) { return impl_->run(duration); }
void RealShell::stop() { impl_->stop(); }
Result<std::uint64_t> RealShell::reconfigure(RunConfig config) {
  return impl_->reconfigure(std::move(config));
}
RunStatus RealShell::status() const { return impl_->status(); }
PushVerdict RealShell::push(TaskIndex task, PushedFrame frame, AnswerFrame answer) {
  return impl_->push(task, std::move(frame), std::move(answer));
}
LatestFrame::Look RealShell::latest_frame(TaskIndex task) const { return impl_->latest_frame(task); }

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
  captures_.emplace(serving_, *queue_, opener_, others);
  for (TaskIndex task = 0; task < sources_.size(); ++task) start_capture(task, std::move(sources_[task]));
}

void RealShell::Impl::load_first_engines() {
  conductor_.begin(clock_->now());
  {
    const std::lock_guard lock(open_mutex_);
    open_to_change_ = true;
  }
  bool go_on = true;
  while (go_on && !conductor_.ready(clock_->now())) go_on = step(conductor_.ready_by());
  const TimePoint start = clock_->now();
  conductor_.start(start);
  end_ = start;
  serving_.start(start);
  loader_->be_nice();
  if (!energy_.start(start)) tell_meter_lost(start);
  if (!go_on) stop();  // asked to end before it began: the request is seen again
}

void RealShell::Impl::play(std::optional<Duration> duration) {
  const std::optional<TimePoint> end =
      duration ? std::optional(*conductor_.started() + *duration) : std::nullopt;
  for (;;) {
    const TimePoint now = clock_->now();
    while (const scheduler::Snapshot* state = conductor_.take_state(now)) {
      conductor_.want(*state, now);
      board_.update(conductor_);
    }
    std::optional<TimePoint> until = end;
    if (const auto change = conductor_.next_state_at()) until = until ? std::min(*until, *change) : change;
    if (!step(until)) break;
    if (end && clock_->now() >= *end) break;
  }
  end_ = end ? std::min(clock_->now(), *end) : clock_->now();
}

void RealShell::Impl::finish() {
  refuse_reconfigurations();
  read_energy(clock_->now());
  serving_.stop_sources(end_);
  captures_->join();
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
      conductor_.note(*event, clock_->now());
    }
    if (const auto* dropped = std::get_if<Drop>(&message->what)) conductor_.tell_drop(*dropped, message->at);
    if (const auto* late = std::get_if<std::shared_ptr<Reconfiguration>>(&message->what)) {
      (*late)->answer.set_value(Error{"service", "is ending", ""});
    }
  }
  board_.update(conductor_);
  loader_.reset();
}

bool RealShell::Impl::step(std::optional<TimePoint> until) {
  TimePoint wake = std::min(next_look_, until.value_or(TimePoint::max()));
  if (const auto tick = conductor_.controller().next_tick()) wake = std::min(wake, *tick);
  if (auto message = queue_->take(wake)) {
    if (std::holds_alternative<StopRequest>(message->what)) return false;
    if (const auto* event = std::get_if<Event>(&message->what)) {
      conductor_.on(*event, clock_->now());
      board_.update(conductor_);
    }
    if (const auto* wanted = std::get_if<std::shared_ptr<Reconfiguration>>(&message->what)) {
      answer(**wanted, clock_->now());
    }
    if (const auto* report = std::get_if<action::Report>(&message->what))
      conductor_.tell(message->at, *report);
    if (const auto* dropped = std::get_if<Drop>(&message->what)) conductor_.tell_drop(*dropped, message->at);
  }
  const TimePoint now = clock_->now();
  const auto tick = conductor_.controller().next_tick();
  if (tick && *tick <= now) {
    conductor_.on(event::Tick{}, now);
    board_.update(conductor_);
  }
  look_around(now);
  return true;
}

// --- Another configuration ------------------------------------------------------------------------

Result<std::uint64_t> RealShell::Impl::reconfigure(RunConfig config) {
  const auto wanted = std::make_shared<Reconfiguration>();
  wanted->config = std::move(config);
  auto answer = wanted->answer.get_future();
  {
    const std::lock_guard lock(open_mutex_);
    if (!open_to_change_) return Error{"service", "is not running", ""};
    queue_->post(wanted);
  }
  return answer.get();
}

void RealShell::Impl::answer(Reconfiguration& wanted, TimePoint now) {
  Result<std::uint64_t> generation = conductor_.reconfigure(std::move(wanted.config), now);
  board_.update(conductor_);
  wanted.answer.set_value(std::move(generation));
}

void RealShell::Impl::start_capture(TaskIndex task, std::unique_ptr<FrameSource> source) {
  const TaskConfig& config = conductor_.roster().config(task);
  serving_.set_pushed(task, config.pushed());
  if (config.pushed()) return captures_->stop(task);
  captures_->start(task, config, conductor_.roster().profiles(task), std::move(source));
}

void RealShell::Impl::add_task(TaskIndex task, TimePoint) {
  if (task == serving_.task_count()) serving_.add_task();
  start_capture(task, nullptr);
}

void RealShell::Impl::remove_task(TaskIndex task, TimePoint) {
  captures_->stop(task);
  serving_.remove_task(task);
}

void RealShell::Impl::refuse_reconfigurations() {
  const std::lock_guard lock(open_mutex_);
  open_to_change_ = false;
}

// --- Frames that clients send ---------------------------------------------------------------------

PushVerdict RealShell::Impl::push(TaskIndex task, PushedFrame frame, AnswerFrame answer) {
  if (task >= serving_.task_count()) return PushVerdict::not_pushed;
  LatestFrame& latest = serving_.latest(task);
  const TimePoint now = clock_->now();
  std::vector<float> seen;
  if (latest.wants_frame(now)) seen = frame.input;
  const PushVerdict verdict = serving_.push(task, frame.input, std::move(answer));
  if (verdict == PushVerdict::accepted && !seen.empty()) {
    latest.show(thumbnail(seen, frame.shape, frame.regions), now);
  }
  return verdict;
}

// --- Inside ---------------------------------------------------------------------------------------

void RealShell::Impl::look_around(TimePoint now) {
  loader_->watch(now);
  if (now >= next_look_) {
    next_look_ = now + kLookAround;
    if (conductor_.started()) read_energy(now);
    for (ProcessorIndex p = 0; p < config_.processors.size(); ++p) {
      if (const auto correction = serving_.drift(p, now)) conductor_.on(event::Drift{p, *correction}, now);
    }
    for (const TaskIndex task : serving_.lost_sources(now)) conductor_.on(event::SourceLost{task}, now);
    board_.update(conductor_);
  }
  if (conductor_.hooks().status && now >= next_status_) {
    next_status_ = now + conductor_.hooks().status_interval;
    conductor_.hooks().status(status());
  }
}

void RealShell::Impl::read_energy(TimePoint now) {
  if (!energy_.read(now)) tell_meter_lost(now);
}

void RealShell::Impl::tell_meter_lost(TimePoint now) {
  conductor_.tell(now, {"fault", "", "the energy meter cannot be read any more"});
}

void RealShell::Impl::swap(const action::Swap& swap, std::optional<ServingEngine> engine, TimePoint) {
  if (engine) engine->engine = &loader_->engine(engine->key);
  const Duration time = serving_.swap(swap, engine);
  if (engine) queue_->post(Event(event::Swapped{engine->key, time}));
}

RunSummary RealShell::Impl::summarise() {
  std::vector<RunTask> tasks = conductor_.run_tasks();
  for (TaskIndex task = 0; task < tasks.size(); ++task) {
    tasks[task].labelled_images = captures_->labelled_images(task);
  }
  RunSummary summary = serving_.summarise(std::move(tasks), conductor_.controller().switches(), end_);
  const Serving::View view = serving_.view();
  conductor_.complete(summary, view.busy, view.corrections);
  if (auto measured = energy_.reading()) {
    measured->power.reset();
    summary.energy = std::move(measured);
  }
  return summary;
}

}  // namespace saccade::runtime
