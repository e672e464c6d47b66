#include "tests/support/simulated_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"

namespace saccade::test {

using namespace runtime;

namespace {

FaultSource::Fate fate(Duration takes, bool fails, const char* what) {
  return {.errors = fails ? Errors{{"script", what, ""}} : Errors{}, .factor = 1, .takes = takes};
}

}  // namespace

SimulatedRun::SimulatedRun(const scheduler::Snapshot& first, const RuntimeOptions& options,
                           scheduler::PolicyKind policy, const std::vector<std::size_t>& standbys,
                           const std::vector<double>& load_pauses)
    : policy_(scheduler::make_policy(policy, solver_)), wanted_(first) {
  RunConfig config;
  for (const scheduler::Processor& processor : first.processors) {
    config.processors.push_back({.id = processor.id, .cpus = {}});
  }
  for (std::size_t p = 0; p < load_pauses.size(); ++p)
    config.processors.at(p).load_pause = Seconds(load_pauses[p]);
  for (const scheduler::Task& task : first.tasks) {
    config.tasks.push_back({task.id, SyntheticSource{}, WholeFrame{}});
  }
  for (const std::size_t task : standbys) config.tasks.at(task).standby = true;
  config.timeline = {{Duration(0), first}};
  config.policy = policy;
  config.runtime = options;
  RunHooks hooks;
  hooks.event = [this](Duration, const action::Report& report) { reports_.push_back(report); };
  SimulationOptions simulation;
  simulation.script = this;
  auto shell = SimulatedShell::open(std::move(config), *this, simulation, std::move(hooks));
  SACCADE_CHECK(shell.ok());
  shell_ = std::move(shell.value());
}

void SimulatedRun::change(TimePoint when, scheduler::Snapshot wanted) {
  at(when, [this, wanted = std::move(wanted)] {
    wanted_ = wanted;
    turn_.reshape = true;
  });
}

void SimulatedRun::remove(TimePoint when, std::size_t task) {
  at(when, [this, task] {
    removed_.push_back(task);
    turn_.reshape = true;
  });
}

void SimulatedRun::send(TimePoint when, Event event) {
  at(when, [this, event = std::move(event)] { turn_.events.push_back(event); });
}

void SimulatedRun::run_until(TimePoint end) {
  if (!shell_->desk().started()) shell_->begin();
  shell_->run_until(end.time_since_epoch());
  if (const auto& breach = shell_->breach()) {
    FAIL() << breach->invariant << " at " << breach->at.count() << " ns: " << breach->found;
  }
}

void SimulatedRun::shut_down() {
  const SimulationResult result = shell_->finish();
  EXPECT_EQ(result.breach ? result.breach->invariant + ": " + result.breach->found : "", "");
  for (const TaskSummary& task : result.summary.tasks) EXPECT_EQ(task.in_flight, 0) << task.id.str();
}

std::size_t SimulatedRun::reports(const std::string& event, const std::string& part) const {
  return static_cast<std::size_t>(std::count_if(reports_.begin(), reports_.end(), [&](const auto& report) {
    return to_string(report.event) == event && report.detail.find(part) != std::string::npos;
  }));
}

// --- The script's answers -------------------------------------------------------------------------

std::optional<Duration> SimulatedRun::next() const {
  if (script_.empty()) return std::nullopt;
  return script_.begin()->first.time_since_epoch();
}

FaultSource::Turn SimulatedRun::turn(Duration /*now*/, const MemoryAmounts& /*reserved*/) {
  script_.extract(script_.begin()).mapped()();
  return std::exchange(turn_, {});
}

FaultSource::Fate SimulatedRun::load(TaskIndex task, std::size_t variant, Duration now) {
  loads_.push_back(now);
  const Seconds time = *wanted_.tasks[task].profiles->variants[variant].load_time;
  const LoadFate given = load_fate(task, variant);
  if (given == LoadFate::hangs) ++hung_;
  return fate(given == LoadFate::hangs ? hang_time : to_duration(time), given == LoadFate::fails,
              "is corrupt");
}

FaultSource::Fate SimulatedRun::warm_up(TaskIndex task, std::size_t variant, int inferences,
                                        Duration /*now*/) {
  warm_ups_.push_back(inferences);
  return fate(ms(1), warm_up_fails(task, variant), "does not run");
}

FaultSource::Fate SimulatedRun::solve() {
  ++solves_;
  return fate(solve_time, solver_gives_nothing(), "gives nothing");
}

FaultSource::Camera SimulatedRun::camera(TaskIndex task, Duration /*now*/) {
  return {.delivers = camera_delivers(task), .late_until = {}, .fault = nullptr};
}

std::int64_t SimulatedRun::inference_percent(TaskIndex task, ProcessorIndex processor, Duration /*now*/) {
  return std::llround(slowness(task) * processor_slowness(processor) * 100.0);
}

}  // namespace saccade::test
