#include "runtime/run/conductor.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "runtime/control/exclusions.hpp"
#include "runtime/run/reconfiguration.hpp"

namespace saccade::runtime {
namespace {

std::string factor_text(double factor) {
  std::string text = std::to_string(factor);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

ControllerOptions controller_options(const RunConfig& config) {
  ControllerOptions options;
  options.runtime = config.runtime;
  for (const ProcessorConfig& processor : config.processors)
    options.load_pauses.push_back(processor.load_pause);
  return options;
}

}  // namespace

Conductor::Conductor(const RunConfig& config, RunHooks hooks, Hands& hands)
    : config_(config),
      roster_(config),
      hooks_(std::move(hooks)),
      hands_(hands),
      controller_(controller_options(config)) {
  SACCADE_CHECK(!config.timeline.empty() && config.timeline.front().at == Duration(0));
  wanted_ = std::make_shared<const scheduler::Snapshot>(config.timeline.front().snapshot);
}

void Conductor::begin(TimePoint now) {
  ready_by_ = now + 2 * to_duration(config_.runtime.load_timeout);
  slow_down(config_.timeline.front(), now);
  scheduler::Snapshot first = config_.timeline.front().snapshot;
  hands_.with_desk([&](FrameDesk& desk, TimePoint) {
    for (ProcessorIndex p = 0; p < first.processors.size(); ++p) {
      first.processors[p].guard = desk.kept_guard(p).value_or(first.processors[p].guard);
    }
  });
  want(first, now);
}

void Conductor::want(const scheduler::Snapshot& wanted, TimePoint now) { want(wanted, {}, now); }

void Conductor::want(const scheduler::Snapshot& wanted, const std::vector<TaskIndex>& renewed,
                     TimePoint now) {
  wanted_ = std::make_shared<const scheduler::Snapshot>(wanted);
  scheduler::Snapshot by_index = roster_.by_index(wanted);
  std::vector<double> corrections;
  hands_.with_desk([&](FrameDesk& desk, TimePoint at) {
    for (TaskIndex task = 0; task < by_index.tasks.size(); ++task) {
      desk.set_priority(task, by_index.tasks[task].priority);
    }
    corrections = desk.revised_corrections(at);
  });
  event::Change change{std::move(by_index), roster_.removed(), renewed, std::move(corrections)};
  change.spares = roster_.standbys();
  on(change, now);
}

Result<std::uint64_t> Conductor::reconfigure(RunConfig config, TimePoint now) {
  if (Errors errors = cannot_take_over(config_, config); !errors.empty()) {
    tell(now, {EventKind::fault, "", "a configuration is refused, nothing is changed: " + to_string(errors)});
    return errors;
  }
  const std::vector<RunTask> before = run_tasks();
  const TaskRoster::Change change = roster_.take(config, settled_tasks());
  config_ = std::move(config);
  std::vector<Duration> starts;
  for (const TimelineState& state : config_.timeline) starts.push_back(state.at);
  hands_.with_desk([&](FrameDesk& desk, TimePoint at) { desk.retime(starts, at); });
  next_state_ = 1;
  while (const auto at = next_state_at()) {
    if (*at > now) break;
    ++next_state_;
  }
  for (const TaskIndex task : change.removed) hands_.close_source(task, now);
  for (const TaskIndex task : change.resourced) hands_.close_source(task, now);
  for (const TaskIndex task : change.renewed) {
    forget_books(task, before[task]);
    hands_.renew_task(task, now);
  }
  for (const TaskIndex task : change.added) hands_.add_task(task, now);
  slow_down(config_.timeline[next_state_ - 1], now);
  want(config_.timeline[next_state_ - 1].snapshot, change.renewed, now);
  for (const TaskIndex task : change.removed) {
    hands_.remove_task(task, now);
    hands_.with_desk([task](FrameDesk& desk, TimePoint) { desk.remove_task(task); });
  }
  for (const TaskIndex task : change.resourced) hands_.change_source(task, now);
  show_plan();
  return controller_.generation();
}

std::vector<TaskIndex> Conductor::settled_tasks() {
  std::vector<TaskIndex> settled;
  for (const TaskIndex task : roster_.removed()) {
    if (!controller_.at_rest(task) || !hands_.source_ended(task)) continue;
    hands_.with_desk([&](const FrameDesk& desk, TimePoint) {
      if (desk.settled(task)) settled.push_back(task);
    });
  }
  return settled;
}

void Conductor::forget_books(TaskIndex task, const RunTask& of) {
  hands_.with_desk([&](FrameDesk& desk, TimePoint) {
    EnergyModel energy;
    energy.add_frames(*of.profiles, of.regions, desk.ledger().task(task));
    if (forgotten_energy_ && energy.total()) {
      *forgotten_energy_ += *energy.total();
    } else {
      forgotten_energy_.reset();
    }
    desk.renew_task(task);
  });
}

void Conductor::on(const Event& event, TimePoint now) {
  if (const auto* ready = std::get_if<event::PlanReady>(&event)) solve_times_.add(ready->solve_time);
  if (const auto* warm = std::get_if<event::WarmFinished>(&event))
    tell_engine(EventKind::warm, warm->engine, now);
  if (const auto* drained = std::get_if<event::Drained>(&event))
    tell_engine(EventKind::drain, drained->engine, now);
  if (const auto* decoding = std::get_if<event::Decoding>(&event)) {
    hands_.with_desk([&](FrameDesk& desk, TimePoint at) {
      for (const DecodingLoad::Change& each : decoding->processors) desk.relieve_guard(each.processor, at);
    });
  }
  for (const Action& action : controller_.on(event, now)) {
    if (hooks_.action) hooks_.action(action, now);
    std::visit([&](const auto& each) { carry_out(each, now); }, action);
  }
  // Nothing came into being, so that no Unload will follow. What fails to warm up is unloaded.
  const auto* loaded = std::get_if<event::LoadFinished>(&event);
  if (loaded && !loaded->errors.empty()) loading_.erase(loaded->engine);
  note_plan();
}

void Conductor::note(const Event& event, TimePoint now) { (void)controller_.on(event, now); }

void Conductor::start(TimePoint now) { start_ = now; }

std::optional<TimePoint> Conductor::next_state_at() const {
  if (!start_ || next_state_ >= config_.timeline.size()) return std::nullopt;
  return *start_ + config_.timeline[next_state_].at;
}

const scheduler::Snapshot* Conductor::take_state(TimePoint now) {
  const std::optional<TimePoint> at = next_state_at();
  if (!at || *at > now) return nullptr;
  const TimelineState& state = config_.timeline[next_state_++];
  slow_down(state, now);
  return &state.snapshot;
}

void Conductor::slow_down(const TimelineState& state, TimePoint now) {
  if (state.slowdowns == slowdowns_) return;
  const std::vector<double> before = std::exchange(slowdowns_, state.slowdowns);
  hands_.with_desk([this](FrameDesk& desk, TimePoint) { desk.set_slowdowns(slowdowns_); });
  for (ProcessorIndex p = 0; start_ && p < config_.processors.size(); ++p) {
    const double now_is = slowdown_of(slowdowns_, p), was = slowdown_of(before, p);
    if (now_is == was) continue;
    tell(now, {EventKind::fault, "",
               "emulated: processor " + config_.processors[p].id.str() + " takes " + factor_text(now_is) +
                   " times its own time (before: " + factor_text(was) + ")"});
  }
}

// --- Actions --------------------------------------------------------------------------------------

void Conductor::note_plan() {
  if (controller_.plan() == noted_plan_) return;
  noted_plan_ = controller_.plan();
  show_plan();
  if (!noted_plan_) return;
  hands_.with_desk([this](FrameDesk& desk, TimePoint at) {
    for (TaskIndex task = 0; task < noted_plan_->tasks.size(); ++task) {
      desk.set_granted(task, noted_plan_->tasks[task].granted, at);
    }
  });
}

// Its index may have belonged to another task when the plan was made.
bool Conductor::plans_for(const scheduler::Plan& plan, TaskIndex task) const {
  return task < plan.tasks.size() && plan.tasks[task].task == roster_.config(task).id;
}

void Conductor::show_plan() {
  shown_plan_ = noted_plan_;
  if (!noted_plan_) return;
  const std::vector<TaskIndex>& order = roster_.order();
  std::vector<TaskIndex> known(noted_plan_->tasks.size());
  std::iota(known.begin(), known.end(), TaskIndex{0});
  if (order == known && std::all_of(order.begin(), order.end(),
                                    [&](TaskIndex task) { return plans_for(*noted_plan_, task); })) {
    return;
  }
  auto shown = std::make_shared<scheduler::Plan>(*noted_plan_);
  shown->tasks.clear();
  for (const TaskIndex task : order) {
    if (plans_for(*noted_plan_, task)) {
      shown->tasks.push_back(noted_plan_->tasks[task]);
      continue;
    }
    scheduler::Assignment& off = shown->tasks.emplace_back();
    off.task = roster_.config(task).id;
    off.demand = wanted_->tasks[*roster_.position(task)].demand;
    off.time_share.assign(config_.processors.size(), 0.0);
  }
  const auto removed = [&](const std::string& task) {
    return !task.empty() && std::none_of(shown->tasks.begin(), shown->tasks.end(),
                                         [&](const auto& each) { return each.task.str() == task; });
  };
  std::erase_if(shown->considered, [&](const auto& trace) { return removed(trace.task.str()); });
  std::erase_if(shown->reasons, [&](const auto& reason) { return removed(reason.task); });
  shown_plan_ = std::move(shown);
}

void Conductor::carry_out(const action::Load& load, TimePoint now) {
  const profiles::Variant& variant = load.profiles->variants.at(load.variant);
  const auto times = profiles::time_per_frame(variant, load.batch);
  const auto found = times.find(config_.processors.at(load.processor).id);
  loading_[load.engine] = {load.task, load.variant, variant.id,
                           found == times.end() ? Duration(0) : to_duration(found->second),
                           stages_of(variant)};
  hands_.load(load, now);
}

std::shared_ptr<const EngineStages> Conductor::stages_of(const profiles::Variant& variant) const {
  if (variant.staging.empty()) return nullptr;
  EngineStages stages;
  stages.max_in_flight = static_cast<std::size_t>(std::max(1, variant.staging.max_in_flight));
  for (const profiles::Stage& stage : variant.staging.stages) {
    EngineStages::One& one = stages.stages.emplace_back();
    one.profiled = to_duration(stage.frame_time);
    for (std::size_t k = 0; k < stage.processors(); ++k)
      one.processors.push_back(processor_index(config_.processors, stage.processor(k)));
  }
  return std::make_shared<const EngineStages>(std::move(stages));
}

void Conductor::carry_out(const action::Swap& swap, TimePoint now) {
  std::optional<ServingEngine> engine;
  if (swap.engine) {
    const Loading& loaded = loading_.at(*swap.engine);
    engine = ServingEngine{nullptr, *swap.engine, loaded.variant, loaded.profiled,
                           nullptr, nullptr,      loaded.stages};
  }
  hands_.swap(swap, engine, now);
}

void Conductor::carry_out(const action::Unload& unload, TimePoint now) {
  loading_.erase(unload.engine);
  hands_.unload(unload.engine, now);
}

void Conductor::carry_out(const action::SetRate& rate, TimePoint /*now*/) {
  hands_.with_desk([&](FrameDesk& desk, TimePoint at) { desk.set_rate(rate, at); });
}

void Conductor::carry_out(const action::SetDemand& demand, TimePoint /*now*/) {
  hands_.with_desk([&](FrameDesk& desk, TimePoint at) { desk.set_demand(demand.task, demand.demand, at); });
}

void Conductor::carry_out(const action::SetSolving& solving, TimePoint /*now*/) {
  hands_.with_desk([&](FrameDesk& desk, TimePoint at) { desk.set_solving(solving.pending, at); });
}

// --- Telling --------------------------------------------------------------------------------------

void Conductor::tell(TimePoint at, const action::Report& report) {
  // What another thread noted may be older than what was told last.
  told_ = std::max(told_, at);
  if (hooks_.event) hooks_.event(start_ ? std::max(told_ - *start_, Duration(0)) : Duration(0), report);
}

void Conductor::tell_engine(EventKind event, EngineKey engine, TimePoint at) {
  const Loading& loaded = loading_.at(engine);
  tell(at, {event, roster_.config(loaded.task).id.str(), loaded.id.str()});
}

void Conductor::tell_drop(const Drop& drop, TimePoint at) {
  tell(at, {EventKind::drop, roster_.config(drop.task).id.str(),
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
  summary.memories = memory_uses(*wanted_, controller_.memory());
  if (!forgotten_energy_) summary.energy.reset();
  if (summary.energy) summary.energy->total += *forgotten_energy_ + wanted_->idle_power * summary.seconds;
  const double seconds = summary.seconds.value();
  for (ProcessorIndex p = 0; p < config_.processors.size(); ++p) {
    const double share = seconds > 0.0 ? to_seconds(busy.at(p)).value() / seconds : 0.0;
    const auto& planned = controller_.processors();
    const Seconds guard = planned.empty() ? wanted_->processors.at(p).guard : planned.at(p).guard;
    summary.processors.push_back(
        {config_.processors[p].id, share, corrections.at(p), guard, slowdown_of(slowdowns_, p)});
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
    const std::size_t index = setup.capacities.size();
    setup.capacities.push_back(processor.capacity);
    const std::optional<GuardOptions>& guard = config.processors.at(index).auto_guard;
    std::optional<FrameDesk::KeptGuard>& kept = setup.guards.emplace_back();
    if (guard) kept = {*guard, processor.guard, Seconds(GuardKeeper::kFirst)};
  }
  setup.tasks = config.tasks.size();
  setup.gate_frames = config.runtime.gate_frames;
  setup.announced = Exclusions::kTrusted;
  for (const TimelineState& state : config.timeline) setup.segment_starts.push_back(state.at);
  return setup;
}

}  // namespace saccade::runtime
