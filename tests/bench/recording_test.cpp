// The figures that `saccade bench switch` reads from what was written down: recordings made by hand.
#include <gtest/gtest.h>

#include "bench/switch/recording.hpp"
#include "bench/switch/report.hpp"
#include "runtime/frames/frame_desk.hpp"

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

TEST(Recording, LossesAreToldByWhoSwitchedAndWhen) {
  Recording recording = one_task();
  recording.tasks = {"gate", "yard"};
  recording.quiet = {{at_ms(5000), at_ms(10'000)}};
  recording.exchanges = {{0, at_ms(600), true}, {0, at_ms(1600), false}};
  recording.losses = {{0, at_ms(700), "displaced", false},     // switched, both fit
                      {1, at_ms(700), "displaced", true},      // kept its variant
                      {0, at_ms(1700), "displaced", false},    // switched, did not both fit
                      {0, at_ms(1200), "displaced", false},    // another period: kept
                      {1, at_ms(6000), "displaced", false},    // while nothing changes
                      {0, at_ms(11'000), "displaced", true}};  // after what is measured
  const LossFigures lost = figures(recording).lost;
  EXPECT_EQ(lost.both_fit.all, 1U);
  EXPECT_EQ(lost.both_fit.by_switch, 0U);
  EXPECT_EQ(lost.kept.all, 2U);
  EXPECT_EQ(lost.kept.by_switch, 1U);
  EXPECT_EQ(lost.not_both.all, 1U);
  EXPECT_EQ(lost.quiet.all, 1U);
  EXPECT_EQ(lost.outside(), 0U);
  EXPECT_EQ(lost.reasons, (std::map<std::string, std::size_t>{{"displaced", 5}}));
}

TEST(Recording, LossesInAHoldAreCountedAndNamedUnlessTheProductCausedThem) {
  Recording recording = one_task();
  recording.holds = {{{at_ms(3000), at_ms(3100)}, at_ms(60)}};
  recording.losses = {{0, at_ms(2990), "displaced"},       {0, at_ms(3050), "displaced"},
                      {0, at_ms(3060), "displaced", true}, {0, at_ms(3070), "displaced", false, true},
                      {0, at_ms(3080), "missed"},  // by a capture, which runs on other CPUs
                      {0, at_ms(3110), "displaced"}};
  const RunFigures figures = bench::figures(recording);
  EXPECT_EQ(figures.lost.kept.all, 6U);
  EXPECT_EQ(figures.lost.kept.outside, 1U);
  EXPECT_EQ(figures.lost.reasons.at("missed"), 1U);
  EXPECT_EQ(figures.holds, 1U);
  EXPECT_DOUBLE_EQ(figures.held_ms, 100.0);
  EXPECT_DOUBLE_EQ(figures.stolen_ms, 60.0);
}

TEST(Recording, TicksThatNoFrameCameForAreLosses) {
  // 50 frames/s from 5 ms on; the capture took those of 5, 25 and 85 ms.
  const std::vector<Loss> missed =
      missed_ticks(2, Fps(50.0), at_ms(5), {at_ms(5), at_ms(25), at_ms(85)}, at_ms(125));
  ASSERT_EQ(missed.size(), 3U);
  EXPECT_EQ(missed[0].at, at_ms(45));
  EXPECT_EQ(missed[1].at, at_ms(65));
  EXPECT_EQ(missed[2].at, at_ms(105));
  EXPECT_EQ(missed[0].task, 2U);
  EXPECT_EQ(missed[0].reason, "missed");
  EXPECT_TRUE(missed_ticks(0, Fps(0.0), at_ms(0), {}, at_ms(1000)).empty());
}

struct NoListener final : runtime::FrameListener {
  void drained(runtime::EngineKey) override {}
  void frames_lost(runtime::TaskIndex) override {}
  void source_back(runtime::TaskIndex) override {}
  void inference_ended(runtime::EngineKey, const Status&) override {}
  void dropped(const runtime::Drop&, TimePoint) override {}
};

TEST(Recording, FirstTicksAreTheOnesThatTheProductHas) {
  const std::vector<double> fps = {45, 27, 36, 30, 27};
  std::vector<scheduler::Task> tasks(fps.size());
  NoListener none;
  runtime::FrameDesk desk({{1.0}, fps.size(), 2, {Duration(0)}}, none);
  for (runtime::TaskIndex task = 0; task < fps.size(); ++task) {
    tasks[task].demand = Fps(fps[task]);
    desk.set_demand(task, Fps(fps[task]), TimePoint{});
  }
  desk.start(TimePoint{});
  const std::vector<Duration> first = first_ticks(tasks);
  for (runtime::TaskIndex task = 0; task < fps.size(); ++task)
    EXPECT_EQ(desk.next_tick(task), TimePoint{} + first[task]) << task;
  EXPECT_GT(first.back(), Duration(0));
}

TEST(Recording, TimesOfFramesAreThoseOutsideQuietStretchesHeldOrNot) {
  Recording recording = one_task();
  serve(recording, 0, 2000, 1);
  recording.quiet = {{at_ms(4000), at_ms(6000)}};
  recording.frames.push_back({0, 1, at_ms(5000), at_ms(5000), at_ms(5900)});  // slow, but nothing changes
  recording.holds = {{{at_ms(7000), at_ms(7100)}, at_ms(100)}};
  for (int i = 0; i < 3; ++i) recording.frames.push_back({0, 1, at_ms(7000), at_ms(7000), at_ms(7100)});
  const RunFigures figures = bench::figures(recording);
  EXPECT_EQ(figures.frames, 103U);
  EXPECT_EQ(figures.quiet_frames, 1U);
  EXPECT_DOUBLE_EQ(figures.inference_p99_ms.value(), 100.0);
  EXPECT_DOUBLE_EQ(figures.latency_p99_ms.value(), 100.0);
}

TEST(Recording, MemoryGrowsFromTheFirstThirdToTheLast) {
  Recording recording = one_task();
  EXPECT_FALSE(figures(recording).memory_growth_mb);
  for (const double mb : {30.0, 35.0, 31.0, 90.0, 90.0, 90.0, 33.0, 32.0, 10.0}) {
    recording.memory.emplace_back(mb * 1e6);
  }
  EXPECT_NEAR(figures(recording).memory_growth_mb.value(), 1.0, 1e-9);
}

TEST(LoadFigures, ATaskWithNoFrameWithoutLoadsIsHeldAgainstNothing) {
  LoadPairs pairs;
  pairs.recording = one_task();
  pairs.recording.tasks = {"gate", "yard"};
  pairs.without = {{at_ms(0), at_ms(1000)}};
  pairs.with = {{at_ms(1000), at_ms(2000)}};
  serve(pairs.recording, 0, 2000, 1);
  pairs.recording.frames.push_back({1, 2, at_ms(1500), at_ms(1500), at_ms(1900)});  // its only one
  const LoadFigures loads = figures(pairs);
  ASSERT_EQ(loads.pairs.size(), 1U);
  EXPECT_DOUBLE_EQ(loads.inference_ratio.value(), 1.0);
  EXPECT_DOUBLE_EQ(loads.latency_ratio.value(), 1.0);
}

}  // namespace
}  // namespace saccade::bench
