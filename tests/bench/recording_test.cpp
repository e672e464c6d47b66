// The figures that `saccade bench switch` reads from what was written down: recordings made by hand.
#include <gtest/gtest.h>

#include "bench/switch/recording.hpp"

namespace saccade::bench {
namespace {

Duration at_ms(double ms) { return to_duration(Seconds(ms * 1e-3)); }

// A task's frames every 20 ms, 5 ms of inference each, in `engine`.
void serve(Recording& recording, double from, double to, std::uint64_t engine) {
  for (double due = from; due < to; due += 20.0) {
    recording.frames.push_back({0, engine, at_ms(due), at_ms(due), at_ms(due + 5.0)});
  }
}

Recording one_task() {
  Recording recording;
  recording.tasks = {"gate"};
  recording.period = at_ms(500);
  recording.measured = {at_ms(0), at_ms(10'000)};
  return recording;
}

TEST(Recording, GapsAtSwitchesAreThoseWhoseNextFrameRanInAnotherEngine) {
  Recording recording = one_task();
  serve(recording, 0, 400, 1);
  serve(recording, 430, 800, 2);  // 50 ms after the last one
  const GapFigures gaps = figures(recording).gaps.at(0);
  EXPECT_EQ(gaps.at_switch, 1U);
  EXPECT_EQ(gaps.plain, 37U);
  EXPECT_DOUBLE_EQ(gaps.switch_max.value(), 50.0);
  EXPECT_DOUBLE_EQ(gaps.plain_p99.value(), 20.0);
  EXPECT_EQ(gaps.beyond, 1U);
  EXPECT_EQ(gaps.plain_beyond, 0U);
}

TEST(Recording, OrdinaryGapsBeyondTheAllowanceAreCountedToo) {
  Recording recording = one_task();
  serve(recording, 0, 4000, 1);
  serve(recording, 4100, 9000, 1);
  const GapFigures gaps = figures(recording).gaps.at(0);
  EXPECT_EQ(gaps.at_switch, 0U);
  EXPECT_FALSE(gaps.switch_max);
  EXPECT_EQ(gaps.plain_beyond, 1U);
}

TEST(Recording, ATroubleEndsWhenNothingWaits) {
  Recording recording = one_task();
  serve(recording, 0, 1000, 1);
  recording.stalls = {{at_ms(1000), at_ms(1200)}};
  // What queued runs one behind the other until 1,500 ms.
  for (int i = 0; i < 6; ++i) {
    recording.frames.push_back({0, 1, at_ms(1190 + 20 * i), at_ms(1200 + 50 * i), at_ms(1250 + 50 * i)});
  }
  serve(recording, 1600, 2000, 1);
  const std::vector<Window> troubles = troubles_of(recording);
  ASSERT_EQ(troubles.size(), 1U);
  EXPECT_EQ(troubles[0].from, at_ms(900));
  EXPECT_EQ(troubles[0].to, at_ms(1500));
}

TEST(Recording, ATroubleLastsAtLeastAndAtMost) {
  Recording idle = one_task();
  idle.stalls = {{at_ms(1005), at_ms(1040)}};
  serve(idle, 0, 3000, 1);
  EXPECT_EQ(troubles_of(idle).at(0).to, at_ms(1140));

  Recording full = one_task();
  full.stalls = {{at_ms(100), at_ms(200)}};
  for (int i = 0; i < 400; ++i) {  // never idle
    full.frames.push_back({0, 1, at_ms(10 * i), at_ms(10 * i + 10), at_ms(10 * i + 20)});
  }
  EXPECT_EQ(troubles_of(full).at(0).to, at_ms(1200));
}

TEST(Recording, LossesAreToldByWhoSwitchedAndWhen) {
  Recording recording = one_task();
  recording.tasks = {"gate", "yard"};
  recording.quiet = {{at_ms(5000), at_ms(10'000)}};
  recording.exchanges = {{0, at_ms(600), true}, {0, at_ms(1600), false}};
  recording.stalls = {{at_ms(3000), at_ms(3100)}};
  recording.losses = {{0, at_ms(700), "displaced", false},     // switched, both fit
                      {1, at_ms(700), "displaced", true},      // kept its variant
                      {0, at_ms(1700), "displaced", false},    // switched, did not both fit
                      {0, at_ms(1200), "displaced", false},    // another period: kept
                      {0, at_ms(3050), "displaced", true},     // in a trouble
                      {1, at_ms(6000), "displaced", false},    // while nothing changes
                      {0, at_ms(11'000), "displaced", true}};  // after what is measured
  recording.troubles = troubles_of(recording);
  const LossFigures lost = figures(recording).lost;
  EXPECT_EQ(lost.both_fit, 1U);
  EXPECT_EQ(lost.both_fit_by_switch, 0U);
  EXPECT_EQ(lost.kept, 2U);
  EXPECT_EQ(lost.kept_by_switch, 1U);
  EXPECT_EQ(lost.not_both, 1U);
  EXPECT_EQ(lost.quiet, 1U);
  EXPECT_EQ(lost.in_troubles, 1U);
  EXPECT_EQ(lost.in_troubles_by_switch, 1U);
  EXPECT_EQ(lost.reasons, (std::map<std::string, std::size_t>{{"displaced", 5}}));
}

TEST(Recording, TimesOfFramesAreThoseOutsideQuietStretchesAndTroubles) {
  Recording recording = one_task();
  serve(recording, 0, 2000, 1);
  recording.quiet = {{at_ms(4000), at_ms(6000)}};
  recording.frames.push_back({0, 1, at_ms(5000), at_ms(5000), at_ms(5900)});  // slow, but nothing changes
  recording.stalls = {{at_ms(7000), at_ms(7100)}};
  recording.frames.push_back({0, 1, at_ms(7000), at_ms(7000), at_ms(7100)});  // slow, but in a stall
  recording.troubles = troubles_of(recording);
  const RunFigures figures = bench::figures(recording);
  EXPECT_EQ(figures.frames, 101U);
  EXPECT_EQ(figures.quiet_frames, 1U);
  EXPECT_DOUBLE_EQ(figures.inference_p99_ms.value(), 5.0);
  EXPECT_DOUBLE_EQ(figures.latency_p99_ms.value(), 5.0);
}

TEST(Recording, MemoryGrowsFromTheFirstThirdToTheLast) {
  Recording recording = one_task();
  EXPECT_FALSE(figures(recording).memory_growth_mb);
  for (const double mb : {30.0, 35.0, 31.0, 90.0, 90.0, 90.0, 33.0, 32.0, 10.0}) {
    recording.memory.emplace_back(mb * 1e6);
  }
  EXPECT_NEAR(figures(recording).memory_growth_mb.value(), 1.0, 1e-9);
}

}  // namespace
}  // namespace saccade::bench
