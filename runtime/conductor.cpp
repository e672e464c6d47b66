#include "runtime/conductor.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "runtime/reconfiguration.hpp"

namespace saccade::runtime {

Conductor::Conductor(const RunConfig& config, RunHooks hooks, Hands& hands)
    : config_(config),
      roster_(config),
      hooks_(std::move(hooks)),
      hands_(hands),
      controller_({.runtime = config.runtime}) {
  SACCADE_CHECK(!config.timeline.empty() && config.timeline.front().at == Duration(0));
}

void Conductor::begin(TimePoint now) {
  ready_by_ = now + 2 * to_duration(config_.runtime.load_timeout);
  want(config_.timeline.front().snapshot, now);
}

void Conductor::want(const scheduler::Snapshot& wanted, TimePoint now) {
  wanted_ = std::make_shared<const scheduler::Snapshot>(wanted);
  on(event::Change{roster_.by_index(wanted)}, now);
}

Result<std::uint64_t> Conductor::reconfigure(RunConfig config, TimePoint now) {
  if (Errors errors = cannot_take_over(config_, config); !errors.empty()) {
    tell(now, {"fault", "", "a configuration is refused, nothing is changed: " + to_string(errors)});
    return errors;
  }
  const TaskRoster::Change change = roster_.take(config);
  config_ = std::move(config);
  next_state_ = 1;
  while (take_state(now)) continue;
  want(config_.timeline[next_state_ - 1].snapshot, now);
  return controller_.generation();
}

void Conductor::on(const Event& event, TimePoint now) {
  if (const auto* ready = std::get_if<event::PlanReady>(&event)) solve_times_.add(ready->solve_time);
  if (const auto* warm = std::get_if<event::WarmFinished>(&event)) tell_engine("warm", warm->engine, now);
  if (const auto* drained = std::get_if<event::Drained>(&event)) tell_engine("drain", drained->engine, now);
  for (const Action& action : controller_.on(event, now)) {
    std::visit([&](const auto& each) { carry_out(each, now); }, action);
  }
  // Nothing came into being, so that no Unload will follow. What fails to warm up is unloaded.
  const auto* loaded = std::get_if<event::LoadFinished>(&event);
  if (loaded && !loaded->errors.empty()) loading_.erase(loaded->engine);
  note_plan(now);
}

void Conductor::note(const Event& event, TimePoint now) { (void)controller_.on(event, now); }

void Conductor::start(TimePoint now) { start_ = now; }

std::optional<TimePoint> Conductor::next_state_at() const {
  if (!start_ || next_state_ >= config_.timeline.size()) return std::nullopt;
  return *start_ + config_.timeline[next_state_].at;
}

const scheduler::Snapshot* Conductor::take_state(TimePoint now) {
  const std::optional<TimePoint> at = next_state_at();
  return at && *at <= now ? &config_.timeline[next_state_++].snapshot : nullptr;
}

// --- Actions --------------------------------------------------------------------------------------

void Conductor::note_plan(TimePoint now) {
  if (controller_.plan() == noted_plan_) return;
  noted_plan_ = shown_plan_ = controller_.plan();
  if (!noted_plan_) return;
  for (TaskIndex task = 0; task < noted_plan_->tasks.size(); ++task) {
    hands_.set_granted(task, noted_plan_->tasks[task].granted, now);
  }
}

void Conductor::carry_out(const action::Load& load, TimePoint now) {
  const profiles::Variant& variant = load.profiles->variants.at(load.variant);
  const auto times = profiles::time_per_frame(variant, load.batch);
  const auto found = times.find(config_.processors.at(load.processor).id);
  loading_[load.engine] = {load.task, load.variant, variant.id,
                           found == times.end() ? Duration(0) : to_duration(found->second)};
  hands_.load(load, now);
}

void Conductor::carry_out(const action::Swap& swap, TimePoint now) {
  std::optional<ServingEngine> engine;
  if (swap.engine) {
    const Loading& loaded = loading_.at(*swap.engine);
    engine = ServingEngine{nullptr, *swap.engine, loaded.variant, loaded.profiled};
  }
  hands_.swap(swap, engine, now);
}

void Conductor::carry_out(const action::Unload& unload, TimePoint now) {
  loading_.erase(unload.engine);
  hands_.unload(unload.engine, now);
}

// --- Telling --------------------------------------------------------------------------------------

void Conductor::tell(TimePoint at, const action::Report& report) {
  // What another thread noted may be older than what was told last.
  told_ = std::max(told_, at);
  if (hooks_.event) hooks_.event(start_ ? std::max(told_ - *start_, Duration(0)) : Duration(0), report);
}

void Conductor::tell_engine(const char* event, EngineKey engine, TimePoint at) {
  const Loading& loaded = loading_.at(engine);
  tell(at, {event, roster_.config(loaded.task).id.str(), loaded.id.str()});
}

void Conductor::tell_drop(const Drop& drop, TimePoint at) {
  tell(at, {"drop", roster_.config(drop.task).id.str(),
            std::string("reason=") + to_string(drop.reason) + " cause=" + to_string(drop.cause)});
}

// --- The summary ----------------------------------------------------------------------------------

std::vector<RunTask> Conductor::run_tasks() const {
  std::vector<RunTask> tasks;
  for (TaskIndex task = 0; task < roster_.size(); ++task) {
    tasks.push_back({roster_.config(task).id,
                     roster_.profiles(task),
                     std::nullopt,
                     {},
                     std::max(1, region_count(roster_.config(task).regions))});
  }
  return tasks;
}

void Conductor::complete(RunSummary& summary, const std::vector<Duration>& busy,
                         const std::vector<double>& corrections) const {
  summary.generations = controller_.generation();
  summary.memory_peak = controller_.reserved_peak();
  if (summary.energy) summary.energy->total += wanted_->idle_power * summary.seconds;
  const double seconds = summary.seconds.value();
  for (ProcessorIndex p = 0; p < config_.processors.size(); ++p) {
    const double share = seconds > 0.0 ? to_seconds(busy.at(p)).value() / seconds : 0.0;
    summary.processors.push_back({config_.processors[p].id, share, corrections.at(p)});
  }
  if (solve_times_.count() > 0) {
    summary.solves = {solve_times_.count(), to_seconds(*solve_times_.quantile(0.5)),
                      to_seconds(*solve_times_.max())};
  }
}

// --- Before a run ---------------------------------------------------------------------------------

FrameDesk::Setup desk_setup(const RunConfig& config) {
  FrameDesk::Setup setup;
  for (const scheduler::Processor& processor : config.timeline.front().snapshot.processors) {
    setup.capacities.push_back(processor.capacity);
  }
  setup.tasks = config.tasks.size();
  setup.gate_frames = config.runtime.gate_frames;
  for (const TimelineState& state : config.timeline) setup.segment_starts.push_back(state.at);
  return setup;
}

}  // namespace saccade::runtime
