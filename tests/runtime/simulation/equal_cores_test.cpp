// Twelve tasks on four processors of one kind in virtual time, the guard following the frames lost: what is
// granted is achieved, and tasks change the processor without losing a frame.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "ilp/core_solver.hpp"
#include "profiles/processor_kinds.hpp"
#include "runtime/simulation/simulated_shell.hpp"
#include "tests/support/milliseconds.hpp"
#include "tests/support/scenes.hpp"
#include "tests/support/simulated_run.hpp"

namespace saccade::test {
namespace {

using namespace runtime;

constexpr std::size_t kTasks = 12;
constexpr std::size_t kCores = 4;

// "cpu0" to "cpu3" of the kind "cpu", as `"processors": "auto"` makes them of four cores. The tasks want 2.4
// to 3 processors with their largest networks.
scheduler::Snapshot twelve_on_four() {
  std::vector<profiles::KindOfProcessor> kinds;
  for (std::size_t core = 0; core < kCores; ++core)
    kinds.push_back({ProcessorId("cpu" + std::to_string(core)), ProcessorId("cpu")});
  profiles::ProfileSet measured =
      *network({{"large", 0.95, 14.0, 10, 20}, {"middle", 0.9, 8.0, 8, 15}, {"small", 0.8, 3.0, 5, 10}});
  measured.device.processors = {ProcessorId("cpu")};
  const auto set = std::make_shared<const profiles::ProfileSet>(profiles::on_processors(measured, kinds));
  std::vector<scheduler::Task> tasks;
  for (std::size_t i = 0; i < kTasks; ++i)
    tasks.push_back(camera("t" + std::to_string(i), 14.0 + static_cast<double>(i % 4), set));
  scheduler::Snapshot snapshot = scene(std::move(tasks));
  snapshot.processors.clear();
  for (const profiles::KindOfProcessor& core : kinds) {
    scheduler::Processor processor;
    processor.id = core.processor;
    processor.kind = core.kind;
    snapshot.processors.push_back(processor);
  }
  return snapshot;
}

// The middle network for each task, on the next core in each turn.
std::vector<std::optional<std::size_t>> middle_networks(std::size_t turn) {
  constexpr std::size_t kMiddle = 1;
  std::vector<std::optional<std::size_t>> variants;
  for (std::size_t task = 0; task < kTasks; ++task)
    variants.emplace_back(kMiddle * kCores + (task + turn) % kCores);
  return variants;
}

class EqualCores : public testing::Test {
 protected:
  void open(std::vector<TimelineState> timeline) {
    RunConfig config;
    for (const scheduler::Processor& processor : timeline.front().snapshot.processors) {
      config.processors.push_back({.id = processor.id, .cpus = {}});
      config.processors.back().auto_guard = GuardOptions{};
    }
    for (const scheduler::Task& task : timeline.front().snapshot.tasks)
      config.tasks.push_back({task.id, SyntheticSource{}, WholeFrame{}});
    config.timeline = std::move(timeline);
    policy_ = scheduler::make_policy(config.policy, solver_);
    SimulationOptions options{.duration = {}, .seed = 12, .faults = {}};
    options.script = &calm_;
    auto opened = SimulatedShell::open(std::move(config), *policy_, options, {});
    SACCADE_CHECK(opened.ok());
    shell_ = std::move(opened).value();
    shell_->begin();
  }
  void run_until(int seconds) {
    shell_->run_until(std::chrono::seconds(seconds));
    ASSERT_EQ(shell_->breach() ? shell_->breach()->invariant + ": " + shell_->breach()->found : "", "");
  }
  struct Sum {
    std::int64_t granted = 0;
    std::int64_t processed = 0;
  };
  [[nodiscard]] Sum sum() const {
    Sum all;
    for (TaskIndex task = 0; task < kTasks; ++task) {
      const TaskFrames& frames = shell_->desk().ledger().task(task);
      all.granted += frames.granted;
      all.processed += frames.processed;
    }
    return all;
  }
  // How many tasks each processor serves.
  [[nodiscard]] std::map<std::string, int> served() const {
    std::map<std::string, int> tasks;
    for (TaskIndex task = 0; task < kTasks; ++task) ++tasks[processor_of_task(task)];
    return tasks;
  }
  [[nodiscard]] std::string processor_of_task(TaskIndex task) const {
    const std::optional<std::size_t> variant = shell_->controller().serving(task);
    if (!variant) return "";
    return first_->variants.at(*variant).frame_time.begin()->first.str();
  }

  profiles::ProfileSetPtr first_;
  const ilp::CoreSolver solver_{};
  std::unique_ptr<scheduler::Policy> policy_;
  FaultSource calm_;
  std::unique_ptr<SimulatedShell> shell_;
};

TEST_F(EqualCores, TwelveTasksOnFourAchieveWhatIsGranted) {
  const scheduler::Snapshot snapshot = twelve_on_four();
  first_ = snapshot.tasks[0].profiles;
  open({{Duration(0), snapshot}});
  run_until(30);  // the guard has found its size
  const Sum before = sum();
  run_until(330);
  const Sum after = sum();
  const double achieved = static_cast<double>(after.processed - before.processed) /
                          static_cast<double>(after.granted - before.granted);
  EXPECT_GE(achieved, 0.999);
  EXPECT_GT(after.granted - before.granted, 40'000) << "all of twelve tasks";
  const auto tasks = served();
  EXPECT_EQ(tasks.size(), kCores) << "every core serves";
  EXPECT_FALSE(tasks.contains("")) << "every task is served";
  (void)shell_->finish();
}

// Every plan moves every task to the next core, with the same network.
TEST(EqualCoresMoving, TasksChangeTheProcessorWithoutLosingAFrame) {
  scheduler::Snapshot snapshot = twelve_on_four();
  for (scheduler::Task& task : snapshot.tasks) task.demand = Fps(10.0);
  std::size_t plans = 0;
  SimulatedRun run(snapshot);
  run.planner = [&](const scheduler::Snapshot& wanted) { return scripted(wanted, middle_networks(plans++)); };
  constexpr int kMoves = 40;
  constexpr std::size_t kPlans = kMoves + 1;
  for (int move = 1; move <= kMoves; ++move) run.change(at_ms(2000 * move), snapshot);
  const auto lost = [&] {
    std::int64_t frames = 0;
    for (TaskIndex task = 0; task < kTasks; ++task) frames += run.frames(task).dropped_total();
    return frames;
  };
  run.run_until(at_ms(1900));
  const std::int64_t lost_at_first = lost();  // while the first engines load
  run.run_until(at_ms(2000 * (kMoves + 1)));
  EXPECT_EQ(plans, kPlans);
  EXPECT_EQ(run.loads(), kTasks * kPlans) << "each time each task";
  EXPECT_EQ(lost(), lost_at_first);
  run.shut_down();
  for (TaskIndex task = 0; task < kTasks; ++task) {
    const TaskFrames& frames = run.frames(task);
    EXPECT_EQ(frames.processed + frames.dropped_total(), frames.received) << "none twice";
  }
}

// One look finds that all four have become slower.
TEST(EqualCoresSlower, WhatIsMeasuredOfAllProcessorsTogetherLeadsToOnePlan) {
  scheduler::Snapshot snapshot = twelve_on_four();
  for (scheduler::Task& task : snapshot.tasks) task.demand = Fps(10.0);
  double slowness = 1.0;
  SimulatedRun run(snapshot);
  run.processor_slowness = [&](ProcessorIndex) { return slowness; };
  run.planner = [](const scheduler::Snapshot& wanted) { return scripted(wanted, middle_networks(0)); };
  run.run_until(at_ms(5000));
  const std::size_t solves = run.solves();
  slowness = 1.5;
  run.run_until(at_ms(15000));
  for (const scheduler::Processor& processor : run.controller().processors())
    EXPECT_NEAR(processor.correction, 1.5, 1e-6) << processor.id.str();
  EXPECT_EQ(run.solves(), solves + 1);
  EXPECT_EQ(run.controller().plan()->generation, run.controller().generation());
  run.shut_down();
}

}  // namespace
}  // namespace saccade::test
