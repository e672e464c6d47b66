// The desk tells its books what happens: what a stall of the machine cost reaches the summary.
#include "runtime/frames/frame_desk.hpp"

#include <gtest/gtest.h>

#include "runtime/run/run_summary.hpp"
#include "tests/support/milliseconds.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::runtime {
namespace {

using test::at_ms;
using test::ms;

// One task of 100 frames/s on one processor, CPU 1; an inference takes 2 ms. Ticks at 0, 10, 20 ... ms,
// captured on CPU 0.
class Desk : public testing::Test, public FrameListener {
 protected:
  Desk() : desk_({{1.0}, 1, 2, {Duration(0)}, 0, {{{1}}, {0}}, {FrameDesk::KeptGuard{}}}, *this) {
    desk_.set_demand(0, Fps(100.0), at_ms(0));
    desk_.set_rate({0, Fps(1e9), std::nullopt}, at_ms(0));
    desk_.set_granted(0, Fps(100.0), at_ms(0));
    desk_.swap({0, 1, 0, std::nullopt}, ServingEngine{nullptr, 1, 0, ms(2)}, at_ms(0));
    desk_.start(at_ms(0));
  }
  void drained(EngineKey) override {}
  void frames_lost(TaskIndex) override {}
  void source_back(TaskIndex) override {}
  void inference_ended(EngineKey, const Status&) override {}
  void dropped(const Drop&, TimePoint) override { ++drops_; }

  // Comes for all ticks that have passed; returns how many they were.
  int capture(double now) {
    desk_.collect_ticks(0, at_ms(now));
    int taken = 0;
    while (const auto due = desk_.take_tick(0)) {
      desk_.offer(0, ++number_, *due, desk_.period(0), at_ms(now));
      ++taken;
    }
    return taken;
  }
  // Runs all that waits, one behind the other; returns when the last has ended.
  double run(double now) {
    while (const auto start = desk_.next(0, at_ms(now))) {
      now += takes_;
      desk_.finished(0, *start, at_ms(now), ms(takes_), Done{}, {});
    }
    return now;
  }
  // What is measured of the processor; absent: nothing new.
  std::optional<MeasuredProcessor> look(double now) {
    const std::vector<MeasuredProcessor> changed = desk_.look(at_ms(now));
    return changed.empty() ? std::nullopt : std::optional(changed.front());
  }
  void serve(double from, double to) {
    for (double now = from; now < to; now += 10.0) {
      capture(now);
      run(now);
    }
  }
  TaskSummary summary(double end) {
    const auto profiles = std::make_shared<const profiles::ProfileSet>(test::two_variants());
    return summarise(desk_, {{TaskId("gate"), profiles, {}, {}}}, {}, at_ms(end)).tasks.at(0);
  }

  void hold(int cpu, double from, double to) { desk_.held(cpu, at_ms(from), at_ms(to), Duration(0)); }
  static constexpr int kCapturing = 0;
  static constexpr int kServing = 1;

  FrameDesk desk_;
  FrameNumber number_ = 0;
  int drops_ = 0;
  double takes_ = 2.0;  // ms, an inference
};

// Engines are being loaded on the CPU that serves, and frames take longer: they are queued for too long
// although their task is granted all that it wants. With more room they would not be.
TEST_F(Desk, FramesThatQueueTooLongInATransitionAreWhatAGuardIsFor) {
  serve(0, 1000);
  desk_.set_rate({0, Fps(1e9), Fps(1e9)}, at_ms(1000));
  EXPECT_FALSE(look(1000).has_value());
  for (int k = 0; k < 8; ++k) capture(1010 + 10 * k);
  EXPECT_EQ(drops_, 7);
  const auto grown = look(1100);
  ASSERT_TRUE(grown && grown->guard);
  EXPECT_EQ(grown->correction, 1.0);
  EXPECT_GT(*grown->guard, FrameDesk::KeptGuard{}.start);
}

// The plan in transition lowers the rate for a while: more room would not have helped.
TEST_F(Desk, FramesAboveALoweredRateAreNot) {
  serve(0, 1000);
  desk_.set_rate({0, Fps(10.0), Fps(100.0)}, at_ms(1000));
  serve(1010, 2000);
  EXPECT_GT(drops_, 50);
  EXPECT_FALSE(look(2000).has_value());
}

// Frames that take a little longer are planned with from now on, but that frees less than a step of the
// guard: it was not all that was missing, and next time would be the same again.
TEST_F(Desk, ACorrectionBelowAStepOfTheGuardDoesNotExplainTheLosses) {
  takes_ = 2.06;
  desk_.set_rate({0, Fps(100.0), std::nullopt}, at_ms(0));
  serve(0, 1000);
  EXPECT_FALSE(look(1000).has_value());
  for (int k = 0; k < 8; ++k) capture(1010 + 10 * k);
  ASSERT_GT(drops_, 2);
  const auto measured = look(1100);
  ASSERT_TRUE(measured && measured->guard);
  EXPECT_NEAR(measured->correction, 1.03, 1e-6);
  EXPECT_GT(*measured->guard, FrameDesk::KeptGuard{}.start);
}

TEST_F(Desk, ALargerCorrectionDoes) {
  takes_ = 2.2;
  desk_.set_rate({0, Fps(100.0), std::nullopt}, at_ms(0));
  serve(0, 1000);
  EXPECT_FALSE(look(1000).has_value());
  for (int k = 0; k < 8; ++k) capture(1010 + 10 * k);
  const auto measured = look(1100);
  ASSERT_TRUE(measured);
  EXPECT_NEAR(measured->correction, 1.1, 1e-6);
  EXPECT_FALSE(measured->guard);
}

TEST_F(Desk, TicksThatAHeldCaptureMissesAreTheStalls) {
  serve(0, 1000);
  EXPECT_EQ(capture(1500), 3) << "the gate and one more; the other ticks are missed";
  hold(kCapturing, 1000, 1500);
  run(1500);
  serve(1510, 4000);
  const TaskSummary task = summary(4000);
  EXPECT_EQ(task.missed_in_stall, 48);
  EXPECT_EQ(task.dropped_in_stall, 0) << "the late frames found the serving CPU free";
  EXPECT_EQ(task.missed_in_stall + drops_ + task.processed, task.demanded);
}

TEST_F(Desk, TicksMissedWhileTheServingCpuWasHeldAreTheProducts) {
  serve(0, 1000);
  capture(1500);
  hold(kServing, 1000, 1500);
  run(1500);
  EXPECT_EQ(summary(2000).missed_in_stall, 0);
}

TEST_F(Desk, TicksMissedDuringATransitionOrASolveAreTheProducts) {
  serve(0, 1000);
  desk_.set_rate({0, Fps(1e9), Fps(100.0)}, at_ms(1000));
  desk_.set_rate({0, Fps(1e9), std::nullopt}, at_ms(1200));  // the capture comes late for these ticks
  capture(1300);
  hold(kCapturing, 1000, 1150);
  run(1300);
  serve(1310, 2000);
  desk_.set_solving(true, at_ms(2000));
  capture(2300);
  desk_.set_solving(false, at_ms(2400));
  hold(kCapturing, 2000, 2300);
  EXPECT_EQ(summary(4000).missed_in_stall, 0);
}

TEST_F(Desk, WhatIsDroppedOnceTheCpuWasFreeAgainIsTheProducts) {
  serve(0, 1000);
  hold(kServing, 900, 1000);
  serve(1000, 1500);
  const int before = drops_;
  capture(1500);
  capture(1540);  // nobody ran anything meanwhile, and the CPU was free
  run(1540);
  EXPECT_GT(drops_, before);
  EXPECT_EQ(summary(2000).dropped_in_stall, 0);
}

TEST_F(Desk, WhatIsDisplacedDuringAHoldIsDroppedInIt) {
  serve(0, 1000);
  for (double now = 1000; now < 1200; now += 10.0) capture(now);  // the cameras go on, the processor does not
  hold(kServing, 1000, 1200);
  run(1200);
  EXPECT_GT(drops_, 10);
  EXPECT_EQ(summary(4000).dropped_in_stall, drops_);
}

}  // namespace
}  // namespace saccade::runtime
