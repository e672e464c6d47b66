// The simulated shell: the parts it is made of, that a seed tells one story, and storms of faults
// through which everything that must hold does.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "ilp/glpk_solver.hpp"
#include "runtime/simulation/event_queue.hpp"
#include "runtime/simulation/latency.hpp"
#include "runtime/simulation/loader_model.hpp"
#include "runtime/simulation/simulated_shell.hpp"
#include "tests/support/milliseconds.hpp"
#include "tests/support/scenes.hpp"

namespace saccade::test::simulation_test {
namespace {

using namespace runtime;

FaultSet all_faults() { return FaultSet().set(); }

// Four cameras with three variants each, on one whole processor and on a part of another.
RunConfig street(std::optional<double> memory_mb = 90.0) {
  std::vector<scheduler::Task> tasks;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string where = i == 3 ? "gpu" : "cpu";
    const double more = 1.0 + 0.2 * static_cast<double>(i);
    const auto variants = network({{"large", 0.95, 12.0 * more, 24, 30, 30, where},
                                   {"middle", 0.90, 6.0 * more, 12, 20, 0, where},
                                   {"small", 0.75, 2.0 * more, 4, 10, 0, where}});
    tasks.push_back(camera("camera-" + std::to_string(i), 8 + 2 * static_cast<double>(i), variants,
                           static_cast<int>(i % 2)));
  }
  tasks[1].min_accuracy = 0.8;
  TimelineState first{Duration(0), scene(std::move(tasks), 1.0, memory_mb)};
  first.snapshot.processors.push_back(first.snapshot.processors.front());
  first.snapshot.processors.back().id = ProcessorId("gpu");
  first.snapshot.processors.back().capacity = 0.8;
  RunConfig config;
  config.processors = {{.id = ProcessorId("cpu"), .cpus = {}}, {.id = ProcessorId("gpu"), .cpus = {}}};
  for (const scheduler::Task& task : first.snapshot.tasks) {
    config.tasks.push_back({task.id, SyntheticSource{}, WholeFrame{}});
  }
  config.timeline = {std::move(first)};
  config.runtime.load_timeout = Seconds(2.0);
  return config;
}

SimulationResult simulate(const RunConfig& config, Duration duration, std::uint64_t seed,
                          const FaultSet& faults = {}) {
  const ilp::GlpkSolver solver;
  const auto policy = scheduler::make_policy(config.policy, solver);
  auto shell = SimulatedShell::open(config, *policy, {duration, seed, faults}, {});
  SACCADE_CHECK(shell.ok());
  return shell.value()->run();
}

std::string told(const SimulationResult& result) {
  if (!result.breach) return "";
  return std::to_string(to_seconds(result.breach->at).value()) + " s: " + result.breach->invariant + " (" +
         result.breach->found + ")";
}

TEST(Simulation, LatenciesHaveTheirMedianAndTheir99thPercentile) {
  Dice dice(7);
  const Latency latency(ms(10), ms(14));
  std::vector<Duration> drawn;
  for (int i = 0; i < 100'000; ++i) drawn.push_back(latency.draw(dice));
  std::sort(drawn.begin(), drawn.end());
  EXPECT_NEAR(static_cast<double>(drawn[50'000].count()), 10e6, 0.05e6);
  EXPECT_NEAR(static_cast<double>(drawn[99'000].count()), 14e6, 0.1e6);
  EXPECT_GT(drawn.front(), ms(8));
  EXPECT_LT(drawn.back(), ms(17));
  EXPECT_EQ(Latency(ms(3), ms(3)).draw(dice), ms(3));
}

TEST(Simulation, EventsComeInTheOrderOfTimeAndThenOfEntry) {
  Dice dice(1);
  EventQueue queue;
  for (std::uint64_t i = 0; i < 1000; ++i)
    queue.push(at_ms(static_cast<double>(dice.below(50))), Happening::tick, 0, i);
  QueueEntry last = queue.pop();
  while (!queue.empty()) {
    const QueueEntry next = queue.pop();
    EXPECT_TRUE(last.at < next.at || (last.at == next.at && last.key < next.key));
    last = next;
  }
}

TEST(Simulation, ALoadThatHangsIsLeftBehindAndASecondLoaderTakesOver) {
  using Kind = LoaderModel::Kind;
  LoaderModel loader;
  for (const EngineKey engine : {1U, 2U, 3U}) loader.put({Kind::load, engine, {}});
  EXPECT_EQ(loader.begin()->job.engine, 1U);
  EXPECT_FALSE(loader.begin()) << "one job at a time";
  loader.leave_behind(1);
  const auto second = loader.begin();
  EXPECT_EQ(second->job.engine, 2U);
  loader.leave_behind(1);
  EXPECT_FALSE(loader.begin()) << "it is not in charge any more";
  loader.leave_behind(2);
  EXPECT_FALSE(loader.begin()) << "both hang";
  EXPECT_EQ(loader.end(second->loader).engine, 2U);
  EXPECT_EQ(loader.begin()->job.engine, 3U);
}

TEST(Simulation, AnUnloadWaitsForNoLoad) {
  using Kind = LoaderModel::Kind;
  LoaderModel loader;
  loader.put({Kind::load, 1, {}});
  loader.put({Kind::unload, 2, {}});
  loader.put({Kind::unload, 3, {}});
  EXPECT_EQ(loader.begin()->job.engine, 1U);
  const auto unload = loader.begin();
  ASSERT_TRUE(unload);
  EXPECT_EQ(unload->job.engine, 2U);
  EXPECT_FALSE(loader.begin()) << "one at a time";
  EXPECT_EQ(loader.end(unload->loader).engine, 2U);
  EXPECT_EQ(loader.begin()->job.engine, 3U);
}

TEST(Simulation, WithoutFaultsEveryFrameIsProcessed) {
  const SimulationResult result = simulate(street(), std::chrono::minutes(10), 1);
  EXPECT_EQ(told(result), "");
  for (const TaskSummary& task : result.summary.tasks) {
    EXPECT_EQ(task.achieved_rate, 1.0) << task.id.str();
    EXPECT_EQ(task.in_flight, 0);
  }
  EXPECT_EQ(result.summary.solves.count, 1) << "a steady state never plans again";
  EXPECT_TRUE(result.summary.switches.empty());
}

TEST(Simulation, LimitsOfPowerAndEnergyThatBindCauseNoFurtherPlan) {
  RunConfig config = street();
  scheduler::Snapshot& snapshot = config.timeline.front().snapshot;
  for (scheduler::Task& task : snapshot.tasks) {
    profiles::ProfileSet set = *task.profiles;
    double watts = 9.0;
    for (profiles::Variant& variant : set.variants) {
      variant.power = profiles::Power{Watts(watts), {}};
      watts -= 2.5;
    }
    task.profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
  }
  const auto free_run = simulate(config, std::chrono::minutes(10), 1);
  snapshot.limits.peak_power = Watts(14.0);
  snapshot.limits.energy_per_second = Watts(2.0);
  const auto limited = simulate(config, std::chrono::minutes(10), 1);
  EXPECT_EQ(told(limited), "");
  EXPECT_EQ(limited.summary.solves.count, 1);
  EXPECT_LT(limited.summary.delivered_accuracy, free_run.summary.delivered_accuracy) << "they bind";
}

TEST(Simulation, TheTimelineIsPlayed) {
  RunConfig config = street();
  config.timeline.push_back({std::chrono::seconds(20), config.timeline.front().snapshot});
  for (scheduler::Task& task : config.timeline.back().snapshot.tasks) task.demand = Fps(30);
  config.timeline.push_back({std::chrono::seconds(40), config.timeline.front().snapshot});
  const SimulationResult result = simulate(config, std::chrono::seconds(60), 1);
  EXPECT_EQ(told(result), "");
  ASSERT_EQ(result.summary.segments.size(), 3U);
  EXPECT_EQ(result.summary.segments[1].tasks[0].demanded, 600);
  EXPECT_GE(result.summary.switches.size(), 4U);
  for (const SwitchSummary& record : result.summary.switches) {
    EXPECT_TRUE(!record.both_fit || record.frames_lost == 0) << record.task.str();
  }
}

TEST(Simulation, ASeedTellsTheSameStoryTwiceAndAnotherSeedAnother) {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const SimulationResult once = simulate(street(), std::chrono::seconds(50), seed, all_faults());
    const SimulationResult twice = simulate(street(), std::chrono::seconds(50), seed, all_faults());
    EXPECT_EQ(once.hash, twice.hash) << seed;
    EXPECT_EQ(once.events, twice.events) << seed;
    hashes.insert(once.hash);
  }
  EXPECT_EQ(hashes.size(), 4U);
}

TEST(Simulation, EveryFaultPointAloneIsSurvivedAndCounted) {
  for (std::size_t point = 0; point < kFaultPoints; ++point) {
    FaultSet only;
    only.set(point);
    const SimulationResult result = simulate(street(), std::chrono::seconds(100), 10 + point, only);
    EXPECT_EQ(told(result), "") << fault_points()[point].name;
    EXPECT_GT(result.faults[point], 0) << fault_points()[point].name;
  }
}

TEST(Simulation, WhatMustHoldDoesThroughStormsOfFaults) {
  FaultCounts faults{};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RunConfig config = street(seed % 3 == 0 ? std::nullopt : std::optional(seed % 2 == 0 ? 90.0 : 50.0));
    if (seed % 4 == 0) config.runtime.warm_cache = Bytes(20e6);
    if (seed % 5 == 0) config.runtime.transition = TransitionMode::unload_first;
    if (seed % 7 == 0) config.policy = scheduler::PolicyKind::fair_time;
    const SimulationResult result = simulate(config, std::chrono::minutes(2), seed, all_faults());
    ASSERT_EQ(told(result), "") << "seed " << seed;
    for (std::size_t point = 0; point < kFaultPoints; ++point) faults[point] += result.faults[point];
  }
  for (std::size_t point = 0; point < kFaultPoints; ++point) {
    EXPECT_GT(faults[point], 0) << fault_points()[point].name;
  }
}

// The second and the fourth camera's frames are pushed by clients.
RunConfig street_with_clients(std::optional<double> memory_mb = 90.0) {
  RunConfig config = street(memory_mb);
  for (const std::size_t i : {1UL, 3UL}) config.tasks[i].source = PushSource{};
  return config;
}

std::int64_t dropped(const TaskSummary& task, DropReason reason) {
  return task.dropped[static_cast<std::size_t>(reason)];
}

TEST(Simulation, ClientsGetWhatIsGrantedAndAreRefusedWhereTheGateIsFull) {
  const SimulationResult result = simulate(street_with_clients(), std::chrono::minutes(10), 1);
  EXPECT_EQ(told(result), "");
  for (const std::size_t i : {0UL, 2UL}) {
    EXPECT_EQ(result.summary.tasks[i].achieved_rate, 1.0) << "cameras do not mind";
    EXPECT_EQ(result.summary.tasks[i].rejected, 0);
  }
  for (const std::size_t i : {1UL, 3UL}) {
    const TaskSummary& task = result.summary.tasks[i];
    EXPECT_EQ(task.received, task.processed + dropped(task, DropReason::over_quota));
    EXPECT_GT(dropped(task, DropReason::over_quota), 0);
    EXPECT_GT(task.rejected, 0);
    EXPECT_GT(task.processed, 0);
    EXPECT_GE(task.processed + task.rejected, task.demanded);
  }
  EXPECT_EQ(result.summary.solves.count, 1) << "whoever sends nothing for a while is not lost";
}

TEST(Simulation, ClientsThatGoOnSendingToATaskNobodyDemandsAreDropped) {
  RunConfig config = street_with_clients();
  config.timeline.push_back({std::chrono::seconds(10), config.timeline.front().snapshot});
  for (scheduler::Task& task : config.timeline.back().snapshot.tasks) task.demand = Fps(0.0);
  const SimulationResult result = simulate(config, std::chrono::minutes(1), 1);
  EXPECT_EQ(told(result), "");
  for (const std::size_t i : {1UL, 3UL}) {
    EXPECT_GT(dropped(result.summary.tasks[i], DropReason::inactive), 20);
    EXPECT_EQ(result.summary.segments[1].tasks[i].demanded, 0);
  }
}

TEST(Simulation, WhatMustHoldDoesThroughStormsWithClients) {
  std::int64_t rejected = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RunConfig config = street_with_clients(seed % 2 == 0 ? 90.0 : 50.0);
    config.runtime.gate_frames = 1 + seed % 3;
    if (seed % 5 == 0) config.runtime.transition = TransitionMode::unload_first;
    const SimulationResult result = simulate(config, std::chrono::minutes(2), seed, all_faults());
    ASSERT_EQ(told(result), "") << "seed " << seed;
    for (const std::size_t i : {1UL, 3UL}) {
      rejected += result.summary.tasks[i].rejected;
    }
  }
  EXPECT_GT(rejected, 0);
  const auto once = simulate(street_with_clients(), std::chrono::seconds(50), 3, all_faults());
  EXPECT_EQ(once.hash, simulate(street_with_clients(), std::chrono::seconds(50), 3, all_faults()).hash);
}

TEST(Simulation, WhatTheRealShellRefusesIsRefused) {
  RunConfig config = street();
  auto set = std::make_shared<profiles::ProfileSet>(*config.timeline.front().snapshot.tasks[0].profiles);
  for (profiles::Variant& variant : set->variants) variant.frame_time[ProcessorId("gpu")] = Seconds(0.001);
  config.timeline.front().snapshot.tasks[0].profiles = set;
  const ilp::GlpkSolver solver;
  const auto policy = scheduler::make_policy(config.policy, solver);
  const auto shell = SimulatedShell::open(config, *policy, {std::chrono::seconds(1), 1, {}}, {});
  ASSERT_FALSE(shell.ok());
  EXPECT_EQ(shell.errors().front().where, "camera-0");
}

}  // namespace
}  // namespace saccade::test::simulation_test
