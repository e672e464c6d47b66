// What the controller does about memory when nobody helps it: a solver that gives nothing, a load that
// hangs, a warm cache that is full; and what a switch cost that was called off.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/simulated_run.hpp"

namespace saccade::test::memory_limit_test {
namespace {

using namespace runtime;

TEST(MemoryLimit, HoldsWithinTwoSecondsAlthoughTheSolverGivesNothing) {
  const auto base = scene({camera("a", 10, ladder(), 1), camera("b", 10, ladder())}, 1.0, 100);
  SimulatedRun run(base);
  bool dumb = false;
  run.solver_gives_nothing = [&] { return dumb; };
  run.at(at_ms(1000), [&] { dumb = true; });
  run.change(at_ms(1000), with_memory(base, 50));
  run.run_until(at_ms(3000));
  EXPECT_LE(run.controller().reserved().value(), 50e6);
  EXPECT_EQ(run.controller().serving(0), 0U) << "the higher class keeps its engine";
  EXPECT_EQ(run.controller().serving(1), std::nullopt);
  EXPECT_GE(run.reports("infeasible", "let go"), 1U);
  dumb = false;
  run.run_until(at_ms(10'000));
  EXPECT_EQ(run.controller().serving(0), 0U);
  EXPECT_EQ(run.controller().serving(1), 1U) << "a plan brings the other back, smaller";
  run.shut_down();
}

TEST(MemoryLimit, WhatAHangingLoadHoldsIsReported) {
  RuntimeOptions options;
  options.load_timeout = Seconds(10.0);
  const auto base = scene({camera("a", 10, ladder())}, 1.0, 15);
  SimulatedRun run(base, options);
  run.load_fate = [](TaskIndex, std::size_t variant) {
    return variant == 0 ? LoadFate::hangs : LoadFate::good;
  };
  run.change(at_ms(1000), with_memory(base, 60));  // the large one is loaded, and hangs
  run.change(at_ms(2000), with_memory(base, 20));
  run.run_until(at_ms(4000));
  EXPECT_GE(run.reports("infeasible", "before the loader is free"), 1U);
  run.shut_down();
}

TEST(MemoryLimit, AnUnloadFirstSwitchDoesNotWaitForASolverThatGivesNothing) {
  const auto base = scene({camera("a", 10, ladder())}, 1.0, 45);
  auto small = base;
  small.objective = scheduler::Objective::min_memory;
  SimulatedRun run(base);
  bool dumb = false;
  run.solver_gives_nothing = [&] { return dumb; };
  run.change(at_ms(1000), small);
  // In the middle of the solve comes a change whose solves give nothing.
  run.at(at_ms(1001), [&] { dumb = true; });
  run.change(at_ms(1001), small);
  run.run_until(at_ms(3000));
  EXPECT_EQ(run.controller().serving(0), 1U);
  run.shut_down();
}

// 40 MB serve when 12 MB are allowed: nothing can serve while the small one loads.
scheduler::Snapshot one_camera(double load_ms) {
  const auto nets = network({{"large", 0.95, 8.0, 40.0, load_ms}, {"small", 0.8, 4.0, 10.0, load_ms}});
  return scene({camera("a", 20, nets)}, 1.0, 45);
}

TEST(MemoryLimit, FramesWaitForTheEngineWhoseRoomTheOldOneHadToLeave) {
  const auto base = one_camera(60.0);
  SimulatedRun run(base);
  run.change(at_ms(1000), with_memory(base, 12));
  run.run_until(at_ms(999));
  const std::int64_t before = run.frames(0).dropped_total();  // while the first engine was loaded
  run.run_until(at_ms(3000));
  ASSERT_EQ(run.controller().serving(0), 1U);
  ASSERT_EQ(run.controller().switches().size(), 1U);
  EXPECT_FALSE(run.controller().switches()[0].both_fit);
  EXPECT_EQ(run.frames(0).dropped_total(), before) << "a load of 60 ms is shorter than the gate";
  EXPECT_EQ(run.warm_ups().back(), 1) << "frames wait for it";
  run.shut_down();
}

TEST(MemoryLimit, WhereTheLoadTakesLongerThanTheGateTheOldestAreLost) {
  const auto base = one_camera(400.0);
  SimulatedRun run(base);
  run.change(at_ms(1000), with_memory(base, 12));
  run.run_until(at_ms(999));
  const std::int64_t before = run.dropped(0, DropReason::no_engine);
  const std::int64_t to_switches = run.lost(0, LossCause::switching);
  run.run_until(at_ms(3000));
  ASSERT_EQ(run.controller().serving(0), 1U);
  const std::int64_t dropped = run.dropped(0, DropReason::no_engine) - before;
  EXPECT_NEAR(static_cast<double>(dropped), 400.0 / 50.0 - 2.0, 1.0);
  EXPECT_EQ(dropped, run.lost(0, LossCause::switching) - to_switches);
  run.shut_down();
}

TEST(MemoryLimit, FramesThatWaitForAnEngineEndWhenThePlanWantsNoneAnyMore) {
  const auto base = one_camera(400.0);
  SimulatedRun run(base);
  run.change(at_ms(1000), with_memory(base, 12));
  run.change(at_ms(1200), with_memory(base, 5));  // nothing fits
  run.run_until(at_ms(3000));
  EXPECT_EQ(run.controller().serving(0), std::nullopt);
  EXPECT_EQ(run.frames(0).in_flight, 0);
  run.shut_down();
}

TEST(MemoryLimit, AFullWarmCacheKeepsWhatLeftLast) {
  RuntimeOptions options;
  options.warm_cache = Bytes(40e6);
  const auto base = scene({camera("a", 10, ladder()), camera("b", 10, ladder())});
  auto without_a = base;
  without_a.tasks[0].demand = Fps(0.0);
  auto without_both = without_a;
  without_both.tasks[1].demand = Fps(0.0);
  auto without_a_again = without_a;
  SimulatedRun run(base, options);
  run.change(at_ms(1000), without_a);
  run.change(at_ms(2000), without_both);  // room for one of the two
  run.change(at_ms(3000), without_a_again);
  run.run_until(at_ms(4000));
  EXPECT_EQ(run.loads(), 2U) << "b comes back without a load";
  EXPECT_EQ(run.controller().serving(1), 0U);
  run.shut_down();
}

TEST(CalledOff, ASwitchThatIsCalledOffIsRecordedWithTheFramesItLost) {
  // 40 frames/s of 20 ms do not fit: while the small one loads, the rate is lowered and frames are lost.
  const auto nets = network({{"large", 0.95, 20.0, 40.0, 20.0}, {"small", 0.80, 4.0, 10.0, 2000.0}});
  const auto base = scene({camera("a", 10, nets), camera("b", 10, nets)});
  auto busy = base;
  for (scheduler::Task& task : busy.tasks) task.demand = Fps(40);
  SimulatedRun run(base);
  run.change(at_ms(1000), busy);
  run.change(at_ms(1500), base);
  run.run_until(at_ms(4000));
  ASSERT_TRUE(run.controller().settled());
  const auto& records = run.controller().switches();
  const std::int64_t recorded =
      std::accumulate(records.begin(), records.end(), std::int64_t{0},
                      [](std::int64_t sum, const SwitchRecord& record) { return sum + record.frames_lost; });
  EXPECT_GT(recorded, 0);
  EXPECT_EQ(recorded, run.lost(0, LossCause::switching) + run.lost(1, LossCause::switching));
  for (const SwitchRecord& record : records) EXPECT_EQ(record.from, record.to);
  run.shut_down();
}

}  // namespace
}  // namespace saccade::test::memory_limit_test
