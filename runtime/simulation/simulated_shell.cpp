#include "runtime/simulation/simulated_shell_impl.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "runtime/run/limits.hpp"
#include "runtime/run/reconfiguration.hpp"

namespace saccade::runtime {
namespace {

constexpr std::uint64_t kClients = 0x636C69656E7473U;             // another sequence than the latencies'
constexpr Duration kBeforeTheEnd = std::chrono::milliseconds(6);  // a solve, and the load has begun

}  // namespace

SimulatedShell::Impl::Impl(RunConfig config, const scheduler::Policy& policy, SimulationOptions options,
                           RunHooks hooks)
    : config_(std::move(config)),
      profiled_through_(config_.timeline.front().slowdowns),
      policy_(policy),
      options_(std::move(options)),
      dice_(options_.seed),
      clients_(options_.seed ^ kClients),
      hooks_(std::move(hooks)),
      conductor_(config_, watched_hooks(), *this),
      desk_(desk_setup(config_), *this),
      decoding_(options_.decoding ? options_.decoding->places : DecodingPlaces{}),
      processors_(config_.processors.size()),
      tick_versions_(config_.tasks.size()),
      driver_({.points = options_.faults,
               .seed = options_.seed,
               .duration = options_.duration,
               .load_timeout = to_duration(config_.runtime.load_timeout),
               .solver_deadline = to_duration(config_.solver_deadline),
               .tasks = config_.tasks.size(),
               .processors = config_.processors.size()}),
      faults_(options_.script ? *options_.script : driver_),
      invariants_(config_, conductor_.controller(), desk_),
      camera_well_(config_.tasks.size(), 1) {
  places_.resize(config_.tasks.size());
  std::iota(places_.begin(), places_.end(), std::size_t{0});
  for (TaskIndex task = 0; task < config_.tasks.size(); ++task) {
    desk_.set_pushed(task, config_.tasks[task].pushed(), now_);
  }
}

RunHooks SimulatedShell::Impl::watched_hooks() {
  RunHooks watched = hooks_;
  watched.event = [this](Duration at, const action::Report& report) {
    invariants_.report(report, now_);
    if (hooks_.event) hooks_.event(at, report);
  };
  watched.action = [this](const Action& action, TimePoint now) {
    std::visit([&](const auto& each) { watch(each, now); }, action);
    if (hooks_.action) hooks_.action(action, now);
  };
  return watched;
}

// --- The course of a run --------------------------------------------------------------------------

SimulationResult SimulatedShell::Impl::run() {
  begin();
  load_first_engines();
  start();
  play();
  return finish();
}

void SimulatedShell::Impl::begin_at_once() {
  begin();
  start();
}

void SimulatedShell::Impl::run_until(Duration at) {
  end_ = start_ + at;
  schedule_weather();
  play();
}

Result<std::uint64_t> SimulatedShell::Impl::reconfigure(RunConfig config) {
  now_ = std::max(now_, end_);
  config_ = config;
  removed_.clear();
  state_ = 0;
  for (TaskIndex task = 0; task < places_.size(); ++task) places_[task] = place_of(task);
  asked_ = true;
  invariants_.wants(state(), now_);
  Result<std::uint64_t> generation = conductor_.reconfigure(std::move(config), now_);
  invariants_.reconfigured(generation.ok());
  schedule_controller();
  return generation;
}

SimulationResult SimulatedShell::Impl::finish() {
  wind_up();
  return result();
}

void SimulatedShell::Impl::begin() {
  invariants_.wants(state(), now_);
  conductor_.begin(now_);
  note_priorities();
  schedule_controller();
}

void SimulatedShell::Impl::load_first_engines() {
  while (!conductor_.ready(now_) && !invariants_.breach()) {
    if (queue_.empty() || queue_.next_at() > conductor_.ready_by()) now_ = conductor_.ready_by();
    if (!conductor_.ready(now_)) step();
  }
}

void SimulatedShell::Impl::start() {
  start_ = now_;
  end_ = now_ + options_.duration;
  conductor_.start(now_);
  desk_.start(now_);
  invariants_.start(now_);
  for (TaskIndex task = 0; task < tick_versions_.size(); ++task) schedule_tick(task);
  if (const auto at = conductor_.next_state_at()) queue_.push(*at, Happening::state);
  queue_.push(now_, Happening::look_around);
  schedule_weather();
  if (driver_.enabled(Fault::shutdown_in_load)) {
    queue_.push(end_ - std::min(kBeforeTheEnd, options_.duration), Happening::change_wanted);
  }
}

void SimulatedShell::Impl::play() {
  while (queue_.next_at() < end_ && !invariants_.breach()) step();
}

void SimulatedShell::Impl::wind_up() {
  if (invariants_.breach()) end_ = now_;
  stopping_ = true;
  if (driver_.enabled(Fault::shutdown_in_load) && loader_.at_work()) driver_.hit(Fault::shutdown_in_load);
  const TimePoint last = end_ + kShutdownPatience;
  while (!desk_.dispatcher().idle() && !queue_.empty() && queue_.next_at() <= last) step();
  now_ = std::max(now_, end_);
  desk_.drop_waiting(DropReason::shutdown, now_);
  while (!desk_.dispatcher().idle()) step();
  // Events still pending belong to the run.
  while (!news_.empty()) hear_news();
  invariants_.run_ends(now_);
}

SimulationResult SimulatedShell::Impl::result() {
  SimulationResult result;
  result.summary = summarise(desk_, conductor_.run_tasks(), conductor_.controller().switches(), end_);
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
  result.faults = driver_.counts();
  result.breach = invariants_.breach();
  return result;
}

// --- The outside ----------------------------------------------------------------------------------

Result<std::unique_ptr<SimulatedShell>> SimulatedShell::open(RunConfig config,
                                                             const scheduler::Policy& policy,
                                                             SimulationOptions options, RunHooks hooks) {
  if (Errors errors = not_executable(config); !errors.empty()) return errors;
  return std::unique_ptr<SimulatedShell>(new SimulatedShell(
      std::make_unique<Impl>(std::move(config), policy, std::move(options), std::move(hooks))));
}

SimulatedShell::SimulatedShell(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SimulatedShell::~SimulatedShell() = default;
SimulationResult SimulatedShell::run() { return impl_->run(); }
void SimulatedShell::begin() { impl_->begin_at_once(); }
void SimulatedShell::run_until(Duration at) { impl_->run_until(at); }
Result<std::uint64_t> SimulatedShell::reconfigure(RunConfig config) {
  return impl_->reconfigure(std::move(config));
}
SimulationResult SimulatedShell::finish() { return impl_->finish(); }
const Controller& SimulatedShell::controller() const { return impl_->controller(); }
const FrameDesk& SimulatedShell::desk() const { return impl_->desk(); }
const std::optional<Breach>& SimulatedShell::breach() const { return impl_->breach(); }

}  // namespace saccade::runtime
