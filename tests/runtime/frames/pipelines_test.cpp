// Frames that pass several stages: order, bounds, and that each ends once, whatever becomes of routes,
// engines and processors.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "runtime/frames/dispatcher.hpp"
#include "tests/support/milliseconds.hpp"

namespace saccade::runtime {
namespace {

using test::at_ms;
using test::ms;

// Two tasks, three processors; each task is what a test routes it to.
class Pipelined : public ::testing::Test {
 protected:
  Pipelined() {
    for (TaskIndex task = 0; task < 2; ++task) {
      dispatcher.set_demand(task, Fps(1000.0));
      dispatcher.set_rate(task, Fps(1e9), std::nullopt, at_ms(0));
    }
  }
  void route(TaskIndex task, EngineKey engine, const std::vector<ProcessorIndex>& stages,
             std::size_t most = 3) {
    std::vector<StagePlaces> places;
    for (const ProcessorIndex stage : stages) places.push_back({stage});
    if (stages.size() == 1) places.clear();  // whole
    EXPECT_TRUE(dispatcher.set_route(task, Route{stages.front(), engine, places, most}).empty());
  }
  void route_with_copies(EngineKey engine, const std::vector<StagePlaces>& stages, std::size_t most = 4) {
    EXPECT_TRUE(dispatcher.set_route(0, Route{stages.front().front(), engine, stages, most}).empty());
  }
  void offer(TaskIndex task, FrameNumber frame, double due_ms, double period_ms = 100) {
    EXPECT_FALSE(dispatcher.offer(task, frame, at_ms(due_ms), ms(period_ms)));
  }
  // What starts; 0: nothing.
  FrameNumber start(ProcessorIndex processor, double now_ms) {
    const auto started = dispatcher.next(processor, at_ms(now_ms));
    if (started) last = *started;
    return started ? started->frame : 0;
  }
  void hand_on(ProcessorIndex processor, double now_ms) {
    EXPECT_FALSE(dispatcher.hand_on(processor, at_ms(now_ms), FrameTime(ms(now_ms))));
  }
  void finish(ProcessorIndex processor, double now_ms) { dispatcher.finished(processor, at_ms(now_ms)); }

  Dispatcher dispatcher{{1.0, 1.0, 1.0}, 2, 2};
  Start last;
};

TEST_F(Pipelined, AFramePassesItsStagesOneAfterTheOther) {
  route(0, 7, {0, 2});
  offer(0, 1, 0);
  EXPECT_EQ(start(2, 0), 0U);
  EXPECT_EQ(start(0, 0), 1U);
  EXPECT_FALSE(last.last);
  EXPECT_EQ(last.stage, 0U);
  EXPECT_EQ(start(2, 1), 0U);
  EXPECT_EQ(dispatcher.waiting(0), 0U);
  hand_on(0, 5);
  EXPECT_EQ(start(0, 5), 0U);
  EXPECT_EQ(start(1, 5), 0U);
  EXPECT_TRUE(dispatcher.engine_busy(7)) << "between two stages";
  EXPECT_FALSE(dispatcher.idle());
  EXPECT_EQ(start(2, 6), 1U);
  EXPECT_TRUE(last.last);
  EXPECT_EQ(last.stage, 1U);
  EXPECT_EQ(last.engine, 7U);
  EXPECT_EQ(last.due, at_ms(0));
  EXPECT_EQ(last.spent.infer, ms(5));
  EXPECT_EQ(dispatcher.under_way(0), 1U);
  finish(2, 9);
  EXPECT_EQ(dispatcher.under_way(0), 0U);
  EXPECT_FALSE(dispatcher.engine_busy(7));
  EXPECT_TRUE(dispatcher.idle());
  EXPECT_EQ(dispatcher.busy(0), ms(5));
  EXPECT_EQ(dispatcher.busy(2), ms(3));
}

TEST_F(Pipelined, NoMoreFramesAreUnderWayThanTheVariantAllows) {
  route(0, 7, {0, 1}, 2);
  for (FrameNumber frame = 1; frame <= 2; ++frame) {
    offer(0, frame, 0);
    EXPECT_EQ(start(0, 0), frame);
    hand_on(0, 1);
  }
  offer(0, 3, 2);
  EXPECT_EQ(start(0, 2), 0U) << "two are under way";
  EXPECT_EQ(start(1, 2), 1U);
  EXPECT_EQ(start(0, 2), 0U) << "as before";
  finish(1, 3);
  EXPECT_EQ(start(0, 3), 3U);
}

TEST_F(Pipelined, WhatTheVariantAllowsBeyondTwoPerProcessorWouldOnlyWait) {
  route(0, 7, {0, 1}, 1000);
  for (FrameNumber frame = 1; frame <= 6; ++frame) {
    offer(0, frame, static_cast<double>(frame));
    EXPECT_EQ(start(0, static_cast<double>(frame)), frame);
    hand_on(0, static_cast<double>(frame));
  }
  offer(0, 7, 7);
  EXPECT_EQ(start(0, 7), 0U);
}

TEST_F(Pipelined, AStageWaitsAmongAllThatWaitThereByDeadline) {
  route(0, 7, {0, 1});
  route(1, 8, {1});
  offer(0, 1, 0, 50);
  EXPECT_EQ(start(0, 0), 1U);
  hand_on(0, 10);
  offer(1, 2, 0, 49);
  EXPECT_EQ(start(1, 10), 2U) << "due at 49";
  finish(1, 20);
  offer(1, 3, 0, 50);
  EXPECT_EQ(start(1, 20), 1U) << "both are due at 50: the one under way";
  finish(1, 30);
  EXPECT_EQ(start(1, 30), 3U);
}

TEST_F(Pipelined, AHigherClassRunsFirstInALaterStageThatIsBehind) {
  route(0, 7, {0, 1});
  route(1, 8, {1});
  offer(0, 1, 0, 1000);  // once through, so that times are known
  EXPECT_EQ(start(0, 0), 1U);
  hand_on(0, 10);
  EXPECT_EQ(start(1, 10), 1U);
  finish(1, 30);  // 20 ms in the second stage
  offer(1, 2, 30, 1000);
  EXPECT_EQ(start(1, 30), 2U);
  finish(1, 60);  // 30 ms
  dispatcher.set_priority(0, 5);
  offer(0, 3, 60, 100);
  EXPECT_EQ(start(0, 60), 3U);
  hand_on(0, 70);
  offer(1, 4, 60, 90);
  EXPECT_EQ(start(1, 111), 3U) << "after the other one, which is due at 150, it would end at 161";
}

TEST_F(Pipelined, AProcessorMayHaveTwoStagesOfOneNetwork) {
  route(0, 7, {0, 1, 0});
  offer(0, 1, 0);
  EXPECT_EQ(start(0, 0), 1U);
  hand_on(0, 1);
  EXPECT_EQ(start(1, 1), 1U);
  hand_on(1, 2);
  offer(0, 2, 0, 200);
  EXPECT_EQ(start(0, 2), 1U) << "its deadline is the earlier one";
  EXPECT_EQ(last.stage, 2U);
  finish(0, 3);
  EXPECT_EQ(start(0, 3), 2U);
}

TEST_F(Pipelined, WithinAStageNoFrameOvertakesThoughItsDeadlineIsEarlier) {
  route(0, 7, {0, 1});
  offer(0, 1, 0, 1000);
  EXPECT_EQ(start(0, 0), 1U);
  hand_on(0, 1);
  offer(0, 2, 1, 10);  // the demand has risen
  EXPECT_EQ(start(0, 1), 2U);
  hand_on(0, 2);
  EXPECT_EQ(start(1, 2), 1U);
  finish(1, 3);
  EXPECT_EQ(start(1, 3), 2U);
}

TEST_F(Pipelined, AFrameOfTheNextRouteBeginsWhenThoseBeforeItHaveEnded) {
  route(0, 7, {0, 1});
  offer(0, 1, 0);
  EXPECT_EQ(start(0, 0), 1U);
  route(0, 8, {2});  // whole
  offer(0, 2, 1);
  EXPECT_EQ(start(2, 1), 0U);
  hand_on(0, 2);
  EXPECT_EQ(start(2, 2), 0U);
  EXPECT_EQ(start(1, 2), 1U) << "in the stages in which it began";
  EXPECT_EQ(last.engine, 7U);
  EXPECT_TRUE(dispatcher.engine_busy(7));
  finish(1, 3);
  EXPECT_FALSE(dispatcher.engine_busy(7));
  EXPECT_EQ(start(2, 3), 2U);
  EXPECT_TRUE(last.last);
}

TEST_F(Pipelined, OfTheNextStagesOnlyTheLastWaitsForTheFramesBefore) {
  route(0, 7, {0});
  offer(0, 1, 0);
  EXPECT_EQ(start(0, 0), 1U);
  route(0, 8, {1, 2});
  offer(0, 2, 1);
  EXPECT_EQ(start(1, 1), 2U);
  hand_on(1, 2);
  EXPECT_EQ(start(2, 2), 0U) << "the frame before it runs";
  finish(0, 3);
  EXPECT_EQ(start(2, 3), 2U);
  route(0, 9, {0, 1});
  offer(0, 3, 3);
  EXPECT_EQ(start(0, 3), 3U);
  hand_on(0, 4);
  EXPECT_EQ(start(1, 4), 0U) << "the frame before it is in the last stage of the engine before";
  finish(2, 5);
  EXPECT_EQ(start(1, 5), 3U);
}

TEST_F(Pipelined, ARouteThatIsTakenAwayDropsTheGateAndLetsFramesUnderWayEnd) {
  route(0, 7, {0, 1});
  offer(0, 1, 0);
  EXPECT_EQ(start(0, 0), 1U);
  offer(0, 2, 1);
  const std::vector<Drop> drops = dispatcher.set_route(0, std::nullopt);
  ASSERT_EQ(drops.size(), 1U);
  EXPECT_EQ(drops[0].frame, 2U);
  hand_on(0, 2);
  EXPECT_EQ(start(1, 2), 1U);
  finish(1, 3);
  EXPECT_TRUE(dispatcher.idle());
}

TEST_F(Pipelined, AnEngineThatIsGivenUpDropsWhatWaitsInItAndWhatComesToWait) {
  route(0, 7, {0, 1});
  for (FrameNumber frame = 1; frame <= 2; ++frame) {
    offer(0, frame, 0);
    EXPECT_EQ(start(0, 0), frame);
    if (frame == 1) hand_on(0, 1);
  }
  dispatcher.set_route(0, std::nullopt);
  const std::vector<Drop> drops = dispatcher.give_up(7, at_ms(1));
  ASSERT_EQ(drops.size(), 1U);
  EXPECT_EQ(drops[0].frame, 1U);
  EXPECT_EQ(drops[0].reason, DropReason::engine_error);
  const auto dropped = dispatcher.hand_on(0, at_ms(2), {});
  ASSERT_TRUE(dropped);
  EXPECT_EQ(dropped->frame, 2U);
  EXPECT_TRUE(dispatcher.idle());
}

TEST_F(Pipelined, AProcessorOutOfServiceHoldsNoFrame) {
  route(0, 7, {0, 1});
  offer(0, 1, 0);
  EXPECT_EQ(start(0, 0), 1U);
  hand_on(0, 1);
  const std::vector<Drop> drops = dispatcher.out_of_service(1, at_ms(1));
  ASSERT_EQ(drops.size(), 1U);
  EXPECT_EQ(drops[0].reason, DropReason::engine_error);
  offer(0, 2, 2);
  EXPECT_EQ(start(0, 2), 2U);
  EXPECT_TRUE(dispatcher.hand_on(0, at_ms(3), {}));
  EXPECT_TRUE(dispatcher.idle());
}

TEST_F(Pipelined, TheEndDropsWhatWaitsBetweenStagesAndWhatWould) {
  route(0, 7, {0, 1});
  for (FrameNumber frame = 1; frame <= 2; ++frame) {
    offer(0, frame, 0);
    EXPECT_EQ(start(0, 0), frame);
    if (frame == 1) hand_on(0, 1);
  }
  const std::vector<Drop> drops = dispatcher.drop_all(DropReason::shutdown, at_ms(1));
  ASSERT_EQ(drops.size(), 1U);
  EXPECT_EQ(drops[0].frame, 1U);
  const auto dropped = dispatcher.hand_on(0, at_ms(2), {});
  ASSERT_TRUE(dropped);
  EXPECT_EQ(dropped->reason, DropReason::shutdown);
  EXPECT_TRUE(dispatcher.idle());
}

TEST_F(Pipelined, CopiesOfTheFirstStageTakeFramesInTurn) {
  route_with_copies(7, {{0, 1}, {2}});
  offer(0, 1, 0);
  EXPECT_EQ(dispatcher.gate_processor(0), 0U);
  EXPECT_EQ(start(1, 0), 0U) << "it is not its turn";
  EXPECT_EQ(start(0, 0), 1U);
  EXPECT_EQ(last.copy, 0U);
  EXPECT_EQ(dispatcher.gate_processor(0), 1U);
  offer(0, 2, 1);
  EXPECT_EQ(start(1, 1), 2U);
  EXPECT_EQ(last.copy, 1U);
  offer(0, 3, 2);
  EXPECT_EQ(start(1, 2), 0U);
  hand_on(0, 4);
  EXPECT_EQ(start(0, 4), 3U);
  EXPECT_EQ(start(2, 4), 1U);
  EXPECT_EQ(last.copy, 0U);
  EXPECT_TRUE(last.last);
}

TEST_F(Pipelined, AFrameThatACopyWasQuickerWithWaitsForTheOneBeforeIt) {
  route_with_copies(7, {{0, 1}, {2}});
  for (FrameNumber frame = 1; frame <= 2; ++frame) {
    offer(0, frame, 0);
    EXPECT_EQ(start(frame - 1, 0), frame);
  }
  hand_on(1, 1);
  EXPECT_EQ(start(2, 1), 0U) << "frame 1 is on its way";
  hand_on(0, 5);
  EXPECT_EQ(start(2, 5), 1U);
  finish(2, 6);
  EXPECT_EQ(start(2, 6), 2U);
}

TEST_F(Pipelined, AFrameThatIsLostInACopyHoldsNothingUp) {
  route_with_copies(7, {{0, 1}, {2}});
  for (FrameNumber frame = 1; frame <= 2; ++frame) {
    offer(0, frame, 0);
    EXPECT_EQ(start(frame - 1, 0), frame);
  }
  hand_on(1, 1);
  finish(0, 2);  // an error
  EXPECT_EQ(start(2, 2), 2U);
}

TEST_F(Pipelined, CopiesOfALaterStageTakeFramesInTurn) {
  route_with_copies(7, {{2}, {0, 1}, {2}});
  for (FrameNumber frame = 1; frame <= 3; ++frame) {
    const auto now = static_cast<double>(frame);
    offer(0, frame, now);
    EXPECT_EQ(start(2, now), frame);
    hand_on(2, now);
  }
  EXPECT_EQ(start(1, 4), 2U);
  EXPECT_EQ(last.copy, 1U);
  EXPECT_EQ(start(0, 4), 1U);
  EXPECT_EQ(last.copy, 0U);
  hand_on(1, 5);
  EXPECT_EQ(start(1, 5), 0U) << "frame 3 is for the other copy";
  hand_on(0, 6);
  EXPECT_EQ(start(0, 6), 3U);
  EXPECT_EQ(start(2, 6), 1U);
}

TEST_F(Pipelined, ARouteWithCopiesThatIsReplacedLeavesNoFrameAtItsProcessors) {
  route_with_copies(7, {{0, 1}, {2}});
  offer(0, 1, 0);
  EXPECT_EQ(start(0, 0), 1U);
  offer(0, 2, 0);  // for processor 1
  route(0, 8, {2, 0});
  EXPECT_EQ(start(1, 1), 0U);
  EXPECT_EQ(start(2, 1), 2U);
  EXPECT_EQ(last.engine, 8U);
}

}  // namespace
}  // namespace saccade::runtime
