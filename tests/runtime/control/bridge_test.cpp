// Two engines that do not fit into memory together: a small variant serves in between.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "tests/support/simulated_run.hpp"

namespace saccade::test {
namespace {

using namespace runtime;

// name, accuracy, ms per frame, MB, ms to load
profiles::ProfileSetPtr steps(double bridge_load = 20.0) {
  return network({{"large", 0.95, 8.0, 40.0, 60.0},
                  {"medium", 0.90, 6.0, 30.0, 50.0},
                  {"small", 0.80, 2.0, 8.0, bridge_load},
                  {"tiny", 0.70, 1.0, 4.0, bridge_load + 10.0}});
}

// One camera at 50 frames/s and 50 MB of memory, whose plan goes from `first` to `second` after a second.
struct Exchange {
  explicit Exchange(std::size_t first, std::size_t second, scheduler::Snapshot scene_wanted)
      : wanted(std::move(scene_wanted)), wish{first}, run(wanted) {
    run.planner = [this](const scheduler::Snapshot& snapshot) { return scripted(snapshot, wish); };
    run.at(at_ms(1000), [this, second] { wish = {second}; });
    wanted.tasks[0].weight += 1.0;  // something to decide anew
    run.change(at_ms(1000), wanted);
    run.run_until(at_ms(999));
    before = run.frames(0).dropped_total();
  }
  [[nodiscard]] std::int64_t dropped() const { return run.frames(0).dropped_total() - before; }

  scheduler::Snapshot wanted;
  std::vector<std::optional<std::size_t>> wish;
  SimulatedRun run;
  std::int64_t before = 0;
};

scheduler::Snapshot one_camera(double megabytes = 50.0, double bridge_load = 20.0) {
  return scene({camera("a", 50, steps(bridge_load))}, 1.0, megabytes);
}

TEST(Bridge, ServesWhileTheOldEngineMakesRoomSoThatNoFrameIsLost) {
  Exchange exchange(0, 1, one_camera());
  exchange.run.run_until(at_ms(2000));
  EXPECT_EQ(exchange.dropped(), 0);
  const auto& switches = exchange.run.controller().switches();
  ASSERT_EQ(switches.size(), 2U);
  EXPECT_EQ(switches[0].from, 0U);
  EXPECT_EQ(switches[0].to, 2U) << "the one that loads fastest, not the smallest";
  EXPECT_TRUE(switches[0].bridge);
  EXPECT_EQ(switches[1].from, 2U);
  EXPECT_EQ(switches[1].to, 1U);
  EXPECT_FALSE(switches[1].bridge);
  for (const SwitchRecord& record : switches) {
    EXPECT_TRUE(record.both_fit);
    EXPECT_EQ(record.frames_lost, 0);
  }
  EXPECT_EQ(exchange.run.controller().serving(0), 1U);
  EXPECT_TRUE(exchange.run.controller().settled());
  EXPECT_LE(exchange.run.controller().reserved_peak().value(), 50e6);
  EXPECT_EQ(exchange.run.reports("load", "small, a bridge to medium"), 1U);
  exchange.run.shut_down();
}

TEST(Bridge, LeadsUpwardsAsWell) {
  Exchange exchange(1, 0, one_camera());
  exchange.run.run_until(at_ms(2000));
  EXPECT_EQ(exchange.dropped(), 0);
  EXPECT_EQ(exchange.run.controller().switches().size(), 2U);
  EXPECT_EQ(exchange.run.controller().serving(0), 0U);
  exchange.run.shut_down();
}

TEST(Bridge, IsNotTakenWhereOldAndNewFit) {
  Exchange exchange(0, 1, one_camera(70.0));
  exchange.run.run_until(at_ms(2000));
  ASSERT_EQ(exchange.run.controller().switches().size(), 1U);
  EXPECT_FALSE(exchange.run.controller().switches()[0].bridge);
  exchange.run.shut_down();
}

TEST(Bridge, HasToFitBesideTheOldEngineAndBelowTheNewOne) {
  // 45 MB: beside large (40) only tiny fits, and nothing else beside medium either.
  Exchange narrow(0, 1, one_camera(45.0));
  narrow.run.run_until(at_ms(2000));
  EXPECT_EQ(narrow.dropped(), 0);
  ASSERT_EQ(narrow.run.controller().switches().size(), 2U);
  EXPECT_EQ(narrow.run.controller().switches()[0].to, 3U);
  narrow.run.shut_down();
  // 42 MB: nothing fits beside large, which is let go.
  Exchange none(0, 1, one_camera(42.0));
  none.run.run_until(at_ms(2000));
  ASSERT_EQ(none.run.controller().switches().size(), 1U);
  EXPECT_FALSE(none.run.controller().switches()[0].both_fit);
  none.run.shut_down();
}

TEST(Bridge, ObeysWhatTheTaskAsksOfItsVariants) {
  scheduler::Snapshot accurate = one_camera();
  accurate.tasks[0].min_accuracy = 0.85;
  Exchange exchange(0, 1, accurate);
  exchange.run.run_until(at_ms(2000));
  ASSERT_EQ(exchange.run.controller().switches().size(), 1U);
  EXPECT_FALSE(exchange.run.controller().switches()[0].both_fit);
  exchange.run.shut_down();
}

TEST(Bridge, TakesNoMoreTimeThanTheOldEngine) {
  const auto slow = network({{"large", 0.95, 3.0, 40.0, 60.0},
                             {"medium", 0.90, 2.0, 30.0, 50.0},
                             {"small", 0.80, 9.0, 8.0, 20.0},
                             {"tiny", 0.70, 3.0, 4.0, 30.0}});
  Exchange exchange(0, 1, scene({camera("a", 50, slow)}, 1.0, 50.0));
  exchange.run.run_until(at_ms(2000));
  ASSERT_EQ(exchange.run.controller().switches().size(), 2U);
  EXPECT_EQ(exchange.run.controller().switches()[0].to, 3U);
  exchange.run.shut_down();
}

TEST(Bridge, ThatDoesNotLoadGivesWayToAnotherAndInTheEndToAGap) {
  Exchange exchange(0, 1, one_camera());
  exchange.run.load_fate = [](TaskIndex, std::size_t variant) {
    return variant == 2 ? LoadFate::fails : LoadFate::good;
  };
  exchange.run.run_until(at_ms(2000));
  EXPECT_EQ(exchange.dropped(), 0);
  ASSERT_EQ(exchange.run.controller().switches().size(), 2U);
  EXPECT_EQ(exchange.run.controller().switches()[0].to, 3U);
  exchange.run.shut_down();

  Exchange broken(0, 1, one_camera());
  broken.run.load_fate = [](TaskIndex, std::size_t variant) {
    return variant >= 2 ? LoadFate::fails : LoadFate::good;
  };
  broken.run.run_until(at_ms(2000));
  EXPECT_FALSE(broken.run.controller().switches().back().both_fit);
  EXPECT_EQ(broken.run.controller().serving(0), 1U);
  broken.run.shut_down();
}

TEST(Bridge, StaysTheWayWhenANewPlanWantsTheSame) {
  Exchange exchange(0, 1, one_camera(50.0, 200.0));
  exchange.wanted.tasks[0].weight += 1.0;
  exchange.run.change(at_ms(1010), exchange.wanted);  // the bridge is loading
  exchange.run.run_until(at_ms(2000));
  EXPECT_EQ(exchange.run.loads(), 3U);
  EXPECT_EQ(exchange.dropped(), 0);
  EXPECT_EQ(exchange.run.controller().serving(0), 1U);
  exchange.run.shut_down();
}

TEST(Bridge, IsThrownAwayWhenThePlanGoesBack) {
  Exchange exchange(0, 1, one_camera(50.0, 200.0));
  exchange.run.at(at_ms(1010), [&] { exchange.wish = {0}; });
  exchange.wanted.tasks[0].weight += 1.0;
  exchange.run.change(at_ms(1010), exchange.wanted);
  exchange.run.run_until(at_ms(2000));
  EXPECT_EQ(exchange.dropped(), 0);
  EXPECT_TRUE(exchange.run.controller().switches().empty());
  EXPECT_EQ(exchange.run.controller().serving(0), 0U);
  EXPECT_EQ(exchange.run.controller().reserved().value(), 40e6);
  exchange.run.shut_down();
}

TEST(Bridge, IsLeftForGoodWhenThePlanWantsItAfterAll) {
  Exchange exchange(0, 1, one_camera());
  exchange.run.at(at_ms(1040), [&] { exchange.wish = {2}; });
  exchange.wanted.tasks[0].weight += 1.0;
  exchange.run.change(at_ms(1040), exchange.wanted);  // it serves, and medium is loading
  exchange.run.run_until(at_ms(2000));
  EXPECT_EQ(exchange.dropped(), 0);
  EXPECT_EQ(exchange.run.controller().serving(0), 2U);
  EXPECT_TRUE(exchange.run.controller().settled());
  EXPECT_EQ(exchange.run.controller().reserved().value(), 8e6);
  exchange.run.shut_down();
}

TEST(Bridge, AComparisonUnloadsFirstAsItAlwaysDid) {
  scheduler::Snapshot wanted = one_camera();
  RuntimeOptions options;
  options.transition = TransitionMode::unload_first;
  std::vector<std::optional<std::size_t>> wish{0};
  SimulatedRun run(wanted, options);
  run.planner = [&](const scheduler::Snapshot& snapshot) { return scripted(snapshot, wish); };
  run.at(at_ms(1000), [&] { wish = {1}; });
  wanted.tasks[0].weight += 1.0;
  run.change(at_ms(1000), wanted);
  run.run_until(at_ms(2000));
  ASSERT_EQ(run.controller().switches().size(), 1U);
  EXPECT_FALSE(run.controller().switches()[0].both_fit);
  run.shut_down();
}

TEST(Bridge, WhoHasNoEngineLoadsBeforeThoseThatHaveOne) {
  // Both go from large to medium; 105 MB are too few for old and new of both, so one of them lets go of its
  // engine. It is the next to load, though the other one's switch frees time and loads faster.
  const auto hasty = network({{"large", 0.95, 8.0, 40.0, 20.0}, {"medium", 0.90, 6.0, 30.0, 10.0}});
  auto wanted =
      scene({camera("a", 50, network({{"large", 0.95, 8.0, 40.0, 60.0}, {"medium", 0.9, 6.0, 30.0, 50.0}})),
             camera("b", 50, hasty)},
            1.0, 105.0);
  std::vector<std::optional<std::size_t>> wish{0, 0};
  SimulatedRun run(wanted);
  run.planner = [&](const scheduler::Snapshot& snapshot) { return scripted(snapshot, wish); };
  std::vector<TaskIndex> order;
  run.at(at_ms(1000), [&] {
    wish = {1, 1};
    run.load_fate = [&](TaskIndex task, std::size_t) {
      order.push_back(task);
      return LoadFate::good;
    };
  });
  wanted.tasks[0].weight += 1.0;
  run.change(at_ms(1000), wanted);
  run.run_until(at_ms(2000));
  ASSERT_EQ(order.size(), 2U);
  const auto& switches = run.controller().switches();
  ASSERT_EQ(switches.size(), 2U);
  EXPECT_FALSE(switches[0].both_fit) << "who let go of its engine has one again first";
  EXPECT_TRUE(switches[1].both_fit);
  run.shut_down();
}

// The first has a large peak while it loads, for which all others have to go. The second one's new engine
// fits beside its old one and would have to go again.
TEST(Bridge, IsNotWhereItLeads) {
  auto heavy = *network({{"old", 0.90, 8.0, 30.0, 20.0}, {"new", 0.95, 6.0, 50.0, 20.0}});
  heavy.variants[1].load_peak = Bytes(90e6);
  auto wanted =
      scene({camera("a", 20, std::make_shared<profiles::ProfileSet>(heavy)),
             camera("b", 20, network({{"old", 0.95, 4.0, 20.0, 50.0}, {"new", 0.9, 4.0, 12.0, 50.0}}))},
            1.0, 100.0);
  std::vector<std::optional<std::size_t>> wish{0, 0};
  SimulatedRun run(wanted);
  run.planner = [&](const scheduler::Snapshot& snapshot) { return scripted(snapshot, wish); };
  std::vector<TaskIndex> order;
  run.at(at_ms(1000), [&] {
    wish = {1, 1};
    run.load_fate = [&](TaskIndex task, std::size_t) {
      order.push_back(task);
      return LoadFate::good;
    };
  });
  wanted.tasks[0].weight += 1.0;
  run.change(at_ms(1000), wanted);
  run.run_until(at_ms(2000));
  EXPECT_EQ(order, (std::vector<TaskIndex>{0, 1})) << "each once";
  EXPECT_EQ(run.controller().serving(0), 1U);
  EXPECT_EQ(run.controller().serving(1), 1U);
  EXPECT_TRUE(run.controller().settled());
  run.shut_down();
}

}  // namespace
}  // namespace saccade::test
