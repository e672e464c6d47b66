#include "runtime/real/real_shell.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "runtime/machine/process_end.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "runtime/real/captures.hpp"
#include "runtime/real/change_requests.hpp"
#include "runtime/real/device_watch.hpp"
#include "runtime/real/first_sources.hpp"
#include "runtime/real/loader.hpp"
#include "runtime/real/message_queue.hpp"
#include "runtime/real/serving.hpp"
#include "runtime/real/solver_thread.hpp"
#include "runtime/real/stall_probe.hpp"
#include "runtime/real/status_board.hpp"
#include "runtime/real/thread_places.hpp"
#include "runtime/real/workers.hpp"
#include "runtime/run/conductor.hpp"
#include "runtime/run/limits.hpp"
#include "runtime/run/reconfiguration.hpp"

namespace saccade::runtime {
namespace {

// How long the start waits for sources to open; what opens later joins in then.
constexpr Duration kOpeningPatience = std::chrono::seconds(1);
constexpr Duration kJoinPatience = std::chrono::milliseconds(500);  // for threads that are to end

}  // namespace

class RealShell::Impl final : private Hands {
 public:
  Impl(RunConfig config, std::shared_ptr<const EngineBackend> backend, const scheduler::Policy& policy,
       RunHooks hooks, FirstSources sources, SourceOpener opener, std::unique_ptr<EnergyMeter> meter);

  RunSummary run(std::optional<Duration> duration);
  void stop() { queue_->post(StopRequest{}); }
  ChangeResult<std::uint64_t> reconfigure(RunConfig config) { return changes_.request(std::move(config)); }
  RunStatus status() const { return board_.read(*serving_, device_.energy(), clock_->now()); }
  RunOutline outline(const std::optional<TaskId>& only) const {
    return board_.outline(only, *serving_, clock_->now());
  }
  Duration elapsed() const { return board_.elapsed(clock_->now()); }
  LatestFrame::Look latest_frame(TaskNumber task) { return serving_->look(task); }
  std::optional<LatestAnswer> latest_answer(TaskNumber task) { return serving_->answer(task); }
  PushVerdict push(TaskNumber task, PushedFrame frame, AnswerFrame answer) {
    return push_frame(*serving_, task, std::move(frame), std::move(answer), clock_->now());
  }

 private:
  void start_threads(const std::vector<int>& others);
  void load_first_engines();
  [[nodiscard]] bool wait_until_ready();
  void play(std::optional<Duration> duration);
  void finish();
  void end_threads();
  void end_loader();
  RunSummary summarise();

  void answer(Reconfiguration& wanted, TimePoint now);

  // One message, or what time asks for; false when the run is to end.
  bool step(std::optional<TimePoint> until);
  void look_around(TimePoint now);
  void update_board();

  void solve(const action::Solve& solve, TimePoint) override { solver_->submit(solve.snapshot); }
  void load(const action::Load& load, TimePoint now) override { loader_->load(load, now); }
  void warm(const action::Warm& warm, TimePoint) override { loader_->warm(warm); }
  void unload(EngineKey engine, TimePoint) override { loader_->unload(engine); }
  void set_urgency(bool urgent) override { loader_->set_urgency(urgent); }
  void swap(const action::Swap& swap, std::optional<ServingEngine> engine, TimePoint) override;
  void with_desk(const UseDesk& use) override { serving_->with_desk(use); }
  void add_task(TaskIndex task, TimePoint) override;
  void close_source(TaskIndex task, TimePoint) override { captures_->stop(task); }
  void renew_task(TaskIndex task, TimePoint) override;
  void remove_task(TaskIndex, TimePoint) override {}  // its source is closed already
  void change_source(TaskIndex task, TimePoint) override { start_capture(task, nullptr); }
  [[nodiscard]] bool source_ended(TaskIndex task) const override { return captures_->ended(task); }
  void start_capture(TaskIndex task, std::unique_ptr<FrameSource> source);

  const RunConfig config_;
  const std::shared_ptr<const EngineBackend> backend_;
  const scheduler::Policy& policy_;
  // Shared with loader threads, which may outlive the shell when a load hangs.
  const std::shared_ptr<const SteadyClock> clock_ = std::make_shared<SteadyClock>();
  const std::shared_ptr<MessageQueue> queue_ = std::make_shared<MessageQueue>(*clock_);

  const FrameDesk::Setup setup_;
  Conductor conductor_;
  const std::shared_ptr<Serving> serving_;  // shared with capture threads, which may outlive the shell
  StatusBoard board_;
  DeviceWatch device_;
  DecodingLoad decoding_{decoding_places(config_, allowed_cpus())};
  ChangeRequests changes_{*queue_};
  FirstSources sources_;  // opened before the run
  const SourceOpener opener_;
  std::optional<Loader> loader_;
  std::optional<SolverThread> solver_;
  std::vector<std::unique_ptr<StallProbe>> probes_;
  std::optional<Captures> captures_;
  std::optional<Workers> workers_;

  TimePoint end_{};
  TimePoint next_look_{};
  TimePoint next_status_{};
};

// --- Opening --------------------------------------------------------------------------------------

RealShell::Impl::Impl(RunConfig config, std::shared_ptr<const EngineBackend> backend,
                      const scheduler::Policy& policy, RunHooks hooks, FirstSources sources,
                      SourceOpener opener, std::unique_ptr<EnergyMeter> meter)
    : config_(std::move(config)),
      backend_(std::move(backend)),
      policy_(policy),
      setup_(placed_desk(config_)),
      conductor_(config_, std::move(hooks), *this),
      serving_(std::make_shared<Serving>(setup_, conductor_.hooks().drop_events, *clock_, *queue_,
                                         to_duration(config_.runtime.inference_timeout))),
      device_(std::move(meter), conductor_),
      sources_(std::move(sources)),
      opener_(std::move(opener)) {
  update_board();
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
  FirstSources sources = open_first_sources(config, opener, errors);
  if (!errors.empty()) return errors;
  return std::unique_ptr<RealShell>(
      new RealShell(std::make_unique<Impl>(std::move(config), std::move(backend), policy, std::move(hooks),
                                           std::move(sources), opener, std::move(meter))));
}

RealShell::RealShell(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RealShell::~RealShell() = default;
RunSummary RealShell::run(std::optional<Duration> duration) { return impl_->run(duration); }
void RealShell::stop() { impl_->stop(); }
ChangeResult<std::uint64_t> RealShell::reconfigure(RunConfig config) {
  return impl_->reconfigure(std::move(config));
}
RunStatus RealShell::status() const { return impl_->status(); }
RunOutline RealShell::outline(const std::optional<TaskId>& only) const { return impl_->outline(only); }
Duration RealShell::elapsed() const { return impl_->elapsed(); }
PushVerdict RealShell::push(TaskNumber task, PushedFrame frame, AnswerFrame answer) {
  return impl_->push(task, std::move(frame), std::move(answer));
}
LatestFrame::Look RealShell::latest_frame(TaskNumber task) const { return impl_->latest_frame(task); }
std::optional<LatestAnswer> RealShell::latest_answer(TaskNumber task) const {
  return impl_->latest_answer(task);
}

// --- The course of a run --------------------------------------------------------------------------

RunSummary RealShell::Impl::run(std::optional<Duration> duration) {
  const OffTheProcessors off(config_);
  try {
    start_threads(off.others());
    load_first_engines();
    play(duration);
    finish();
  } catch (...) {  // a hook's: nothing that uses the shell may go on after it, or wait for it
    end_threads();
    while (const auto message = queue_->take(clock_->now())) {
      if (const auto* late = std::get_if<std::shared_ptr<Reconfiguration>>(&message->what))
        ChangeRequests::refuse(**late);
    }
    throw;
  }
  return summarise();
}

void RealShell::Impl::start_threads(const std::vector<int>& others) {
  loader_.emplace(backend_, config_.runtime, config_.processors, clock_, queue_);
  solver_.emplace(policy_, config_.solver_deadline, *clock_, *queue_);
  device_.open();
  const auto held = [this](int cpu, const CpuHold& hold) { serving_->held(cpu, hold); };
  for (const int cpu : probed_cpus(setup_.places)) {
    probes_.push_back(std::make_unique<StallProbe>(*clock_, cpu, held));
  }
  workers_.emplace(config_.processors, clock_, queue_, serving_, *loader_, conductor_);
  workers_->start();
  captures_.emplace(clock_, serving_, queue_, opener_, others, conductor_.hooks().results);
  for (TaskIndex task = 0; task < sources_.size(); ++task) start_capture(task, std::move(sources_[task]));
}

void RealShell::Impl::load_first_engines() {
  conductor_.begin(clock_->now());
  changes_.open();
  const bool go_on = wait_until_ready();
  const TimePoint start = clock_->now();
  conductor_.start(start);
  end_ = start;
  serving_->start(start);
  device_.start(start);
  if (!go_on) stop();  // asked to end before it began: the request is seen again
}

// For the first engines, and a moment for the sources, so that their first frames are not missed. False:
// asked to end.
bool RealShell::Impl::wait_until_ready() {
  const TimePoint open_by = clock_->now() + kOpeningPatience;
  for (;;) {
    const TimePoint now = clock_->now();
    const bool ready = conductor_.ready(now);
    if (ready && (captures_->opening() == 0 || now >= open_by)) return true;
    if (!step(ready ? open_by : conductor_.ready_by())) return false;
  }
}

void RealShell::Impl::play(std::optional<Duration> duration) {
  const std::optional<TimePoint> end =
      duration ? std::optional(*conductor_.started() + *duration) : std::nullopt;
  for (;;) {
    const TimePoint now = clock_->now();
    while (const scheduler::Snapshot* state = conductor_.take_state(now)) {
      conductor_.want(*state, now);
      update_board();
    }
    std::optional<TimePoint> until = end;
    if (const auto change = conductor_.next_state_at()) until = until ? std::min(*until, *change) : change;
    if (!step(until)) break;
    if (end && clock_->now() >= *end) break;
  }
  end_ = end ? std::min(clock_->now(), *end) : clock_->now();
}

void RealShell::Impl::finish() {
  changes_.close();
  device_.read_energy(clock_->now());
  end_threads();
  // What the threads still had to say belongs to the run; what the controller would do next does not.
  while (const auto message = queue_->take(clock_->now())) {
    const auto* event = std::get_if<Event>(&message->what);
    if (event && (std::holds_alternative<event::FramesLost>(*event) ||
                  std::holds_alternative<event::Swapped>(*event))) {
      conductor_.note(*event, clock_->now());
    }
    if (const auto* dropped = std::get_if<Drop>(&message->what)) conductor_.tell_drop(*dropped, message->at);
    if (const auto* late = std::get_if<std::shared_ptr<Reconfiguration>>(&message->what))
      ChangeRequests::refuse(**late);
  }
  update_board();
  end_loader();
}

// Sources first, then the frames under way, then workers, probes and solver; none of them waits for a thread
// that hangs.
void RealShell::Impl::end_threads() {
  changes_.close();
  serving_->stop_sources(end_);
  if (captures_) (void)captures_->join(kJoinPatience);
  serving_->finish_frames(kShutdownPatience);
  if (workers_) workers_->end(kJoinPatience);
  probes_.clear();
  solver_.reset();
}

// Last, since an engine is destroyed with it. A thread that hangs in an engine or a driver still uses its
// library.
void RealShell::Impl::end_loader() {
  if (!loader_) return;
  const auto loads = loader_->threads();
  loader_.reset();
  const auto hang = [loads, works = workers_ ? workers_->threads() : loads,
                     captures = captures_ ? captures_->still_run() : [] { return false; }] {
    return loads->count() > 0 || works->count() > 0 || captures();
  };
  if (!hang()) return;
  conductor_.tell(clock_->now(), {EventKind::fault, "",
                                  "an engine or a source did not return; its thread ends with the process"});
  skip_destructors_while(hang);
}

bool RealShell::Impl::step(std::optional<TimePoint> until) {
  TimePoint wake = std::min(next_look_, until.value_or(TimePoint::max()));
  if (const auto tick = conductor_.controller().next_tick()) wake = std::min(wake, *tick);
  if (auto message = queue_->take(wake)) {
    if (std::holds_alternative<StopRequest>(message->what)) return false;
    if (const auto* event = std::get_if<Event>(&message->what)) {
      conductor_.on(*event, clock_->now());
      update_board();
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
    update_board();
  }
  look_around(now);
  return true;
}

// --- Another configuration ------------------------------------------------------------------------

void RealShell::Impl::answer(Reconfiguration& wanted, TimePoint now) {
  Result<std::uint64_t> generation = conductor_.reconfigure(std::move(wanted.config), now);
  update_board();
  wanted.answer.set_value(std::move(generation));
}

void RealShell::Impl::start_capture(TaskIndex task, std::unique_ptr<FrameSource> source) {
  const TaskConfig& config = conductor_.roster().config(task);
  serving_->name_task(
      task, std::make_shared<const ServedTask>(ServedTask{config.id, conductor_.roster().profiles(task)}));
  serving_->with_desk([&](FrameDesk& desk, TimePoint at) { desk.set_pushed(task, config.pushed(), at); });
  if (config.pushed()) return captures_->stop(task);
  captures_->start(task, config, conductor_.roster().profiles(task), std::move(source));
}

void RealShell::Impl::add_task(TaskIndex task, TimePoint) {
  if (task == serving_->task_count()) serving_->add_task();
  start_capture(task, nullptr);
}

void RealShell::Impl::renew_task(TaskIndex task, TimePoint) {
  captures_->forget(task);
  serving_->renew_task(task);
}

// --- Inside ---------------------------------------------------------------------------------------

void RealShell::Impl::update_board() {
  board_.update(conductor_);
  if (const auto& plan = conductor_.controller().plan()) serving_->set_generation(plan->generation);
}

void RealShell::Impl::look_around(TimePoint now) {
  loader_->watch(now);
  if (now >= next_look_) {
    captures_->look(now);
    workers_->watch(now);
    for (const TaskIndex task : conductor_.roster().removed()) {
      if (captures_->ended(task)) serving_->free_frames(task);
    }
    next_look_ = now + kLookAround;
    device_.look(now);
    if (!conductor_.controller().solving()) {
      auto measured = serving_->with_desk([&](FrameDesk& desk, TimePoint) { return desk.look(now); });
      if (!measured.empty()) conductor_.on(event::Measured{std::move(measured)}, now);
    }
    if (decoding_.due(now)) {
      auto changed = decoding_.look(serving_->decoding_times(), now);
      if (!changed.empty()) conductor_.on(event::Decoding{std::move(changed)}, now);
    }
    for (const TaskIndex task : serving_->lost_sources(now)) conductor_.on(event::SourceLost{task}, now);
    update_board();
  }
  if (conductor_.hooks().status && now >= next_status_) {
    next_status_ = now + conductor_.hooks().status_interval;
    conductor_.hooks().status(status());
  }
}

void RealShell::Impl::swap(const action::Swap& swap, std::optional<ServingEngine> engine, TimePoint) {
  if (engine) {
    engine->engine = &loader_->engine(engine->key);
    engine->chain = loader_->chain(engine->key);
    engine->decoder = &loader_->decoder(engine->key);
  }
  const Duration time = serving_->swap(swap, engine);
  if (engine) queue_->post(Event(event::Swapped{engine->key, time}));
}

RunSummary RealShell::Impl::summarise() {
  std::vector<RunTask> tasks = conductor_.run_tasks();
  for (TaskIndex task = 0; task < tasks.size(); ++task) {
    tasks[task].labelled_images = captures_->labelled_images(task);
  }
  RunSummary summary = serving_->with_desk([&](FrameDesk& desk, TimePoint) {
    return runtime::summarise(desk, std::move(tasks), conductor_.controller().switches(), end_);
  });
  const Serving::View view = serving_->view();
  conductor_.complete(summary, view.busy, view.corrections);
  device_.complete(summary);
  return summary;
}

}  // namespace saccade::runtime
