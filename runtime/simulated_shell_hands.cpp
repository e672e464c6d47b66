#include "runtime/simulated_shell_impl.hpp"

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
  start_jobs();
}

void SimulatedShell::Impl::warm(const action::Warm& warm, TimePoint /*now*/) {
  invariants_.warm(warm.engine);
  EngineModel& engine = engines_.at(warm.engine);
  engine.warm_up = warm.inferences;
  loader_.put({LoaderModel::Kind::warm, warm.engine, engine.asked});
  start_jobs();
}

void SimulatedShell::Impl::unload(EngineKey engine, TimePoint now) {
  hash_.mix(engine);
  invariants_.unload(engine);
  loader_.put({LoaderModel::Kind::unload, engine, now});
  start_jobs();
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

void SimulatedShell::Impl::add_task(TaskIndex task, TimePoint /*now*/) {
  hash_.mix(task);
  const bool pushed = conductor_.roster().config(task).pushed();
  invariants_.task_added(task, pushed);
  if (task < places_.size()) return;
  desk_.add_task();
  desk_.set_pushed(task, pushed, now_);
  tick_versions_.push_back(0);
  camera_well_.push_back(1);
  const auto& tasks = config_.tasks;
  const TaskId& id = conductor_.roster().config(task).id;
  const auto place =
      std::find_if(tasks.begin(), tasks.end(), [&](const auto& each) { return each.id == id; });
  places_.push_back(static_cast<std::size_t>(place - tasks.begin()));
}

void SimulatedShell::Impl::remove_task(TaskIndex task, TimePoint now) {
  hash_.mix(task);
  invariants_.task_removed(task, now);
  desk_.remove_task(task);
  ++tick_versions_[task];  // nobody sends any more
}

void SimulatedShell::Impl::change_source(TaskIndex task, TimePoint /*now*/) { hash_.mix(task); }

void SimulatedShell::Impl::retime(const std::vector<Duration>& state_starts, TimePoint now) {
  desk_.retime(state_starts, now);
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

}  // namespace saccade::runtime
