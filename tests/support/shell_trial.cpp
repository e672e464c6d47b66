#include "tests/support/shell_trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "ilp/core_solver.hpp"

namespace saccade::test {

using namespace runtime;

Result<std::unique_ptr<FrameSource>> open_known(const SourceConfig&, const Regions&, const NetworkInputs&,
                                                const std::vector<std::string>&) {
  return std::unique_ptr<FrameSource>(std::make_unique<KnownFrames>());
}

profiles::ProfileSetPtr shared(profiles::ProfileSet set) {
  return std::make_shared<const profiles::ProfileSet>(std::move(set));
}

Trial::Trial(RunConfig config, SimulatedBehaviour behaviour)
    : config_(std::move(config)), backend_(std::make_shared<SimulatedBackend>(std::move(behaviour))) {}

Trial& Trial::with_backend(std::shared_ptr<const EngineBackend> backend) {
  backend_ = std::move(backend);
  return *this;
}

Trial& Trial::when(OnEvent on_event) {
  on_event_ = std::move(on_event);
  return *this;
}

Trial& Trial::watching(OnStatus on_status) {
  on_status_ = std::move(on_status);
  return *this;
}

RunSummary Trial::go(std::optional<Duration> duration) {
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  RunHooks hooks;
  hooks.drop_events = true;
  hooks.event = [&](Duration, const action::Report& report) {
    events_.push_back(report);
    if (on_event_) on_event_(*this, report);
  };
  hooks.status_interval = Duration(0);
  hooks.status = [&](const RunStatus& status) {
    if (on_status_) on_status_(*this, status);
  };
  auto shell = RealShell::open(config_, backend_, *policy, hooks, open_known);
  EXPECT_TRUE(shell.ok()) << (shell.ok() ? "" : to_string(shell.errors()));
  shell_ = std::move(shell).value();
  RunSummary summary = shell_->run(duration);
  shell_.reset();
  return summary;
}

std::size_t Trial::count(EventKind event, const std::string& detail) const {
  return static_cast<std::size_t>(std::count_if(events_.begin(), events_.end(), [&](const auto& each) {
    return each.event == event && each.detail.find(detail) != std::string::npos;
  }));
}

std::int64_t dropped(const TaskSummary& task) {
  return std::accumulate(task.dropped.begin(), task.dropped.end(), std::int64_t{0});
}

// What holds of every summary, whatever happened.
void expect_sound_books(const RunSummary& summary) {
  for (const TaskSummary& task : summary.tasks) {
    SCOPED_TRACE(task.id.str());
    EXPECT_EQ(task.in_flight, 0);
    EXPECT_EQ(task.received, task.processed + dropped(task));
    EXPECT_LE(task.received, task.demanded);
    EXPECT_LE(task.granted, task.demanded);
    EXPECT_EQ(dropped(task),
              std::accumulate(task.dropped_by_cause.begin(), task.dropped_by_cause.end(), std::int64_t{0}));
    std::int64_t by_variant = 0;
    for (const VariantSummary& variant : task.variants) by_variant += variant.frames;
    EXPECT_EQ(by_variant, task.processed);
    if (task.accuracy) {
      EXPECT_EQ(task.accuracy->measured, 1.0);
      EXPECT_EQ(task.accuracy->labelled, task.processed);
    }
  }
  std::vector<SegmentFrames> sums(summary.tasks.size());
  for (const SegmentSummary& segment : summary.segments) {
    for (std::size_t i = 0; i < segment.tasks.size(); ++i) {
      sums[i].demanded += segment.tasks[i].demanded;
      sums[i].processed += segment.tasks[i].processed;
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_EQ(sums[i].demanded, summary.tasks[i].demanded);
    EXPECT_EQ(sums[i].processed, summary.tasks[i].processed);
  }
}

// Ends the run when every task has processed so many frames.
Trial::OnStatus until_processed(std::int64_t frames) {
  return [frames](Trial& run, const RunStatus& status) {
    const bool enough = std::all_of(status.tasks.begin(), status.tasks.end(),
                                    [&](const TaskStatus& task) { return task.frames.processed >= frames; });
    if (enough) run.stop();
  };
}

}  // namespace saccade::test
