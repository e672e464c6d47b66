#include "tests/support/simulated_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "scheduler/plan_check.hpp"

namespace saccade::test {

using namespace runtime;

namespace {

constexpr Duration kSecond{1'000'000'000};

scheduler::Plan nothing(const scheduler::Snapshot& snapshot) {
  scheduler::Plan plan = scripted(snapshot, std::vector<std::optional<std::size_t>>(snapshot.tasks.size()));
  plan.status = scheduler::PlanStatus::unknown;
  return plan;
}

}  // namespace

SimulatedRun::SimulatedRun(const scheduler::Snapshot& first, ControllerOptions options)
    : processors_(first.processors),
      gate_frames_(options.runtime.gate_frames),
      policy_(scheduler::make_policy(scheduler::PolicyKind::transprecision, solver_)),
      controller_(options),
      dispatcher_(
          [&] {
            std::vector<double> capacities;
            for (const scheduler::Processor& processor : first.processors) {
              capacities.push_back(processor.capacity);
            }
            return capacities;
          }(),
          first.tasks.size(), options.runtime.gate_frames),
      ledger_(first.tasks.size()),
      ticks_(first.tasks.size()),
      tick_version_(first.tasks.size()),
      routed_(first.tasks.size()),
      running_(first.processors.size()),
      busy_log_(first.processors.size()),
      load_timeout_(to_duration(options.runtime.load_timeout)) {
  planner = [this](const scheduler::Snapshot& snapshot) { return policy_->decide(snapshot, {}); };
  change(TimePoint{}, first);
}

void SimulatedRun::change(TimePoint at_time, scheduler::Snapshot wanted) {
  at(at_time, [this, wanted = std::move(wanted)] {
    wanted_ = wanted;
    send(event::Change{wanted});
  });
}

void SimulatedRun::at(TimePoint at_time, std::function<void()> action) {
  queue_.push({std::max(at_time, now_), ++sequence_, std::move(action)});
}

void SimulatedRun::run_until(TimePoint end) {
  while (!queue_.empty() && queue_.top().at <= end) {
    const Entry entry = queue_.top();
    queue_.pop();
    now_ = entry.at;
    entry.action();
    check_invariants();
    ASSERT_LT(queue_.size(), 10'000U) << "events pile up";
    if (::testing::Test::HasFatalFailure()) return;
  }
  now_ = std::max(now_, end);
}

void SimulatedRun::shut_down() {
  stopped_ = true;
  const TimePoint last = now_ + 2 * kSecond;
  while (!dispatcher_.idle() && now_ < last && !::testing::Test::HasFatalFailure()) {
    run_until(std::min(last, now_ + ms(10)));
  }
  for (const Drop& drop : dispatcher_.drop_all(DropReason::shutdown)) note_drop(drop);
  for (ProcessorIndex p = 0; p < running_.size(); ++p) {
    if (!running_[p]) continue;
    note_drop({running_[p]->start.task, running_[p]->start.frame, DropReason::shutdown, LossCause::other});
    running_[p].reset();
  }
  for (TaskIndex task = 0; task < ticks_.size(); ++task) EXPECT_EQ(frames(task).in_flight, 0);
}

std::int64_t SimulatedRun::lost(TaskIndex task, LossCause cause) const {
  return frames(task).dropped_by_cause[static_cast<std::size_t>(cause)];
}

std::int64_t SimulatedRun::dropped(TaskIndex task, DropReason reason) const {
  return frames(task).dropped[static_cast<std::size_t>(reason)];
}

std::size_t SimulatedRun::reports(const std::string& event) const { return reports(event, ""); }

std::size_t SimulatedRun::reports(const std::string& event, const std::string& part) const {
  return static_cast<std::size_t>(std::count_if(reports_.begin(), reports_.end(), [&](const auto& report) {
    return report.event == event && report.detail.find(part) != std::string::npos;
  }));
}

void SimulatedRun::come_back_late(EngineKey engine) {
  ASSERT_EQ(hung_.erase(engine), 1U);
  send(event::LoadFinished{engine, {}, ms(1)});
}

void SimulatedRun::with_feedback() {
  if (!drift_) drift_.emplace(processors_.size());
  for (ProcessorIndex p = 0; p < processors_.size(); ++p) {
    if (const auto correction = drift_->update(p, {}, 1.0, now_)) send(event::Drift{p, *correction});
  }
  at(now_ + ms(100), [this] { with_feedback(); });
}

void SimulatedRun::send(const Event& event) {
  mix(event.index());
  const auto plan = controller_.plan();
  for (const Action& action : controller_.on(event, now_)) {
    mix(action.index());
    std::visit([&](const auto& a) { do_action(a); }, action);
  }
  if (controller_.plan() != plan) last_plan_ = now_;
  schedule_controller();
}

void SimulatedRun::do_action(const action::Solve& solve) {
  ++solves_;
  const bool nothing_comes = faults.solver_gives_nothing && faults.solver_gives_nothing();
  at(now_ + solve_time, [this, snapshot = solve.snapshot, nothing_comes] {
    const scheduler::Plan plan = nothing_comes ? nothing(snapshot) : planner(snapshot);
    solved_from_ = snapshot;
    limited_ = plan.status == scheduler::PlanStatus::unknown ? limited_ : plan.policy == "transprecision";
    send(event::PlanReady{plan, solve_time});
  });
}

void SimulatedRun::do_action(const action::Load& load) {
  ++loads_;
  // One load at a time; a second loader stands in for one that hangs.
  for (const auto& [engine, since] : on_a_loader_)
    ASSERT_GE(now_, since + load_timeout_) << "two loads at a time";
  ASSERT_LE(on_a_loader_.size(), 1U) << "a third loader";
  ASSERT_FALSE(engines_.contains(load.engine));
  on_a_loader_[load.engine] = now_;
  engines_[load.engine] = {load.task, load.variant, load.batch, load.profiles, load.processor};
  if (limited_ && wanted_.limits.memory) {
    EXPECT_LE(controller_.reserved().value(), wanted_.limits.memory->value() * (1 + 1e-9))
        << "reserved above the limit at " << now_.time_since_epoch().count();
  }
  const LoadFate fate = faults.load ? faults.load(load.task, load.variant) : LoadFate::good;
  if (fate == LoadFate::hangs) {
    hung_.insert(load.engine);
    return;
  }
  const double slowness = faults.load_slowness ? faults.load_slowness() : 1.0;
  const Seconds time = *load.profiles->variants[load.variant].load_time * slowness;
  at(now_ + to_duration(time), [this, key = load.engine, fate, time] {
    Errors errors;
    if (fate == LoadFate::fails) {
      errors.push_back({"model", "is corrupt", ""});
      on_a_loader_.erase(key);
    }
    send(event::LoadFinished{key, errors, to_duration(time)});
  });
}

void SimulatedRun::do_action(const action::Warm& warm) {
  warm_ups.push_back(warm.inferences);
  const EngineInfo& engine = engines_.at(warm.engine);
  const bool fails = faults.warm_fails && faults.warm_fails(engine.task, engine.variant);
  at(now_ + ms(1), [this, key = warm.engine, fails] {
    Errors errors;
    if (fails) errors.push_back({"model", "does not run", ""});
    on_a_loader_.erase(key);
    send(event::WarmFinished{key, errors, ms(1)});
  });
}

void SimulatedRun::do_action(const action::Swap& swap) {
  ASSERT_EQ(routed_[swap.task], swap.old);
  routed_[swap.task] = swap.engine;
  const std::optional<Route> route =
      swap.engine ? std::optional(Route{swap.processor, *swap.engine}) : std::nullopt;
  for (const Drop& drop : dispatcher_.set_route(swap.task, route)) note_drop(drop);
  if (swap.engine) {
    at(now_, [this, key = *swap.engine] { send(event::Swapped{key, Duration(400)}); });
    start_frames(swap.processor);
  }
  if (swap.old) {
    draining_.insert(*swap.old);
    at(now_, [this] { check_drained(); });
  }
}

void SimulatedRun::do_action(const action::Unload& unload) {
  ASSERT_FALSE(dispatcher_.engine_busy(unload.engine)) << "unloaded with a frame in it";
  ASSERT_EQ(std::count(routed_.begin(), routed_.end(), unload.engine), 0) << "unloaded while it serves";
  on_a_loader_.erase(unload.engine);
  at(now_ + ms(1), [this, key = unload.engine] {
    engines_.erase(key);
    send(event::Unloaded{key});
  });
}

void SimulatedRun::do_action(const action::SetRate& rate) {
  dispatcher_.set_rate(rate.task, rate.rate, rate.shadow, now_);
  ledger_.set_granted(rate.task, rate.shadow.value_or(rate.rate), now_);
}

void SimulatedRun::do_action(const action::SetDemand& demand) {
  ticks_[demand.task].set_demand(demand.demand, now_);
  dispatcher_.set_demand(demand.task, demand.demand);
  ledger_.set_active(demand.task, demand.demand.value() > 0.0, now_);
  schedule_tick(demand.task);
}

void SimulatedRun::do_action(const action::SetSolving& solving) { dispatcher_.set_solving(solving.pending); }

void SimulatedRun::do_action(const action::Report& report) { reports_.push_back(report); }

void SimulatedRun::schedule_tick(TaskIndex task) {
  const std::optional<TimePoint> due = ticks_[task].next();
  const std::uint64_t version = ++tick_version_[task];
  if (!due || stopped_) return;
  at(*due, [this, task, version] {
    if (version == tick_version_[task] && !stopped_) tick(task);
  });
}

void SimulatedRun::tick(TaskIndex task) {
  const TimePoint due = ticks_[task].take();
  ledger_.tick(task, due);
  schedule_tick(task);
  if (faults.camera_delivers && !faults.camera_delivers(task)) return;
  const FrameNumber frame = ++next_frame_;
  ledger_.received(task, frame);
  if (const std::optional<Drop> drop = dispatcher_.offer(task, frame, due, ticks_[task].period())) {
    note_drop(*drop);
  }
  for (ProcessorIndex p = 0; p < running_.size(); ++p) start_frames(p);
}

void SimulatedRun::start_frames(ProcessorIndex processor) {
  const std::optional<Start> start = dispatcher_.next(processor, now_);
  if (!start) {
    if (const auto until = dispatcher_.spent_until(processor, now_); until && !running_[processor]) {
      at(*until, [this, processor] { start_frames(processor); });
    }
    return;
  }
  check_start(processor);
  const EngineInfo& engine = engines_.at(start->engine);
  ASSERT_EQ(engine.task, start->task);
  const double slowness = faults.slowness ? faults.slowness(start->task) : 1.0;
  const auto times = profiles::time_per_frame(engine.profiles->variants[engine.variant], engine.regions);
  const Duration time = to_duration(times.at(processors_[processor].id) * slowness);
  running_[processor] = Running{*start, now_};
  mix(start->frame);
  at(now_ + time, [this, processor] { finish_frame(processor); });
}

void SimulatedRun::finish_frame(ProcessorIndex processor) {
  if (!running_[processor]) return;  // dropped at the end of the run
  const Start start = running_[processor]->start;
  const EngineInfo engine = engines_.at(start.engine);
  const TimePoint begun = running_[processor]->since;
  busy_log_[processor].emplace_back(begun, now_);
  running_[processor].reset();
  dispatcher_.finished(processor, now_);
  const bool fails = faults.inference_fails && faults.inference_fails(engine.task, engine.variant);
  Errors errors;
  if (fails) {
    errors.push_back({"engine", "threw", ""});
    note_drop({start.task, start.frame, DropReason::engine_error, LossCause::other});
  } else {
    ledger_.processed(start.task, start.frame, start.due, now_, now_ - begun, engine.variant, {});
    if (drift_) {
      const auto times = profiles::time_per_frame(engine.profiles->variants[engine.variant], engine.regions);
      drift_->sample(processor, start.engine, now_ - begun, to_duration(times.at(processors_[processor].id)),
                     now_);
    }
  }
  send(event::InferenceEnded{start.engine, errors});
  check_drained();
  start_frames(processor);
}

void SimulatedRun::note_drop(const Drop& drop) {
  mix(drop.frame * 64 + static_cast<std::uint64_t>(drop.reason) * 4 + static_cast<std::uint64_t>(drop.cause));
  ledger_.dropped(drop);
  if (drop.cause == LossCause::switching) {
    at(now_, [this, task = drop.task] { send(event::FramesLost{task}); });
  }
}

void SimulatedRun::check_drained() {
  for (auto engine = draining_.begin(); engine != draining_.end();) {
    if (dispatcher_.engine_busy(*engine)) {
      ++engine;
      continue;
    }
    if (drift_) drift_->forget(*engine);
    at(now_, [this, key = *engine] { send(event::Drained{key}); });
    engine = draining_.erase(engine);
  }
}

void SimulatedRun::schedule_controller() {
  const std::optional<TimePoint> next = controller_.next_tick();
  if (next == controller_tick_) return;
  controller_tick_ = next;
  if (!next) return;
  at(*next, [this, due = *next] {
    if (controller_tick_ != due) return;
    controller_tick_.reset();
    send(event::Tick{});
  });
}

void SimulatedRun::check_invariants() {
  const auto when = now_.time_since_epoch().count();
  for (TaskIndex task = 0; task < ticks_.size(); ++task) {
    std::int64_t inside = static_cast<std::int64_t>(dispatcher_.waiting(task));
    ASSERT_LE(dispatcher_.waiting(task), gate_frames_) << when;
    for (const auto& running : running_) inside += running && running->start.task == task ? 1 : 0;
    ASSERT_EQ(frames(task).in_flight, inside) << "a frame is lost or doubled at " << when;
  }
  const double reserved = controller_.reserved().value();
  if (limited_ && wanted_.limits.memory && reserved > wanted_.limits.memory->value() * (1 + 1e-9)) {
    ASSERT_LE(reserved, reserved_before_) << "memory grows above the limit at " << when;
  }
  reserved_before_ = reserved;
  const auto& plan = controller_.plan();
  if (plan && plan->generation == controller_.generation() && plan->generation == solved_from_.generation) {
    const auto scope = limited_ && plan->policy == "transprecision" ? scheduler::CheckScope::all
                                                                    : scheduler::CheckScope::time_only;
    const auto violations = scheduler::check_plan(solved_from_, *plan, scope);
    ASSERT_TRUE(violations.empty()) << violations.front().constraint << ": " << violations.front().what;
  }
}

void SimulatedRun::check_start(ProcessorIndex processor) {
  const double capacity = processors_[processor].capacity;
  auto& log = busy_log_[processor];
  while (!log.empty() && log.front().second <= now_ - kSecond) log.pop_front();
  Duration used{0};
  for (const auto& [from, to] : log) used += to - std::max(from, now_ - kSecond);
  if (capacity < 1.0) {
    ASSERT_LT(used, to_duration(Seconds(capacity))) << "a start on a spent capacity";
  }
}

void SimulatedRun::mix(std::uint64_t value) {
  for (const std::uint64_t part : {value, static_cast<std::uint64_t>(now_.time_since_epoch().count())}) {
    hash_ = (hash_ ^ part) * 1099511628211U;
  }
}

}  // namespace saccade::test
