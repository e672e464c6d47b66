// Spare engines: for a task that is not demanded the leanest engine is kept ready, without any other task
// noticing; and it serves at once when the task is demanded.
#include <gtest/gtest.h>

#include "tests/support/simulated_run.hpp"

namespace saccade::test {
namespace {

using namespace runtime;

// Loads take 20 ms; the first camera is demanded, the second on request.
scheduler::Snapshot standby_scene(double second_fps, std::optional<double> memory_mb = std::nullopt) {
  static const auto variants = network({{"small", 0.8, 5.0, 5, 20}, {"large", 0.95, 20.0, 10, 20}});
  scheduler::Snapshot snapshot =
      scene({camera("a", 20, variants), camera("b", 20, variants)}, 1.0, memory_mb);
  snapshot.tasks[1].demand = Fps(second_fps);
  return snapshot;
}

SimulatedRun standby_run(const scheduler::Snapshot& first) {
  return SimulatedRun(first, {}, scheduler::PolicyKind::transprecision, {1});
}

TEST(SpareEngine, IsTheLeanestAndServesAtOnceWhenTheTaskIsDemanded) {
  SimulatedRun run = standby_run(standby_scene(0.0));
  run.run_until(at_ms(1000));
  ASSERT_EQ(run.controller().spare(1), 0U);
  EXPECT_EQ(run.controller().serving(1), std::nullopt);
  EXPECT_EQ(run.controller().serving(0), 1U) << "it takes no time of the others";
  EXPECT_EQ(run.loads(), 2U);
  EXPECT_EQ(run.controller().reserved(), Bytes(15e6));

  run.change(at_ms(1000), standby_scene(10.0));
  run.run_until(at_ms(1010));
  EXPECT_EQ(run.controller().serving(1), 0U) << "2 ms of solving, and no load";
  run.run_until(at_ms(2000));
  EXPECT_EQ(run.controller().serving(1), 1U) << "what the plan wants followed";
  EXPECT_EQ(run.controller().spare(1), std::nullopt);
  EXPECT_EQ(run.lost(1, LossCause::switching), 0);
  EXPECT_EQ(run.controller().reserved(), Bytes(20e6)) << "nothing is left over";
}

TEST(SpareEngine, DoesNotServeWhatTheTaskHasComeToRefuse) {
  SimulatedRun run = standby_run(standby_scene(0.0));
  run.run_until(at_ms(1000));
  ASSERT_EQ(run.controller().spare(1), 0U);
  scheduler::Snapshot demanded = standby_scene(10.0);
  demanded.tasks[1].min_accuracy = 0.9;
  run.change(at_ms(1000), demanded);
  run.run_until(at_ms(1010));
  EXPECT_EQ(run.controller().serving(1), std::nullopt);
  run.run_until(at_ms(2000));
  EXPECT_EQ(run.controller().serving(1), 1U);
  EXPECT_EQ(run.controller().reserved(), Bytes(20e6)) << "the refused one has gone";
}

TEST(SpareEngine, OneThatTheTaskHasComeToRefuseIsReplacedAndIsNotReadyMeanwhile) {
  SimulatedRun run = standby_run(standby_scene(0.0));
  run.run_until(at_ms(1000));
  ASSERT_EQ(run.controller().spare(1), 0U);
  scheduler::Snapshot strict = standby_scene(0.0);
  strict.tasks[1].min_accuracy = 0.9;
  run.change(at_ms(1000), strict);
  run.run_until(at_ms(1001));
  EXPECT_EQ(run.controller().spare(1), std::nullopt);
  run.run_until(at_ms(2000));
  EXPECT_EQ(run.controller().spare(1), 1U);
  EXPECT_EQ(run.controller().reserved(), Bytes(20e6)) << "nothing is left over";

  strict.tasks[1].demand = Fps(10.0);
  run.change(at_ms(2000), strict);
  run.run_until(at_ms(2010));
  EXPECT_EQ(run.controller().serving(1), 1U) << "without a load";
  EXPECT_EQ(run.loads(), 3U);
}

TEST(SpareEngine, IsUnloadedWhereTheTaskRefusesEveryVariantUntilItAllowsOne) {
  SimulatedRun run = standby_run(standby_scene(0.0));
  scheduler::Snapshot strict = standby_scene(0.0);
  strict.tasks[1].min_accuracy = 0.99;
  run.change(at_ms(1000), strict);
  run.run_until(at_ms(2000));
  EXPECT_EQ(run.controller().spare(1), std::nullopt);
  EXPECT_EQ(run.controller().reserved(), Bytes(10e6));
  run.change(at_ms(2000), standby_scene(0.0));
  run.run_until(at_ms(3000));
  EXPECT_EQ(run.controller().spare(1), 0U);
}

TEST(SpareEngine, OneThatIsRefusedWhileItLoadsIsNeverReady) {
  scheduler::Snapshot strict = standby_scene(0.0);
  strict.tasks[1].min_accuracy = 0.9;
  for (double when = 22.0; when < 80.0; when += 1.0) {
    SimulatedRun run = standby_run(standby_scene(0.0));
    run.change(at_ms(when), strict);
    for (double later = when + 1.0; later < when + 300.0; later += 1.0) {
      run.run_until(at_ms(later));
      EXPECT_NE(run.controller().spare(1), std::optional<std::size_t>(0)) << when << ", " << later;
    }
    EXPECT_EQ(run.controller().spare(1), 1U) << when;
    EXPECT_EQ(run.controller().reserved(), Bytes(20e6)) << when;
  }
}

TEST(SpareEngine, IsLoadedAgainWhenTheTaskIsNotDemandedAnyMore) {
  SimulatedRun run = standby_run(standby_scene(10.0));
  run.run_until(at_ms(1000));
  EXPECT_EQ(run.controller().spare(1), std::nullopt);
  run.change(at_ms(1000), standby_scene(0.0));
  run.run_until(at_ms(2000));
  EXPECT_EQ(run.controller().spare(1), 0U);
  EXPECT_EQ(run.controller().reserved(), Bytes(15e6));
}

TEST(SpareEngine, IsNotLoadedWhereItDoesNotFitAndIsWhereItDoes) {
  SimulatedRun run = standby_run(standby_scene(0.0, 14.0));  // one large one, and not a small one beside it
  run.run_until(at_ms(1000));
  EXPECT_EQ(run.controller().serving(0), 1U);
  EXPECT_EQ(run.controller().spare(1), std::nullopt);
  EXPECT_EQ(run.loads(), 1U);
  run.change(at_ms(1000), standby_scene(0.0, 15.0));
  run.run_until(at_ms(2000));
  EXPECT_EQ(run.controller().spare(1), 0U);
}

TEST(SpareEngine, GoesFirstWhenMemoryIsShort) {
  SimulatedRun run = standby_run(standby_scene(0.0, 15.0));
  run.run_until(at_ms(1000));
  ASSERT_EQ(run.controller().spare(1), 0U);
  run.change(at_ms(1000), standby_scene(0.0, 10.0));
  run.run_until(at_ms(1100));
  EXPECT_EQ(run.controller().serving(0), 1U);
  EXPECT_EQ(run.controller().spare(1), std::nullopt);
  EXPECT_EQ(run.controller().reserved(), Bytes(10e6));
}

// The large engine of a is replaced by its small one and the other way round: a needs the room for both.
TEST(SpareEngine, GivesItsMemoryToASwitchAndIsBackAfterIt) {
  scheduler::Snapshot lean = standby_scene(0.0, 15.0);
  lean.objective = scheduler::Objective::min_memory;
  SimulatedRun run = standby_run(lean);
  run.run_until(at_ms(1000));
  ASSERT_EQ(run.controller().spare(1), 0U);
  ASSERT_EQ(run.controller().serving(0), 0U);
  run.change(at_ms(1000), standby_scene(0.0, 15.0));
  run.run_until(at_ms(2000));
  EXPECT_EQ(run.controller().serving(0), 1U);
  EXPECT_EQ(run.lost(0, LossCause::switching), 0);
  EXPECT_EQ(run.controller().spare(1), 0U);
}

TEST(SpareEngine, OneThatFailsToLoadDisturbsNobodyAndTheNextLeanestIsTried) {
  SimulatedRun run = standby_run(standby_scene(0.0));
  run.load_fate = [](TaskIndex task, std::size_t variant) {
    return task == 1 && variant == 0 ? LoadFate::fails : LoadFate::good;
  };
  run.run_until(at_ms(1000));
  EXPECT_EQ(run.controller().serving(0), 1U);
  EXPECT_EQ(run.controller().spare(1), 1U);
}

TEST(SpareEngine, OneThatIsStillLoadingIsUsedAsSoonAsItIsReady) {
  for (double when = 22.0; when < 80.0; when += 1.0) {
    SimulatedRun run = standby_run(standby_scene(0.0));
    run.change(at_ms(when), standby_scene(10.0));
    run.run_until(at_ms(1000));
    EXPECT_EQ(run.controller().serving(1), 1U) << when;
    EXPECT_TRUE(run.controller().settled()) << when;
    EXPECT_EQ(run.controller().reserved(), Bytes(20e6)) << when;
  }
}

TEST(SpareEngine, MakesNoRoomInTheWarmCacheThatItTakesNoneOf) {
  scheduler::Snapshot all = standby_scene(0.0);
  all.tasks.push_back(all.tasks[0]);
  all.tasks[2].id = TaskId("c");
  RuntimeOptions options;
  options.warm_cache = Bytes(10e6);  // for one of the two that leave
  SimulatedRun run(all, options, scheduler::PolicyKind::transprecision, {1});
  const scheduler::Snapshot without_a = with_demand(all, 0, 0.0);
  run.change(at_ms(1000), without_a);
  run.change(at_ms(2000), with_demand(without_a, 2, 0.0));
  for (double when = 1000.0; when < 3000.0; when += 1.0) {
    run.run_until(at_ms(when));
    EXPECT_EQ(run.controller().spare(1), 0U) << when;
  }
  EXPECT_EQ(run.controller().reserved(), Bytes(15e6));
  EXPECT_EQ(run.loads(), 3U);
}

TEST(SpareEngine, ARemovedTaskKeepsNone) {
  SimulatedRun run = standby_run(standby_scene(0.0));
  run.run_until(at_ms(1000));
  run.remove(at_ms(1000), 1);
  run.run_until(at_ms(2000));
  EXPECT_TRUE(run.controller().at_rest(1));
  EXPECT_EQ(run.controller().reserved(), Bytes(10e6));
}

}  // namespace
}  // namespace saccade::test
