// What the desk counts and reports of engines with several stages.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/frames/frame_desk.hpp"

namespace saccade::runtime::staged_desk_test {
namespace {

TimePoint at(double ms) { return TimePoint(Duration(static_cast<std::int64_t>(ms * 1e6))); }
Duration lasts(double ms) { return Duration(static_cast<std::int64_t>(ms * 1e6)); }

// One task on two processors; engine 7 needs 4 ms on the first and 2 ms on the second.
class StagedDesk : public ::testing::Test, protected FrameListener {
 protected:
  using Guards = std::vector<std::optional<FrameDesk::KeptGuard>>;
  explicit StagedDesk(Guards guards = {FrameDesk::KeptGuard{}, FrameDesk::KeptGuard{}})
      : desk_({.capacities = std::vector<double>(guards.size(), 1.0),
               .tasks = 1,
               .segment_starts = {Duration(0)},
               .announced = 2,
               .guards = std::move(guards)},
              *this) {
    desk_.set_demand(0, Fps(100.0), at(0));
    desk_.set_rate({0, Fps(1e9), std::nullopt}, at(0));
    desk_.swap({0, 7, 0, std::nullopt}, engine(7, 3), at(0));
    desk_.start(at(0));
  }
  static ServingEngine engine(EngineKey key, std::size_t max_in_flight) {
    auto stages = std::make_shared<EngineStages>();
    stages->stages = {{{0}, lasts(4)}, {{1}, lasts(2)}};
    stages->max_in_flight = max_in_flight;
    return {nullptr, key, 2, lasts(4), nullptr, nullptr, stages};
  }
  void drained(EngineKey engine) override { drained_.push_back(engine); }
  void frames_lost(TaskIndex) override {}
  void source_back(TaskIndex) override {}
  void inference_ended(EngineKey, const Status& status) override { inferences_.push_back(status.ok()); }
  void dropped(const Drop& drop, TimePoint) override { drops_.push_back(drop); }

  void offer(FrameNumber frame, double now) { desk_.offer(0, frame, at(now), lasts(10), at(now)); }
  // Runs what is next on the processor for so long; false: nothing is.
  bool run(ProcessorIndex processor, double now, double ms, const Status& status = Done{}) {
    const auto start = desk_.next(processor, at(now));
    if (!start) return false;
    desk_.finished(processor, *start, at(now + ms), lasts(ms), status, {});
    return true;
  }
  // The processors whose guard changes.
  std::vector<ProcessorIndex> other_guards(double now) {
    std::vector<ProcessorIndex> processors;
    for (const MeasuredProcessor& changed : desk_.look(at(now)))
      if (changed.guard) processors.push_back(changed.processor);
    return processors;
  }
  [[nodiscard]] const TaskFrames& frames() const { return desk_.ledger().task(0); }

  std::vector<EngineKey> drained_;
  std::vector<bool> inferences_;
  std::vector<Drop> drops_;
  FrameDesk desk_;
};

const Status kFails = Error{"engine", "the inference failed", ""};
const std::vector<ProcessorIndex> kFirst = {0};
const std::vector<ProcessorIndex> kSecond = {1};

TEST_F(StagedDesk, AFrameIsProcessedOnceWithTheTimeOfAllStages) {
  offer(1, 0);
  EXPECT_TRUE(run(0, 0, 4));
  EXPECT_EQ(frames().processed, 0);
  EXPECT_EQ(frames().in_flight, 1);
  EXPECT_TRUE(inferences_.empty()) << "no inference has ended";
  EXPECT_TRUE(run(1, 5, 2));
  EXPECT_EQ(frames().processed, 1);
  EXPECT_EQ(frames().in_flight, 0);
  EXPECT_EQ(frames().worked.infer, lasts(6));
  EXPECT_EQ(frames().latency.max(), lasts(7));
  ASSERT_EQ(frames().variants.size(), 3U);
  EXPECT_EQ(frames().variants[2].frames, 1);
  EXPECT_EQ(inferences_, std::vector<bool>{true});
}

TEST_F(StagedDesk, AnErrorInAnyStageEndsTheFrameOnce) {
  offer(1, 0);
  EXPECT_TRUE(run(0, 0, 4, kFails));
  EXPECT_FALSE(run(1, 5, 2));
  offer(2, 10);
  EXPECT_TRUE(run(0, 10, 4));
  EXPECT_TRUE(run(1, 15, 2, kFails));
  EXPECT_EQ(drops_.size(), 2U);
  EXPECT_EQ(frames().dropped[static_cast<std::size_t>(DropReason::engine_error)], 2);
  EXPECT_EQ(frames().in_flight, 0);
  EXPECT_EQ(inferences_, (std::vector<bool>{false, false}));
}

TEST_F(StagedDesk, GoodStagesBetweenFailingOnesAreNoGoodInferences) {
  for (FrameNumber frame = 1; frame <= 5; ++frame) {
    offer(frame, 20.0 * static_cast<double>(frame));
    EXPECT_TRUE(run(0, 20.0 * static_cast<double>(frame), 4));
    EXPECT_TRUE(run(1, 20.0 * static_cast<double>(frame) + 5, 2, kFails));
  }
  EXPECT_EQ(inferences_, std::vector<bool>(5, false)) << "five in a row";
}

TEST_F(StagedDesk, AnOldEngineHasDrainedWhenTheLastFrameUnderWayHasEnded) {
  offer(1, 0);
  EXPECT_TRUE(run(0, 0, 4));
  desk_.swap({0, 8, 1, 7}, ServingEngine{nullptr, 8, 0, lasts(5)}, at(4));
  EXPECT_TRUE(drained_.empty()) << "a frame waits for its second stage";
  offer(2, 5);
  EXPECT_TRUE(run(1, 5, 2)) << "the first frame";
  EXPECT_EQ(drained_, std::vector<EngineKey>{7});
  EXPECT_EQ(frames().variants[2].frames, 1);
  EXPECT_TRUE(run(1, 8, 5)) << "and the second, whole";
  EXPECT_EQ(frames().variants[0].frames, 1);
  EXPECT_TRUE(drops_.empty());
}

TEST_F(StagedDesk, AnInferenceThatDoesNotReturnTakesTheFramesBehindItAlong) {
  for (FrameNumber frame = 1; frame <= 2; ++frame) {
    offer(frame, static_cast<double>(frame));
    EXPECT_TRUE(run(0, 10.0 * static_cast<double>(frame), 4));
  }
  const auto hangs = desk_.next(1, at(30));
  ASSERT_TRUE(hangs);
  desk_.swap({0, std::nullopt, 0, 7}, std::nullopt, at(2000));  // as the controller asks
  desk_.left_behind(1, *hangs, at(2500), DropReason::engine_error);
  EXPECT_EQ(drops_.size(), 2U);
  EXPECT_EQ(frames().in_flight, 0);
  EXPECT_FALSE(desk_.next(1, at(2500)));
  EXPECT_TRUE(drained_.empty()) << "the inference still uses it";
  desk_.returned(7);
  EXPECT_EQ(drained_, std::vector<EngineKey>{7});
}

TEST_F(StagedDesk, EachProcessorDriftsByItsOwnStage) {
  double now = 0;
  std::optional<double> first, second;
  for (FrameNumber frame = 1; frame <= 600; ++frame, now += 20) {
    offer(frame, now);
    EXPECT_TRUE(run(0, now, 4));
    EXPECT_TRUE(run(1, now + 5, 4));  // twice its time
    for (const MeasuredProcessor& changed : desk_.look(at(now + 10)))
      (changed.processor == 0 ? first : second) = changed.correction;
  }
  EXPECT_FALSE(first);
  ASSERT_TRUE(second);
  EXPECT_NEAR(*second, 2.0, 1e-9);
}

TEST_F(StagedDesk, FramesThatQueueForALaterStageGrowTheGuardOfItsProcessorOnly) {
  for (FrameNumber frame = 1; frame <= 3; ++frame) {
    offer(frame, 10.0 * static_cast<double>(frame));
    EXPECT_TRUE(run(0, 10.0 * static_cast<double>(frame), 4));
  }
  ASSERT_TRUE(desk_.next(1, at(35))) << "the first one runs, two wait for the second stage";
  for (FrameNumber frame = 4; frame <= 12; ++frame) offer(frame, 10.0 * static_cast<double>(frame));
  ASSERT_EQ(drops_.size(), 7U);
  EXPECT_EQ(other_guards(130), kSecond);
}

TEST_F(StagedDesk, FramesThatQueueForTheFirstStageGrowTheGuardOfItsProcessorOnly) {
  offer(1, 0);
  EXPECT_TRUE(run(0, 0, 4));
  ASSERT_TRUE(desk_.next(1, at(5))) << "in the second stage one runs, and none waits";
  offer(2, 10);
  ASSERT_TRUE(desk_.next(0, at(10)));
  for (FrameNumber frame = 3; frame <= 12; ++frame) offer(frame, 10.0 * static_cast<double>(frame));
  ASSERT_EQ(drops_.size(), 8U);
  EXPECT_EQ(other_guards(130), kFirst);
}

// The first stage's processor has nothing to do meanwhile.
TEST_F(StagedDesk, FramesThatWaitBecauseNoMoreMayBeUnderWayGrowTheGuardOfTheStageThatOneIsIn) {
  desk_.swap({0, 8, 0, 7}, engine(8, 1), at(0));
  offer(1, 0);
  EXPECT_TRUE(run(0, 0, 4));
  ASSERT_TRUE(desk_.next(1, at(5)));
  for (FrameNumber frame = 2; frame <= 12; ++frame) offer(frame, 10.0 * static_cast<double>(frame));
  EXPECT_FALSE(desk_.next(0, at(125)).has_value()) << "one is under way";
  ASSERT_EQ(drops_.size(), 9U);
  EXPECT_EQ(other_guards(130), kSecond);
}

class SecondGuardKept : public StagedDesk {  // that of the first processor is a number
 protected:
  SecondGuardKept() : StagedDesk({std::nullopt, FrameDesk::KeptGuard{}}) {}
};

TEST_F(SecondGuardKept, APushedFrameThatALaterStageHeldUpGrowsTheGuardOfThatStage) {
  desk_.set_rate({0, Fps(100.0), std::nullopt}, at(0));
  desk_.set_pushed(0, true, at(0));
  for (FrameNumber frame = 1; frame <= 3; ++frame) {
    const double sent = 200.0 * static_cast<double>(frame);
    ASSERT_TRUE(desk_.push(0, frame, at(sent)));
    EXPECT_TRUE(run(0, sent + 100, 4)) << "and none of them gets into its second stage";
  }
  EXPECT_EQ(other_guards(1000), kSecond);
}

TEST_F(StagedDesk, APushedFrameThatWaitedForItsFirstStageDoesNotBlameTheSecond) {
  desk_.set_rate({0, Fps(100.0), std::nullopt}, at(0));
  desk_.set_pushed(0, true, at(0));
  for (FrameNumber frame = 1; frame <= 4; ++frame) {
    const double sent = 200.0 * static_cast<double>(frame);
    ASSERT_TRUE(desk_.push(0, frame, at(sent)));
    EXPECT_TRUE(run(0, sent + 100, 4)) << "five gates of frames later";
    EXPECT_TRUE(run(1, sent + 105, 2));
  }
  EXPECT_EQ(other_guards(1000), kFirst);
}

// Frames are pushed while one is in its first stage for `first` ms, or in its second for `second` ms, and no
// more may be under way.
class OneUnderWay : public StagedDesk {
 protected:
  void push_frames(double first, double second) {
    desk_.swap({0, 8, 0, 7}, engine(8, 1), at(0));
    desk_.set_rate({0, Fps(100.0), std::nullopt}, at(0));
    desk_.set_pushed(0, true, at(0));
    double now = 200.0;
    ASSERT_TRUE(desk_.push(0, 1, at(now)));
    for (FrameNumber frame = 2; frame <= 6; ++frame) {
      const auto starts = desk_.next(0, at(now));
      ASSERT_TRUE(starts);
      ASSERT_TRUE(desk_.push(0, frame, at(now + 1))) << "waits until the one before has ended";
      now += first;
      desk_.finished(0, *starts, at(now), lasts(first), Done{}, {});
      ASSERT_FALSE(desk_.next(0, at(now))) << "one is under way";
      ASSERT_TRUE(run(1, now, second));
      now += second;
    }
  }
};

TEST_F(OneUnderWay, APushedFrameCountsAgainstTheSecondStageThatTheOneBeforeWasIn) {
  push_frames(4, 80);
  EXPECT_EQ(other_guards(1000), kSecond);
}

TEST_F(OneUnderWay, APushedFrameCountsAgainstTheFirstStageThatTheOneBeforeWasIn) {
  push_frames(80, 4);
  EXPECT_EQ(other_guards(1000), kFirst);
}

// When the third has left the gate, the second no longer waits for its second stage, but runs there.
TEST_F(StagedDesk, APushedFrameThatWaitedBehindAFullPipelineCountsAgainstWhatThePipelineWaitedFor) {
  desk_.swap({0, 8, 0, 7}, engine(8, 2), at(0));
  desk_.set_rate({0, Fps(100.0), std::nullopt}, at(0));
  desk_.set_pushed(0, true, at(0));
  ASSERT_TRUE(desk_.push(0, 1, at(200)));
  ASSERT_TRUE(run(0, 200, 4));
  double now = 205.0;
  for (FrameNumber frame = 2; frame <= 6; ++frame) {
    const auto in_second = desk_.next(1, at(now));
    ASSERT_TRUE(in_second);
    if (frame == 2) {
      ASSERT_TRUE(desk_.push(0, frame, at(now)));
      ASSERT_TRUE(run(0, now, 4)) << "and waits for the second stage";
    } else {
      ASSERT_TRUE(run(0, now, 4)) << "there is room again";
    }
    ASSERT_TRUE(desk_.push(0, frame + 1, at(now + 5)));
    ASSERT_FALSE(desk_.next(0, at(now + 5))) << "two are under way";
    now += 80;
    desk_.finished(1, *in_second, at(now), lasts(80), Done{}, {});
  }
  EXPECT_EQ(other_guards(1000), kSecond);
}

TEST_F(StagedDesk, AProcessorOutOfServiceLeavesNothingUnderWayAndLetsTheOldEngineDrain) {
  offer(1, 0);
  EXPECT_TRUE(run(0, 0, 4));
  desk_.swap({0, 8, 0, 7}, ServingEngine{nullptr, 8, 0, lasts(5)}, at(4));
  desk_.out_of_service(1, at(5));
  EXPECT_EQ(drops_.size(), 1U);
  EXPECT_EQ(drained_, std::vector<EngineKey>{7});
  offer(2, 6);
  EXPECT_TRUE(run(0, 6, 5)) << "it waits for nothing";
}

// Two processors take the first stage in turn, a third the second.
class CopiedDesk : public StagedDesk {
 protected:
  CopiedDesk() : StagedDesk({FrameDesk::KeptGuard{}, FrameDesk::KeptGuard{}, FrameDesk::KeptGuard{}}) {
    auto stages = std::make_shared<EngineStages>();
    stages->stages = {{{0, 2}, lasts(8)}, {{1}, lasts(3)}};
    stages->max_in_flight = 4;
    desk_.swap({0, 8, 0, 7}, ServingEngine{nullptr, 8, 2, lasts(4), nullptr, nullptr, stages}, at(0));
  }
};

TEST_F(CopiedDesk, EachCopyHasItsShareOfTheLoad) {
  const EngineStages& stages = *desk_.view(0).stages;
  EXPECT_EQ(stages.profiled_on(0), lasts(4));
  EXPECT_EQ(stages.profiled_on(2), lasts(4));
  EXPECT_EQ(stages.profiled_on(1), lasts(3));
}

TEST_F(CopiedDesk, GoodInferencesInOneCopyDoNotMakeUpForThoseThatFailInTheOther) {
  desk_.set_rate({0, Fps(200.0), std::nullopt}, at(0));
  double now = 0.0;
  auto frame = [&, number = FrameNumber(0)](bool second_fails) mutable {
    const bool first = ++number % 2 == 1;
    const bool fails = !first && second_fails;
    offer(number, now);
    EXPECT_TRUE(run(first ? 0 : 2, now, 8, fails ? kFails : Status(Done{})));
    if (!fails) {
      EXPECT_TRUE(run(1, now + 8, 3));
    }
    now += 12.0;
  };
  for (int i = 0; i < 2; ++i) frame(true);
  inferences_.clear();
  for (int i = 0; i < 10; ++i) frame(true);
  EXPECT_EQ(inferences_, std::vector<bool>(5, false)) << "nothing good in between";
  for (int i = 0; i < 2; ++i) frame(false);
  EXPECT_EQ(inferences_.back(), true) << "both copies run again";
}

TEST_F(CopiedDesk, WhatIsLostCountsAgainstTheCopyWhoseTurnItWas) {
  offer(1, 0);
  ASSERT_TRUE(desk_.next(0, at(0)));
  for (FrameNumber number = 2; number <= 5; ++number) offer(number, 10.0 * static_cast<double>(number));
  ASSERT_EQ(drops_.size(), 2U) << "nobody serves the other copy";
  EXPECT_EQ(other_guards(1000), std::vector<ProcessorIndex>{2});
}

TEST_F(CopiedDesk, ATimeIsComparedWithThatOfAFrameInTheStage) {
  desk_.set_rate({0, Fps(200.0), std::nullopt}, at(0));
  double now = 0.0;
  for (FrameNumber frame = 1; frame <= 400; ++frame) {
    offer(frame, now);
    EXPECT_TRUE(run(frame % 2 == 1 ? 0 : 2, now, 8)) << frame;
    EXPECT_TRUE(run(1, now + 8, 3)) << frame;
    now += 12.0;
  }
  (void)desk_.look(at(now));
  for (ProcessorIndex p = 0; p < 3; ++p) EXPECT_NEAR(desk_.drift().correction(p), 1.0, 1e-6) << p;
  EXPECT_EQ(frames().processed, 400);
}

}  // namespace
}  // namespace saccade::runtime::staged_desk_test
