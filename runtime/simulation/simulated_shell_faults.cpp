#include "runtime/simulation/simulated_shell_impl.hpp"

#include <algorithm>

namespace saccade::runtime {
namespace {

constexpr Duration kHalfACalm = FaultDriver::kCalm / 2;

bool among(const std::vector<std::size_t>& places, std::size_t place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

scheduler::Snapshot without(scheduler::Snapshot snapshot, const std::vector<std::size_t>& removed) {
  std::size_t place = 0;
  std::erase_if(snapshot.tasks, [&](const scheduler::Task&) { return among(removed, place++); });
  return snapshot;
}

RunConfig without(RunConfig config, const std::vector<std::size_t>& removed) {
  std::size_t place = 0;
  std::erase_if(config.tasks, [&](const TaskConfig&) { return among(removed, place++); });
  for (TimelineState& state : config.timeline) state.snapshot = without(std::move(state.snapshot), removed);
  return config;
}

}  // namespace

void SimulatedShell::Impl::weather() {
  const FaultSource::Turn turn = faults_.turn(now_ - start_, conductor_.controller().memory().used());
  if (turn.reload) {
    RunConfig invalid = config_;
    invalid.timeline.back().snapshot.tasks.front().min_accuracy = 2.0;
    const std::uint64_t before = conductor_.controller().generation();
    const bool refused = !conductor_.reconfigure(std::move(invalid), now_).ok();
    driver_.hit(Fault::invalid_reload);
    invariants_.reloaded(refused && conductor_.controller().generation() == before);
  }
  if (turn.reshape) reshape();
  for (const Event& event : turn.events) ask(event);
  if (turn.calm) {
    // Hanging jobs return.
    for (std::size_t loader = 0; loader < kLoaders; ++loader) {
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

void SimulatedShell::Impl::schedule_weather() {
  ++weather_version_;
  if (const auto at = faults_.next()) {
    queue_.push(std::max(start_ + *at, now_), Happening::weather, 0, weather_version_);
  }
}

void SimulatedShell::Impl::change_at_the_end() {
  scheduler::Snapshot wanted = *conductor_.wanted();
  if (stopping_) return;
  using scheduler::Objective;
  wanted.objective =
      wanted.objective == Objective::min_memory ? Objective::max_accuracy : Objective::min_memory;
  if (scheduler::validate(wanted).empty()) want(wanted);
}

const scheduler::Snapshot& SimulatedShell::Impl::state() {
  const auto& timeline = config_.timeline;
  while (state_ + 1 < timeline.size() && timeline[state_ + 1].at <= now_ - start_) ++state_;
  return timeline[state_].snapshot;
}

void SimulatedShell::Impl::reshape() {
  const FaultSource::Wish wish = faults_.wanted(state(), now_ - start_);
  if (wish.removed == removed_) {
    want(without(wish.snapshot, removed_));
    return;
  }
  for (const std::size_t place : removed_) {
    if (!among(wish.removed, place) && dice_.one_in(4)) measured_again(place);
  }
  removed_ = wish.removed;
  RunConfig config = without(config_, removed_);
  config.timeline[state_].snapshot = without(faults_.wanted(state(), now_ - start_).snapshot, removed_);
  asked_ = true;
  invariants_.wants(config.timeline[state_].snapshot, now_);
  const auto taken = conductor_.reconfigure(std::move(config), now_);
  invariants_.reconfigured(taken.ok());
  note_priorities();
  schedule_controller();
}

// The task comes back with a profile set that is another one, though nothing in it matters to plans.
void SimulatedShell::Impl::measured_again(std::size_t place) {
  auto set = std::make_shared<profiles::ProfileSet>(*config_.timeline.front().snapshot.tasks[place].profiles);
  set->provenance.date += "+";
  for (TimelineState& state : config_.timeline) state.snapshot.tasks[place].profiles = set;
}

void SimulatedShell::Impl::want(const scheduler::Snapshot& wanted) {
  asked_ = true;
  invariants_.wants(wanted, now_);
  conductor_.want(wanted, now_);
  note_priorities();
  schedule_controller();
}

void SimulatedShell::Impl::note_priorities() {
  const TaskRoster& roster = conductor_.roster();
  for (TaskIndex task = 0; task < roster.size(); ++task) {
    if (const auto position = roster.position(task)) {
      invariants_.priority(task, conductor_.wanted()->tasks[*position].priority);
    }
  }
}

}  // namespace saccade::runtime
