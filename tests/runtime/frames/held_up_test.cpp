// What a frame waited for when it had waited for too long, where what it waited for is dropped: the stage
// that held it up, not the one that is next in its way.
#include <gtest/gtest.h>

#include <optional>

#include "runtime/frames/dispatcher.hpp"
#include "tests/support/milliseconds.hpp"

namespace saccade::runtime::held_up_test {
namespace {

using test::at_ms;
using test::ms;

// Two frames of a task wait for their second stage, on processor 1. No more may be under way, so that the
// third, due at 20 ms, waits in its gate, and has done so for as long as two frames take at 40 ms.
class HeldUp : public ::testing::Test {
 protected:
  HeldUp() {
    dispatcher.set_demand(0, Fps(100.0));
    dispatcher.set_rate(0, Fps(100.0), std::nullopt, at_ms(0));
    EXPECT_TRUE(dispatcher.set_route(0, Route{0, 7, {{0}, {1}}, 2}).empty());
    for (FrameNumber frame = 1; frame <= 2; ++frame) {
      const double due_ms = 10.0 * static_cast<double>(frame - 1);
      offer(frame, due_ms);
      EXPECT_TRUE(start(0, due_ms));
      EXPECT_FALSE(dispatcher.hand_on(0, at_ms(due_ms + 5), {}));
    }
    offer(3, 20);
    EXPECT_FALSE(start(0, 20));
  }
  void offer(FrameNumber frame, double due_ms) {
    EXPECT_FALSE(dispatcher.offer(0, frame, at_ms(due_ms), ms(10)));
  }
  std::optional<Start> start(ProcessorIndex processor, double now_ms) {
    return dispatcher.next(processor, at_ms(now_ms));
  }
  Dispatcher dispatcher{{1.0, 1.0, 1.0}, 1, 2};
};

TEST_F(HeldUp, ByAProcessorThatIsTakenOutOfServiceTheFrameWaitedForThat) {
  EXPECT_EQ(dispatcher.out_of_service(1, at_ms(50)).size(), 2U);
  const auto third = start(0, 60);
  ASSERT_TRUE(third && third->frame == 3);
  EXPECT_EQ(third->held_up, std::optional<ProcessorIndex>(1));
}

TEST_F(HeldUp, ByAnEngineThatIsGivenUpTheFrameWaitedForTheStageThatOthersWereIn) {
  EXPECT_EQ(dispatcher.give_up(7, at_ms(50)).size(), 2U);
  dispatcher.set_route(0, Route{2, 8, {{2}, {0}}, 2});
  const auto third = start(2, 60);
  ASSERT_TRUE(third && third->frame == 3);
  EXPECT_EQ(third->held_up, std::optional<ProcessorIndex>(1));
}

TEST_F(HeldUp, WhatWaitsTooLongOnlyAfterwardsWaitedForItsFirstStage) {
  offer(4, 45);
  EXPECT_EQ(dispatcher.out_of_service(1, at_ms(50)).size(), 2U);
  ASSERT_TRUE(start(0, 60));
  EXPECT_TRUE(dispatcher.hand_on(0, at_ms(100), {})) << "its second stage is out of service";
  const auto fourth = start(0, 100);
  ASSERT_TRUE(fourth && fourth->frame == 4);
  EXPECT_EQ(fourth->held_up, std::optional<ProcessorIndex>(0));
}

// Frame 2 is through its copy of the first stage, frame 1 is not.
TEST(HeldUpByACopy, AFrameWaitsForTheCopyThatTheOneBeforeIsInNotForTheNextStage) {
  Dispatcher dispatcher{{1.0, 1.0, 1.0}, 1, 2};
  dispatcher.set_demand(0, Fps(100.0));
  dispatcher.set_rate(0, Fps(100.0), std::nullopt, at_ms(0));
  EXPECT_TRUE(dispatcher.set_route(0, Route{0, 7, {{0, 1}, {2}}, 2}).empty());
  for (FrameNumber frame = 1; frame <= 3; ++frame) {
    const double due_ms = 10.0 * static_cast<double>(frame - 1);
    EXPECT_FALSE(dispatcher.offer(0, frame, at_ms(due_ms), ms(10)));
    if (frame < 3) {
      EXPECT_TRUE(dispatcher.next(frame - 1, at_ms(due_ms)));
    }
  }
  EXPECT_FALSE(dispatcher.hand_on(1, at_ms(30), {}));
  EXPECT_EQ(dispatcher.held_up_at(0, 3), std::optional<ProcessorIndex>(0));
  EXPECT_FALSE(dispatcher.hand_on(0, at_ms(40), {}));
  EXPECT_EQ(dispatcher.held_up_at(0, 3), std::optional<ProcessorIndex>(2));
}

// Frame 1 is in the second stage already, frame 2 in its copy of the first, frame 3 is through its own.
TEST(HeldUpByACopy, AlsoWhileTheNextStageIsBusy) {
  Dispatcher dispatcher{{1.0, 1.0, 1.0}, 1, 2};
  dispatcher.set_demand(0, Fps(100.0));
  dispatcher.set_rate(0, Fps(100.0), std::nullopt, at_ms(0));
  EXPECT_TRUE(dispatcher.set_route(0, Route{0, 7, {{0, 1}, {2}}, 3}).empty());
  for (FrameNumber frame = 1; frame <= 4; ++frame) {
    const double due_ms = 10.0 * static_cast<double>(frame - 1);
    EXPECT_FALSE(dispatcher.offer(0, frame, at_ms(due_ms), ms(10)));
    if (frame == 4) break;
    const ProcessorIndex copy = frame % 2 == 1 ? 0 : 1;
    EXPECT_TRUE(dispatcher.next(copy, at_ms(due_ms)));
    if (frame == 2) continue;
    EXPECT_FALSE(dispatcher.hand_on(copy, at_ms(due_ms + 5), {}));
    if (frame == 1) {
      EXPECT_TRUE(dispatcher.next(2, at_ms(6)));
    }
  }
  EXPECT_EQ(dispatcher.held_up_at(0, 4), std::optional<ProcessorIndex>(1));
}

}  // namespace
}  // namespace saccade::runtime::held_up_test
