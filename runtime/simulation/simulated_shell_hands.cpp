#include "runtime/simulation/simulated_shell_impl.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kSwap{400};

// Rates enter as whole micro-frames per second.
std::uint64_t number(Fps rate) { return static_cast<std::uint64_t>(std::llround(rate.value() * 1e6)); }

}  // namespace

// --- Hands ----------------------------------------------------------------------------------------

void SimulatedShell::Impl::solve(const action::Solve& solve, TimePoint now) {
  SACCADE_CHECK(!solving_);
  solving_ = solve.snapshot;
  const FaultSource::Fate fate = faults_.solve();
  solve_time_ = fate.takes.value_or(solve_latency_.draw(dice_) * fate.factor);
  solve_fails_ = !fate.errors.empty();
  queue_.push(now + solve_time_, Happening::plan_ready);
}

void SimulatedShell::Impl::load(const action::Load& load, TimePoint now) {
  engines_[load.engine] = engine_model(load, config_.processors.at(load.processor).id, now);
  loader_.put({LoaderModel::Kind::load, load.engine, now});
  start_jobs();
}

void SimulatedShell::Impl::warm(const action::Warm& warm, TimePoint /*now*/) {
  EngineModel& engine = engines_.at(warm.engine);
  engine.warm_up = warm.inferences;
  loader_.put({LoaderModel::Kind::warm, warm.engine, engine.asked});
  start_jobs();
}

void SimulatedShell::Impl::unload(EngineKey engine, TimePoint now) {
  loader_.put({LoaderModel::Kind::unload, engine, now});
  start_jobs();
}

void SimulatedShell::Impl::swap(const action::Swap& swap, std::optional<ServingEngine> engine,
                                TimePoint now) {
  desk_.swap(swap, engine, now);
  if (!swap.engine) return;
  post(event::Swapped{*swap.engine, kSwap});
  start_frame(swap.processor);
}

void SimulatedShell::Impl::add_task(TaskIndex task, TimePoint /*now*/) {
  hash_.mix(task);
  const bool pushed = conductor_.roster().config(task).pushed();
  invariants_.task_added(task, pushed);
  if (task < places_.size()) return;
  desk_.add_task();
  desk_.set_pushed(task, pushed, now_);
  tick_versions_.push_back(0);
  camera_well_.push_back(1);
  places_.push_back(place_of(task));
}

void SimulatedShell::Impl::renew_task(TaskIndex task, TimePoint /*now*/) {
  hash_.mix(task);
  invariants_.task_renewed(task);
  desk_.set_pushed(task, conductor_.roster().config(task).pushed(), now_);
  camera_well_[task] = 1;
  places_[task] = place_of(task);
}

std::size_t SimulatedShell::Impl::place_of(TaskIndex task) const {
  const auto& tasks = config_.tasks;
  const TaskId& id = conductor_.roster().config(task).id;
  const auto place =
      std::find_if(tasks.begin(), tasks.end(), [&](const auto& each) { return each.id == id; });
  return static_cast<std::size_t>(place - tasks.begin());
}

void SimulatedShell::Impl::remove_task(TaskIndex task, TimePoint now) {
  hash_.mix(task);
  invariants_.task_removed(task, now);
  ++tick_versions_[task];  // its clients send no more
}

void SimulatedShell::Impl::change_source(TaskIndex task, TimePoint /*now*/) { hash_.mix(task); }

// --- What the hash and the invariants see of the controller -----------------------------------------

void SimulatedShell::Impl::watch(const action::Solve& solve, TimePoint now) {
  hash_.mix(solve.snapshot.generation);
  invariants_.solve(solve.snapshot, now);
}

void SimulatedShell::Impl::watch(const action::Load& load, TimePoint now) {
  hash_.mix(load.engine, load.task, load.variant, load.processor);
  invariants_.load(load, now);
}

void SimulatedShell::Impl::watch(const action::Warm& warm, TimePoint /*now*/) {
  invariants_.warm(warm.engine);
}

void SimulatedShell::Impl::watch(const action::Unload& unload, TimePoint /*now*/) {
  hash_.mix(unload.engine);
  invariants_.unload(unload.engine);
}

void SimulatedShell::Impl::watch(const action::Swap& swap, TimePoint now) {
  hash_.mix(swap.task, swap.engine.value_or(0), swap.old.value_or(0));
  invariants_.swap(swap, now);
}

void SimulatedShell::Impl::watch(const action::SetRate& rate, TimePoint /*now*/) {
  hash_.mix(rate.task, number(rate.rate), rate.shadow ? number(*rate.shadow) + 1 : 0);
  invariants_.rate(rate);
}

void SimulatedShell::Impl::watch(const action::SetDemand& demand, TimePoint /*now*/) {
  hash_.mix(demand.task, number(demand.demand));
  invariants_.demand(demand.task, demand.demand);
}

void SimulatedShell::Impl::watch(const action::SetSolving& solving, TimePoint /*now*/) {
  hash_.mix(solving.pending ? 1U : 0U);
  invariants_.solving(solving.pending);
}

void SimulatedShell::Impl::watch(const action::SetUrgency& urgency, TimePoint /*now*/) {
  invariants_.urgency(urgency.urgent);
}

void SimulatedShell::Impl::watch_plan() {
  if (conductor_.controller().plan() == watched_plan_) return;
  watched_plan_ = conductor_.controller().plan();
  for (TaskIndex task = 0; task < watched_plan_->tasks.size(); ++task) {
    const Fps granted = watched_plan_->tasks[task].granted;
    hash_.mix(task, number(granted));
    invariants_.granted(task, granted);
  }
}

// --- FrameEvents ----------------------------------------------------------------------------------

void SimulatedShell::Impl::post(Event event) {
  news_.push_back(std::move(event));
  queue_.push(now_, Happening::news);
}

void SimulatedShell::Impl::dropped(const Drop& drop, TimePoint at) {
  hash_.mix(drop.frame << 8U | static_cast<std::uint64_t>(drop.reason) << 4U |
            static_cast<std::uint64_t>(drop.cause));
  invariants_.dropped(drop);
  if (conductor_.hooks().drop_events) conductor_.tell_drop(drop, at);
}

}  // namespace saccade::runtime
