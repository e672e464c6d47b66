// A task's route to an engine: taken away, exchanged, or on its way.
#include <gtest/gtest.h>

#include <optional>

#include "runtime/frames/dispatcher.hpp"
#include "tests/support/milliseconds.hpp"

namespace saccade::test {
namespace {

using namespace runtime;

// A task with a route to processor 0 and a rate nobody reaches; two frames may wait.
class Routes : public ::testing::Test {
 protected:
  Routes() {
    dispatcher.set_demand(0, Fps(1000.0));
    dispatcher.set_rate(0, Fps(1e9), std::nullopt, at_ms(0));
    EXPECT_TRUE(dispatcher.set_route(0, Route{0, 1}).empty());
  }
  std::optional<Drop> offer(TaskIndex task, FrameNumber frame, double due_ms, double period_ms) {
    return dispatcher.offer(task, frame, at_ms(due_ms), ms(period_ms));
  }
  Dispatcher dispatcher{{1.0}, 1, 2};
};

TEST_F(Routes, WithoutARouteTheReasonTellsInactiveFromNoEngine) {
  EXPECT_TRUE(dispatcher.set_route(0, std::nullopt).empty());
  EXPECT_EQ(offer(0, 1, 0, 10)->reason, DropReason::no_engine);
  dispatcher.set_demand(0, Fps(0.0));
  EXPECT_EQ(offer(0, 2, 10, 10)->reason, DropReason::inactive);
}

TEST_F(Routes, TakingTheRouteAwayDropsWhatWaitsAndLeavesWhatRuns) {
  offer(0, 1, 0, 10);
  ASSERT_TRUE(dispatcher.next(0, at_ms(0)));
  offer(0, 2, 10, 10);
  offer(0, 3, 20, 10);
  const auto drops = dispatcher.set_route(0, std::nullopt);
  ASSERT_EQ(drops.size(), 2U);
  EXPECT_EQ(drops[0].frame, 2U);
  EXPECT_EQ(drops[1].frame, 3U);
  EXPECT_TRUE(dispatcher.engine_busy(1));
  dispatcher.finished(0, at_ms(25));
  EXPECT_TRUE(dispatcher.idle());
}

TEST_F(Routes, FramesWaitForARouteThatFollowsAndOnlyWhatIsDisplacedIsLost) {
  offer(0, 1, 0, 10);
  EXPECT_TRUE(dispatcher.set_route(0, std::nullopt, true).empty());
  EXPECT_FALSE(dispatcher.next(0, at_ms(5))) << "nothing serves it";
  EXPECT_FALSE(offer(0, 2, 10, 10));
  const auto displaced = offer(0, 3, 20, 10);
  ASSERT_TRUE(displaced);
  EXPECT_EQ(displaced->frame, 1U);
  EXPECT_EQ(displaced->reason, DropReason::no_engine);
  dispatcher.set_route(0, Route{0, 2});
  const auto start = dispatcher.next(0, at_ms(25));
  ASSERT_TRUE(start);
  EXPECT_EQ(start->frame, 2U);
  EXPECT_EQ(start->engine, 2U);
  dispatcher.finished(0, at_ms(26));
  EXPECT_FALSE(offer(0, 4, 30, 10));
  EXPECT_EQ(offer(0, 5, 40, 10)->reason, DropReason::stale) << "it has a route again";
}

TEST_F(Routes, NoFrameWaitsAnyLongerForARouteThatDoesNotFollow) {
  dispatcher.set_route(0, std::nullopt, true);
  offer(0, 1, 0, 10);
  const auto drops = dispatcher.set_route(0, std::nullopt);
  ASSERT_EQ(drops.size(), 1U);
  EXPECT_EQ(drops[0].reason, DropReason::no_engine);
  EXPECT_EQ(offer(0, 2, 10, 10)->frame, 2U);
  EXPECT_TRUE(dispatcher.idle());
}

TEST_F(Routes, ANewRouteServesWhatAlreadyWaits) {
  offer(0, 1, 0, 10);
  ASSERT_TRUE(dispatcher.next(0, at_ms(0)));
  offer(0, 2, 10, 10);
  EXPECT_TRUE(dispatcher.set_route(0, Route{0, 99}).empty());
  EXPECT_TRUE(dispatcher.engine_busy(1)) << "the frame that runs stays with its engine";
  dispatcher.finished(0, at_ms(12));
  EXPECT_EQ(dispatcher.next(0, at_ms(12))->engine, 99U);
}

}  // namespace
}  // namespace saccade::test
