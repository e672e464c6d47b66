// Cameras that are decoded on the processor's own CPU, in virtual time: inferences last longer while readers
// hold the CPU, and plans get what is left, once.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "base/check.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "runtime/simulation/simulated_shell.hpp"
#include "tests/support/milliseconds.hpp"
#include "tests/support/scenes.hpp"

namespace saccade::test {
namespace {

using namespace runtime;

// Four cameras whose large networks need 120 % of the processor, whose small ones 30 %.
class SharedCpu {
 public:
  explicit SharedCpu(std::int64_t percent, std::optional<GuardOptions> guard = GuardOptions{}) {
    const auto one =
        network({{"large", 0.95, 12.0, 10, 20}, {"middle", 0.9, 8.0, 10, 20}, {"small", 0.8, 3.0, 10, 20}});
    const scheduler::Snapshot snapshot =
        scene({camera("a", 25, one), camera("b", 24, one), camera("c", 26, one), camera("d", 25, one)});
    RunConfig config;
    config.processors = {{.id = ProcessorId("cpu"), .cpus = {0}}};
    config.processors.front().auto_guard = guard;
    for (const scheduler::Task& task : snapshot.tasks) {
      config.tasks.push_back({task.id, SyntheticSource{}, WholeFrame{}});
    }
    config.timeline = {{Duration(0), snapshot}};
    policy_ = scheduler::make_policy(config.policy, solver_);
    SimulationOptions options{.duration = {}, .seed = 3, .faults = {}};
    if (percent >= 0) {
      options.decoding = SharedDecoding{
          {1, {{.shared = 1.0}}}, std::chrono::seconds(20), std::chrono::seconds(140), percent};
    }
    options.script = &calm_;
    auto opened = SimulatedShell::open(config, *policy_, options, {});
    SACCADE_CHECK(opened.ok());
    shell_ = std::move(opened).value();
    shell_->begin();
  }
  void run_until(int seconds) {
    shell_->run_until(std::chrono::seconds(seconds));
    EXPECT_EQ(shell_->breach() ? shell_->breach()->invariant + ": " + shell_->breach()->found : "", "");
  }
  [[nodiscard]] const scheduler::Processor& cpu() const { return shell_->controller().processors().front(); }
  // Of profiled time, what plans may use.
  [[nodiscard]] double budget() const { return cpu().budget() / cpu().correction; }
  [[nodiscard]] std::int64_t stale() const {
    std::int64_t stale = 0;
    for (TaskIndex task = 0; task < 4; ++task) {
      stale += shell_->desk().ledger().task(task).dropped[static_cast<std::size_t>(DropReason::stale)];
    }
    return stale;
  }
  SimulationResult finish() { return shell_->finish(); }

 private:
  const ilp::ExhaustiveSolver solver_;
  std::unique_ptr<scheduler::Policy> policy_;
  FaultSource calm_;
  std::unique_ptr<SimulatedShell> shell_;
};

TEST(DecodingInSimulation, PlansGetWhatItLeavesOnceWhateverTheCorrectionAndTheGuardDo) {
  SharedCpu shared(30);
  shared.run_until(20);
  EXPECT_NEAR(shared.budget(), 0.85, 1e-9) << "all but the guard that a run begins with";
  for (int at = 50; at <= 140; at += 10) {
    shared.run_until(at);
    EXPECT_LE(shared.budget(), 0.7) << at;
    EXPECT_GE(shared.budget(), 0.55) << at << ": charged twice, 0.49 would be left at most";
  }
  shared.run_until(240);
  EXPECT_GT(shared.budget(), 0.9) << "and it is given back";
  EXPECT_LE(shared.cpu().guard, Seconds(0.05));
}

TEST(DecodingInSimulation, WhatPlansKnowLosesNoFramesWithTheLeastGuard) {
  SharedCpu shared(12);  // less than the drift filter's band
  shared.run_until(60);
  const std::int64_t before = shared.stale();
  shared.run_until(140);
  EXPECT_EQ(shared.stale(), before);
  EXPECT_NEAR(shared.budget(), 1.0 - 0.12 - shared.cpu().guard.value(), 0.02);
  EXPECT_LE(shared.cpu().guard, Seconds(0.05));
}

TEST(DecodingInSimulation, ReadersThatTakeNothingChangeNothing) {
  SharedCpu without(-1);
  SharedCpu idle(0);
  without.run_until(60);
  idle.run_until(60);
  EXPECT_EQ(without.finish().hash, idle.finish().hash);
}

TEST(DecodingInSimulation, TellsTheSameStoryEachTime) {
  SharedCpu first(30);
  SharedCpu second(30);
  first.run_until(120);
  second.run_until(120);
  EXPECT_EQ(first.finish().hash, second.finish().hash);
}

// On two processors, of one of which a part may be used.
RunConfig on_two_processors(const std::optional<GuardOptions>& guard) {
  const auto one = network({{"large", 0.95, 12.0, 10, 20}, {"small", 0.8, 3.0, 10, 20}});
  const auto other =
      network({{"large", 0.95, 12.0, 10, 20, 0, "second"}, {"small", 0.8, 3.0, 10, 20, 0, "second"}});
  scheduler::Snapshot snapshot =
      scene({camera("a", 25, one), camera("b", 24, one), camera("c", 26, other), camera("d", 25, other)});
  snapshot.processors.push_back(snapshot.processors.front());
  snapshot.processors.back().id = ProcessorId("second");
  snapshot.processors.back().capacity = 0.8;
  RunConfig config;
  for (const scheduler::Processor& processor : snapshot.processors) {
    config.processors.push_back({.id = processor.id, .cpus = {0}, .auto_guard = guard});
  }
  for (const scheduler::Task& task : snapshot.tasks) {
    config.tasks.push_back({task.id, SyntheticSource{}, WholeFrame{}});
  }
  config.timeline = {{Duration(0), snapshot}};
  return config;
}

// Frames take 11 % longer: no reason for another plan.
TEST(DecodingInSimulation, WhatItTakesOfTwoProcessorsLeadsToOnePlan) {
  const RunConfig config = on_two_processors(std::nullopt);
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(config.policy, solver);
  int solves = 0;
  RunHooks hooks;
  hooks.action = [&](const Action& taken, TimePoint) {
    if (std::holds_alternative<action::Solve>(taken)) ++solves;
  };
  FaultSource calm;
  SimulationOptions options{.duration = {}, .seed = 3, .faults = {}};
  options.decoding =
      SharedDecoding{{2, {{.shared = 1.0}, {.shared = 1.0}}}, Duration(0), std::chrono::seconds(60), 20};
  options.script = &calm;
  auto shell = SimulatedShell::open(config, *policy, options, hooks);
  ASSERT_TRUE(shell.ok());
  shell.value()->begin();
  shell.value()->run_until(std::chrono::seconds(9));
  EXPECT_EQ(solves, 1);
  shell.value()->run_until(std::chrono::seconds(15));
  EXPECT_EQ(shell.value()->controller().decoding(), (std::vector<double>{0.1, 0.1}));
  EXPECT_EQ(solves, 2);
  EXPECT_FALSE(shell.value()->finish().breach);
}

TEST(DecodingInSimulation, InvariantsHoldThroughFaults) {
  const RunConfig config = on_two_processors(GuardOptions{});
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(config.policy, solver);
  std::size_t changes = 0;
  RunHooks hooks;
  hooks.event = [&](Duration, const action::Report& report) {
    if (report.detail.starts_with("decoding of cameras")) ++changes;
  };
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SimulationOptions options{.duration = std::chrono::minutes(4), .seed = seed, .faults = FaultSet().set()};
    options.decoding = SharedDecoding{{2, {{.shared = 1.0}, {.shared = 1.0, .capacity = 0.8}}},
                                      std::chrono::seconds(seed),
                                      std::chrono::seconds(120 + 5 * seed),
                                      static_cast<std::int64_t>(20 + 8 * seed)};
    auto shell = SimulatedShell::open(config, *policy, options, hooks);
    ASSERT_TRUE(shell.ok());
    const SimulationResult result = shell.value()->run();
    EXPECT_FALSE(result.breach) << seed << ": " << result.breach->invariant << ": " << result.breach->found;
  }
  EXPECT_GE(changes, 24U) << "each charges at least one processor, and gives it back";
}

}  // namespace
}  // namespace saccade::test
