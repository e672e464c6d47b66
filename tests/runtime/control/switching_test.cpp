// Controller and dispatcher together, in virtual time: what happens to frames while engines switch.
#include <gtest/gtest.h>

#include "tests/support/simulated_run.hpp"

namespace saccade::test {
namespace {

using namespace runtime;

TEST(Switching, AFirstPlanLoadsEveryActiveTaskAndServesIt) {
  SimulatedRun run(scene({camera("a", 10, ladder()), camera("b", 10, ladder()), camera("off", 0, ladder())}));
  run.run_until(at_ms(3000));
  EXPECT_EQ(run.controller().serving(0), 0U);
  EXPECT_EQ(run.controller().serving(1), 0U);
  EXPECT_EQ(run.controller().serving(2), std::nullopt);
  EXPECT_TRUE(run.controller().settled());
  EXPECT_TRUE(run.controller().switches().empty()) << "a first load is not a switch";
  EXPECT_EQ(run.frames(2).demanded, 0);
  EXPECT_GE(run.frames(0).processed, 29);
  run.shut_down();
}

TEST(Switching, ASwitchLosesNoFrameWhenOldAndNewFitBesideEachOther) {
  const auto base = scene({camera("a", 10, ladder()), camera("b", 30, ladder(10.0))}, 1.0, 200);
  auto small = base;
  small.objective = scheduler::Objective::min_memory;
  SimulatedRun run(base);
  run.run_until(at_ms(1000));
  std::vector<TaskFrames> settled{run.frames(0), run.frames(1)};
  run.change(at_ms(1000), small);
  run.change(at_ms(2000), base);
  run.change(at_ms(2500), small);
  run.change(at_ms(2520), base);  // in the middle of the transition
  run.run_until(at_ms(4000));
  EXPECT_TRUE(run.controller().settled());
  EXPECT_GE(run.controller().switches().size(), 4U);
  for (const SwitchRecord& record : run.controller().switches()) {
    EXPECT_TRUE(record.both_fit);
    EXPECT_EQ(record.frames_lost, 0);
    EXPECT_EQ(record.swap_time, Duration(400));
  }
  for (TaskIndex task = 0; task < 2; ++task) {
    EXPECT_EQ(run.frames(task).dropped_total(), settled[task].dropped_total());
  }
  run.shut_down();
}

TEST(Switching, RisingDemandMovesToSmallVariantsAndFallingDemandBack) {
  const auto base = scene({camera("a", 10, ladder()), camera("b", 10, ladder())});
  SimulatedRun run(base);
  run.change(at_ms(1000), with_demand(with_demand(base, 0, 40), 1, 40));
  run.change(at_ms(3000), base);
  run.run_until(at_ms(2900));
  EXPECT_EQ(run.controller().serving(0).value_or(9) + run.controller().serving(1).value_or(9), 2U);
  run.run_until(at_ms(5000));
  EXPECT_EQ(run.controller().serving(0), 0U);
  EXPECT_EQ(run.controller().serving(1), 0U);
  for (TaskIndex task = 0; task < 2; ++task) {
    const TaskFrames& frames = run.frames(task);
    EXPECT_GE(static_cast<double>(frames.processed), 0.94 * static_cast<double>(frames.demanded));
  }
  run.shut_down();
}

TEST(Switching, ATaskThatKeepsItsVariantLosesNothingInAStormOfChanges) {
  const auto keeper = network({{"only", 0.9, 5.0, 10.0, 10.0}});
  const auto base =
      scene({camera("keeper", 25, keeper), camera("a", 10, ladder()), camera("b", 10, ladder())});
  SimulatedRun run(base);
  run.run_until(at_ms(500));
  const TaskFrames settled = run.frames(0);
  for (int i = 0; i < 40; ++i) {
    run.change(at_ms(500 + 97 * i), with_demand(base, 1 + static_cast<std::size_t>(i % 2), 5 + (i * 7) % 30));
  }
  run.run_until(at_ms(6000));
  EXPECT_GT(run.controller().switches().size(), 3U);
  EXPECT_EQ(run.frames(0).dropped_total(), settled.dropped_total());
  run.shut_down();
  EXPECT_EQ(run.frames(0).processed, run.frames(0).received - settled.dropped_total());
}

TEST(Switching, MemoryTooSmallForBothFindsTheOrderThatFits) {
  // a shrinks 40 -> 10, b grows 10 -> 40; only a before b fits, though b is of the higher class.
  const auto base = scene({camera("a", 10, ladder(), 0), camera("b", 10, ladder(), 5)}, 1.0, 60);
  SimulatedRun run(base);
  std::vector<std::optional<std::size_t>> wish{0, 1};
  run.planner = [&](const scheduler::Snapshot& snapshot) { return scripted(snapshot, wish); };
  run.at(at_ms(1000), [&] { wish = {1, 0}; });
  run.change(at_ms(1000), base);
  run.run_until(at_ms(2000));
  ASSERT_EQ(run.controller().switches().size(), 2U);
  EXPECT_EQ(run.controller().switches()[0].task, 0U);
  for (const SwitchRecord& record : run.controller().switches()) {
    EXPECT_TRUE(record.both_fit);
    EXPECT_EQ(record.frames_lost, 0);
  }
  run.shut_down();
}

TEST(Switching, WhatFitsInNoOrderIsUnloadedFirstAndItsFramesCountAsLostToTheSwitch) {
  // 40 ms are four frames, of which two wait.
  const auto nets = network({{"large", 0.95, 4.0, 40.0, 20.0}, {"small", 0.80, 4.0, 10.0, 40.0}});
  const auto base = scene({camera("a", 100, nets)}, 1.0, 45);
  SimulatedRun run(base);
  std::vector<std::optional<std::size_t>> wish{0};
  run.planner = [&](const scheduler::Snapshot& snapshot) { return scripted(snapshot, wish); };
  run.at(at_ms(1000), [&] { wish = {1}; });
  run.change(at_ms(1000), base);
  run.run_until(at_ms(999));
  const std::int64_t lost = run.lost(0, LossCause::switching);
  const std::int64_t dropped = run.frames(0).dropped_total();
  run.run_until(at_ms(2000));
  ASSERT_EQ(run.controller().switches().size(), 1U);
  const SwitchRecord& record = run.controller().switches().front();
  EXPECT_FALSE(record.both_fit);
  EXPECT_EQ(record.from, 0U);
  EXPECT_GE(record.frames_lost, 1);
  EXPECT_EQ(run.lost(0, LossCause::switching) - lost, record.frames_lost);
  EXPECT_EQ(run.frames(0).dropped_total() - dropped, record.frames_lost);
  EXPECT_LE(run.controller().reserved_peak().value(), 45e6);
  EXPECT_EQ(run.warm_ups(), std::vector<int>({1, 1}))
      << "while frames are lost nobody waits for a second one";
  run.shut_down();
}

TEST(Switching, AnEngineThatNobodyWaitsForWarmsUpTwice) {
  const auto base = scene({camera("a", 20, ladder())}, 1.0, 100);
  auto small = base;
  small.objective = scheduler::Objective::min_memory;
  SimulatedRun run(base);
  run.change(at_ms(1000), small);
  run.run_until(at_ms(2000));
  EXPECT_EQ(run.warm_ups(), std::vector<int>({1, 2}));
  run.shut_down();
}

TEST(Switching, ALimitLoweredBelowUseOnlyEverFreesMemory) {
  const auto base = scene({camera("a", 10, ladder()), camera("b", 10, ladder())}, 1.0, 100);
  SimulatedRun run(base);
  run.change(at_ms(1000), with_memory(base, 30));  // 80 MB in use; the invariant watches every event
  run.run_until(at_ms(3000));
  EXPECT_LE(run.controller().reserved().value(), 30e6);
  EXPECT_EQ(run.controller().serving(0), 1U);
  EXPECT_EQ(run.controller().serving(1), 1U);
  run.shut_down();
}

TEST(Switching, AnImpossibleLimitIsReportedAndItsEndBringsEverythingBack) {
  const auto base = scene({camera("a", 10, ladder()), camera("b", 10, ladder())}, 1.0, 100);
  SimulatedRun run(base);
  run.change(at_ms(1000), with_memory(base, 5));
  run.change(at_ms(4000), base);
  run.run_until(at_ms(3900));
  EXPECT_GE(run.reports("infeasible"), 1U);
  run.run_until(at_ms(6000));
  EXPECT_EQ(run.controller().serving(0), 0U);
  EXPECT_EQ(run.controller().serving(1), 0U);
  run.shut_down();
}

TEST(Switching, TheTotalsMissNoSwitch) {
  const auto base = scene({camera("a", 10, ladder()), camera("b", 30, ladder(10.0))}, 1.0, 200);
  auto small = base;
  small.objective = scheduler::Objective::min_memory;
  SimulatedRun run(base);
  for (int i = 0; i < 30; ++i) run.change(at_ms(1000 + 200 * i), i % 2 == 0 ? small : base);
  run.run_until(at_ms(8000));
  const auto& totals = *run.controller().switch_totals();
  const auto& records = run.controller().switches();
  EXPECT_GE(totals.done, 30);
  EXPECT_EQ(static_cast<std::size_t>(totals.done + totals.called_off), records.size());
  for (const auto* times : {&totals.load_times, &totals.warm_times, &totals.swap_times}) {
    EXPECT_EQ(times->count(), totals.done);
  }
  EXPECT_EQ(totals.failed, 0);
  run.shut_down();
}

TEST(Switching, DemandThatFlapsAtTenHertzIsCoalesced) {
  const auto base = scene({camera("a", 10, ladder()), camera("b", 10, ladder())});
  SimulatedRun run(base);
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < 4; ++j) {
      run.change(at_ms(1000 + 100 * i + 5 * j), with_demand(base, 0, (i + j) % 2 == 0 ? 10 : 40));
    }
  }
  run.run_until(at_ms(13'000));
  EXPECT_LE(run.solves(), 2U * 100U + 2U) << "at most the first and one for its followers per burst";
  EXPECT_GE(run.solves(), 100U);
  EXPECT_TRUE(run.controller().settled());
  run.shut_down();
}

TEST(Switching, AChangeInTheMiddleOfATransitionDropsTheLoadsItNoLongerWants) {
  const auto slow = network({{"large", 0.95, 20.0, 40.0, 500.0}, {"small", 0.80, 4.0, 10.0, 10.0}});
  const auto base = scene({camera("a", 10, slow), camera("b", 10, slow), camera("c", 10, slow)}, 1.0, 35);
  SimulatedRun run(base);
  run.run_until(at_ms(1000));
  ASSERT_EQ(run.controller().serving(0), 1U);
  run.change(at_ms(1000), with_memory(base, 500));  // all go large, one load after the other
  run.change(at_ms(1100), base);                    // and back before the first is there
  run.run_until(at_ms(4000));
  EXPECT_EQ(run.loads(), 3U + 1U);
  EXPECT_TRUE(run.controller().switches().empty());
  EXPECT_TRUE(run.controller().settled());
  EXPECT_EQ(run.controller().reserved().value(), 30e6);
  run.shut_down();
}

TEST(Switching, LoadsGoByClassThenByLoadTimeOneAfterTheOther) {
  const auto slow = network({{"only", 0.9, 1.0, 10.0, 50.0}});
  const auto quick = network({{"only", 0.9, 1.0, 10.0, 20.0}});
  SimulatedRun run(
      scene({camera("slow", 10, slow), camera("quick", 10, quick), camera("first", 10, slow, 1)}));
  std::vector<TaskIndex> order;
  run.load_fate = [&](TaskIndex task, std::size_t) {
    order.push_back(task);
    return LoadFate::good;
  };
  run.run_until(at_ms(500));
  EXPECT_EQ(order, (std::vector<TaskIndex>{2, 1, 0}));
  run.shut_down();
}

TEST(Switching, WhoLeavesTimeToTheOthersIsExchangedFirstSoThatNoRateIsLowered) {
  // At 20 frames/s one large (35 ms) and one small (10 ms) variant fill the processor; who is large changes.
  // The large ones load much faster than the small ones.
  const auto variants = network({{"large", 0.95, 35.0, 10.0, 10.0}, {"small", 0.8, 10.0, 5.0, 200.0}});
  auto wanted = scene({camera("a", 20, variants), camera("b", 20, variants)});
  SimulatedRun run(wanted);
  std::vector<std::optional<std::size_t>> wish{0, 1};
  run.planner = [&](const scheduler::Snapshot& snapshot) { return scripted(snapshot, wish); };
  run.run_until(at_ms(1000));
  const std::int64_t before = run.frames(0).dropped_total() + run.frames(1).dropped_total();
  for (int i = 0; i < 6; ++i) {
    run.at(at_ms(1000 + 1000 * i), [&, i] { wish = {i % 2 == 0 ? 1 : 0, i % 2 == 0 ? 0 : 1}; });
    wanted.tasks[0].weight += 1.0;  // something to decide anew
    run.change(at_ms(1000 + 1000 * i), wanted);
  }
  run.run_until(at_ms(7000));
  ASSERT_EQ(run.controller().switches().size(), 12U);
  for (const SwitchRecord& record : run.controller().switches()) {
    EXPECT_TRUE(record.both_fit);
    EXPECT_EQ(record.frames_lost, 0);
  }
  EXPECT_EQ(run.frames(0).dropped_total() + run.frames(1).dropped_total(), before);
  run.shut_down();
}

TEST(Switching, WhileEnginesLoadTheRestOfTheTimeIsSharedOutAgainAtEveryReadyEngine) {
  // Two tasks at 40 frames/s whose large variants (20 ms) would need 1.6 of 0.95: both have to go small.
  const auto base =
      scene({camera("a", 10, network({{"large", 0.95, 20.0, 10.0, 20.0}, {"small", 0.8, 4.0, 5.0, 400.0}})),
             camera("b", 10, network({{"large", 0.95, 20.0, 10.0, 20.0}, {"small", 0.8, 4.0, 5.0, 800.0}}))});
  SimulatedRun run(base);
  std::vector<std::optional<std::size_t>> wish{0, 0};
  run.planner = [&](const scheduler::Snapshot& snapshot) { return scripted(snapshot, wish); };
  auto busy = with_demand(with_demand(base, 0, 40), 1, 40);
  run.at(at_ms(1000), [&] { wish = {1, 1}; });
  run.change(at_ms(1000), busy);
  run.run_until(at_ms(1100));
  const auto start = run.frames(1).processed;
  run.run_until(at_ms(1400));  // shared: 0.475 / 20 ms = 23.75 frames/s each
  EXPECT_NEAR(static_cast<double>(run.frames(1).processed - start), 0.3 * 23.75, 2.5);
  run.run_until(at_ms(1450));  // a is there with 0.16; b may use 0.79 / 20 ms = 39.5 frames/s
  const auto then = run.frames(1).processed;
  run.run_until(at_ms(2150));
  EXPECT_NEAR(static_cast<double>(run.frames(1).processed - then), 0.7 * 39.5, 2.5);
  EXPECT_TRUE(run.controller().in_transition());
  run.run_until(at_ms(3000));
  EXPECT_TRUE(run.controller().settled());
  for (const SwitchRecord& record : run.controller().switches()) EXPECT_FALSE(record.both_fit);
  EXPECT_GT(run.lost(0, LossCause::switching), 0);
  run.shut_down();
}

TEST(Switching, WhatIsKeptOfSwitchesDoesNotGrowForEver) {
  const auto variants = network({{"large", 0.95, 5.0, 10.0, 1.0}, {"small", 0.8, 1.0, 5.0, 1.0}});
  auto wanted = scene({camera("a", 10, variants)});
  SimulatedRun run(wanted);
  bool large = false;
  run.planner = [&](const scheduler::Snapshot& snapshot) {
    large = !large;
    return scripted(snapshot, {large ? 0U : 1U});
  };
  const std::size_t many = 2 * Controller::kSwitchesKept + 10;
  for (std::size_t i = 0; i < many; ++i) {
    wanted.tasks[0].weight = 1.0 + static_cast<double>(i % 2);
    run.change(at_ms(1000.0 + 200.0 * static_cast<double>(i)), wanted);
    run.run_until(at_ms(1150.0 + 200.0 * static_cast<double>(i)));
  }
  const auto& totals = *run.controller().switch_totals();
  EXPECT_EQ(totals.done, static_cast<std::int64_t>(many));
  EXPECT_EQ(run.controller().switches().size(), many - Controller::kSwitchesKept);
  EXPECT_EQ(run.controller().switches().back().swap_time, Duration(400));
  run.shut_down();
}

TEST(Switching, ATaskThatGoesOffIsDrainedAndUnloaded) {
  const auto base = scene({camera("a", 10, ladder()), camera("b", 10, ladder())});
  SimulatedRun run(base);
  run.change(at_ms(1000), with_demand(base, 1, 0));
  run.run_until(at_ms(2000));
  EXPECT_EQ(run.controller().serving(1), std::nullopt);
  EXPECT_EQ(run.controller().reserved().value(), 40e6);
  run.shut_down();
}

TEST(Switching, AParkedEngineComesBackWithoutALoad) {
  RuntimeOptions options;
  options.warm_cache = Bytes(100e6);
  const auto base = scene({camera("a", 10, ladder())}, 1.0, 60);
  SimulatedRun run(base, options);
  run.change(at_ms(1000), with_demand(base, 0, 0));
  run.change(at_ms(2000), base);
  run.run_until(at_ms(3000));
  EXPECT_EQ(run.loads(), 1U);
  EXPECT_EQ(run.controller().serving(0), 0U);
  run.change(at_ms(3000), with_demand(base, 0, 0));
  run.change(at_ms(4000), with_memory(with_demand(base, 0, 0), 20));
  run.run_until(at_ms(5000));
  EXPECT_EQ(run.controller().reserved().value(), 0.0) << "parked engines go first when the limit is lowered";
  run.shut_down();
}

TEST(Switching, AHeuristicPlanRunsWithoutTheMemoryLimitAndSaysSo) {
  const auto base = scene({camera("a", 10, ladder()), camera("b", 10, ladder())}, 1.0, 30);
  SimulatedRun run(base, {}, scheduler::PolicyKind::greedy);
  run.run_until(at_ms(1000));
  EXPECT_EQ(run.controller().serving(0), 0U);
  EXPECT_EQ(run.controller().serving(1), 0U);
  EXPECT_GE(run.reports("plan", "without the memory limit"), 1U);
  run.shut_down();
}

TEST(Switching, AShutdownInTheMiddleOfALoadLeavesNoFrameOpen) {
  const auto slow = network({{"large", 0.95, 20.0, 40.0, 5000.0}, {"small", 0.80, 4.0, 10.0, 10.0}});
  const auto base = scene({camera("a", 40, slow)}, 1.0, 15);
  SimulatedRun run(base);
  run.change(at_ms(1000), with_memory(base, 100));
  run.run_until(at_ms(1500));
  ASSERT_TRUE(run.controller().in_transition());
  run.shut_down();
  EXPECT_EQ(run.frames(0).received, run.frames(0).processed + run.frames(0).dropped_total());
}

}  // namespace
}  // namespace saccade::test
