// The books beside the frame ledger, and the figures that are drawn from all of them.
#include "runtime/run/run_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/real/frame_threads.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::runtime {
namespace {

TimePoint at(double seconds) { return TimePoint(to_duration(Seconds(seconds))); }
constexpr Duration kPeriod = std::chrono::milliseconds(20);
Duration after(double seconds) { return to_duration(Seconds(seconds)); }
Drop stale(TaskIndex task) { return {task, 0, DropReason::stale, LossCause::other}; }

// --- Stalls ---------------------------------------------------------------------------------------

constexpr int kServing = 1;  // CPU
constexpr int kCapturing = 0;

// One processor on CPU 1; captures run on CPU 0.
StallBook stall_book(std::size_t tasks = 1) { return StallBook(tasks, {{{kServing}}, {kCapturing}}); }
void hold(StallBook& book, int cpu, double from, double to) { book.held(cpu, at(from), at(to), Duration(0)); }

TEST(StallBook, CountsDropsWhileTheProcessorWasHeldAndNoLonger) {
  StallBook book = stall_book(2);
  book.dropped(stale(0), 0, at(4.99));
  book.dropped(stale(0), 0, at(5.0));
  book.dropped(stale(1), 0, at(5.02));
  hold(book, kServing, 5.0, 5.05);
  book.dropped(stale(0), 0, at(5.06));  // the queue is still full: the product's loss
  book.settle();
  EXPECT_EQ(book.dropped_in_stall(0), 1);
  EXPECT_EQ(book.dropped_in_stall(1), 1);
  EXPECT_EQ(book.count(), 1);
  EXPECT_EQ(book.longest(), after(0.05));
}

TEST(StallBook, WatchesWhereSomeCpuIsKnownAndWhereThereIsNoMachine) {
  EXPECT_TRUE(stall_book().watches());
  EXPECT_TRUE(StallBook(1, {{{}, {2}}, {}}).watches());
  EXPECT_TRUE(StallBook(1, {{{}}, {0}}).watches());
  EXPECT_FALSE(StallBook(1, {{{}, {}}, {}}).watches());
  EXPECT_TRUE(StallBook(1).watches());
}

TEST(StallBook, AHoldOfAnotherProcessorsCpuExcusesNothing) {
  StallBook book(1, {{{1}, {2}}, {0}});
  book.dropped(stale(0), 1, at(1.05));
  book.missed(0, at(1.05));
  hold(book, 1, 1.0, 1.1);
  book.settle();
  EXPECT_EQ(book.dropped_in_stall(0), 0);
  EXPECT_EQ(book.missed_in_stall(0), 0);
}

TEST(StallBook, WhatTheProductAttributesToASwitchOrASolveIsNeverExcused) {
  StallBook book = stall_book();
  for (const LossCause cause : {LossCause::switching, LossCause::solving}) {
    book.dropped({0, 0, DropReason::stale, cause}, 0, at(1.05));
  }
  book.transition(0, at(1.06));
  book.missed(0, at(1.05));
  hold(book, kServing, 1.0, 1.1);
  hold(book, kCapturing, 1.0, 1.1);
  book.settle();
  EXPECT_EQ(book.dropped_in_stall(0), 0);
  EXPECT_EQ(book.missed_in_stall(0), 0);
}

TEST(StallBook, ThreadsThatMayUseTwoCpusAreHeldWhereBothAre) {
  StallBook book(1, {{{1, 2}}, {0}});
  book.dropped(stale(0), 0, at(1.02));
  book.dropped(stale(0), 0, at(1.08));
  hold(book, 1, 1.0, 1.1);
  hold(book, 2, 1.05, 1.1);
  book.settle();
  EXPECT_EQ(book.dropped_in_stall(0), 1);
}

TEST(StallBook, WhereThreadsRunIsNotKnownNothingIsExcused) {
  StallBook book(1);
  book.dropped(stale(0), 0, at(1.05));
  book.dropped(stale(0), std::nullopt, at(1.05));
  book.missed(0, at(1.05));
  hold(book, kServing, 1.0, 1.1);
  book.settle();
  EXPECT_EQ(book.dropped_in_stall(0), 0);
  EXPECT_EQ(book.missed_in_stall(0), 0);
}

TEST(StallBook, TicksThatNobodyCameForAreMissedNotDropped) {
  StallBook book = stall_book();
  book.missed(0, at(1.02));
  book.missed(0, at(3.0));
  hold(book, kCapturing, 1.0, 1.1);
  book.settle();
  EXPECT_EQ(book.missed_in_stall(0), 1);
  EXPECT_EQ(book.dropped_in_stall(0), 0);
}

TEST(StallBook, NeverBlamesAStallForARateThatWasNotGrantedOrForTheEnd) {
  StallBook book = stall_book();
  hold(book, kServing, 1.0, 1.1);
  for (const DropReason reason : {DropReason::over_quota, DropReason::inactive, DropReason::shutdown}) {
    book.dropped({0, 0, reason, LossCause::other}, 0, at(1.05));
  }
  book.settle();
  EXPECT_EQ(book.dropped_in_stall(0), 0);
}

TEST(StallBook, TakesWhatTwoProbesSawAtOnceForOneStall) {
  StallBook book = stall_book();
  book.held(kServing, at(1.00), at(1.03), after(0.01));
  book.held(kCapturing, at(1.01), at(1.05), after(0.02));
  book.held(kServing, at(2.00), at(2.03), Duration(0));
  EXPECT_EQ(book.count(), 2);
  EXPECT_EQ(book.longest(), after(0.05));
  EXPECT_EQ(book.time(), after(0.10)) << "of both CPUs";
  EXPECT_EQ(book.stolen(), after(0.03));
}

TEST(StallBook, JudgesOldDropsTheSameAsTheRunGoesOn) {
  StallBook book = stall_book();
  book.dropped(stale(0), 0, at(1.0));
  hold(book, kServing, 0.95, 1.0);
  for (int second = 2; second < 100; ++second) book.dropped(stale(0), 0, at(second));
  book.settle();
  EXPECT_EQ(book.dropped_in_stall(0), 1);
}

TEST(StallBook, ALaterStallTakesNothingFromAnEarlierOne) {
  StallBook book = stall_book();
  book.dropped(stale(0), 0, at(1.0));
  hold(book, kServing, 0.95, 1.0);
  for (int second = 30; second < 100; second += 30) hold(book, kServing, second, second + 0.05);
  book.dropped(stale(0), 0, at(200.0));
  book.settle();
  EXPECT_EQ(book.dropped_in_stall(0), 1);
  EXPECT_EQ(book.count(), 4);
}

// --- Segments -------------------------------------------------------------------------------------

TEST(SegmentBook, AFrameBelongsToTheSegmentInWhichItWasDue) {
  SegmentBook book({after(0.0), after(5.0)}, 2);
  book.tick(1, after(4.999), true);
  book.tick(1, after(5.0), false);
  book.processed(1, after(4.999));
  EXPECT_EQ(book.frames(0, 1).demanded, 1);
  EXPECT_EQ(book.frames(0, 1).granted, 1);
  EXPECT_EQ(book.frames(0, 1).processed, 1);
  EXPECT_EQ(book.frames(1, 1).demanded, 1);
  EXPECT_EQ(book.frames(1, 1).granted, 0);
  EXPECT_EQ(book.frames(1, 1).processed, 0);
  EXPECT_EQ(book.frames(0, 0).demanded, 0);
}

// --- Figures --------------------------------------------------------------------------------------

class Books : public testing::Test {
 protected:
  static constexpr std::size_t kSmall = 0;
  static constexpr std::size_t kBig = 1;

  void frame(TaskIndex task, double due, std::optional<std::size_t> variant, FrameLedger::Judged judged = {},
             std::optional<Duration> age = {}) {
    ledger_.tick(task, at(due));
    segments_.tick(task, after(due), true);
    ledger_.received(task, ++number_, kPeriod);
    if (variant) {
      ledger_.processed(task, number_, at(due), at(due + 0.01), Duration(0), *variant, judged, age);
      segments_.processed(task, after(due));
    } else {
      ledger_.dropped({task, number_, DropReason::stale, LossCause::switching});
    }
  }
  RunSummary summary(std::optional<std::size_t> images = std::nullopt) const {
    const auto profiles = std::make_shared<const profiles::ProfileSet>(test::two_variants());
    return summarise({{TaskId("a"), profiles, images, {}}, {TaskId("b"), profiles, images, {}}}, ledger_,
                     segments_, stalls_, switches_, at(0.0), at(10.0));
  }

  FrameLedger ledger_{2};
  SegmentBook segments_{{Duration(0), after(5.0), after(20.0)}, 2};
  StallBook stalls_{2};
  std::vector<SwitchRecord> switches_;
  FrameNumber number_ = 0;
};

TEST_F(Books, RatesAndAccuraciesAreMeansOverTheTasksThatHaveAny) {
  frame(0, 1.0, kBig);
  frame(0, 2.0, kSmall);
  frame(0, 6.0, std::nullopt);
  frame(0, 7.0, kBig);
  const RunSummary result = summary();
  const double relative_small = 0.8 / 0.9;
  EXPECT_DOUBLE_EQ(*result.tasks[0].achieved_rate, 0.75);
  EXPECT_DOUBLE_EQ(*result.tasks[0].mean_relative_accuracy, (2.0 + relative_small) / 3.0);
  EXPECT_DOUBLE_EQ(*result.tasks[0].delivered_accuracy, (2.0 + relative_small) / 4.0);
  EXPECT_FALSE(result.tasks[1].achieved_rate.has_value());
  ASSERT_TRUE(result.tasks[0].latency.has_value());
  EXPECT_NEAR(result.tasks[0].latency->p99_in_periods, 0.5, 0.01);  // 10 of 20 ms
  EXPECT_EQ(result.achieved_rate, result.tasks[0].achieved_rate);
  EXPECT_EQ(result.mean_relative_accuracy, result.tasks[0].mean_relative_accuracy);
  EXPECT_EQ(result.delivered_accuracy, result.tasks[0].delivered_accuracy);
  frame(1, 1.0, kBig);
  EXPECT_DOUBLE_EQ(*summary().achieved_rate, (0.75 + 1.0) / 2.0);
}

TEST_F(Books, TheAgeIsShownBesideTheLatencyWhereItIsKnown) {
  for (int i = 0; i < 99; ++i) frame(0, 1.0 + 0.02 * i, kBig, {}, std::chrono::milliseconds(30));
  frame(0, 4.0, kBig, {}, std::chrono::milliseconds(200));
  frame(1, 4.0, kBig);
  const RunSummary result = summary();
  ASSERT_TRUE(result.tasks[0].age.has_value());
  EXPECT_NEAR(result.tasks[0].age->p50.value(), 0.03, 0.03 * 0.016);
  EXPECT_NEAR(result.tasks[0].age->p99.value(), 0.03, 0.03 * 0.016);
  EXPECT_DOUBLE_EQ(result.tasks[0].age->max.value(), 0.2);
  EXPECT_NEAR(result.tasks[0].latency->max.value(), 0.01, 1e-9);
  ASSERT_TRUE(result.tasks[1].latency.has_value());
  EXPECT_FALSE(result.tasks[1].age.has_value());
}

TEST_F(Books, ARunWithoutAnyDemandHasNoRate) {
  const RunSummary result = summary();
  EXPECT_FALSE(result.achieved_rate.has_value());
  EXPECT_FALSE(result.mean_relative_accuracy.has_value());
  EXPECT_FALSE(result.tasks[0].latency.has_value());
}

TEST_F(Books, SegmentsEndWhereTheRunEndedAndThoseNeverReachedAreLeftOut) {
  frame(0, 1.0, kBig);
  frame(0, 6.0, std::nullopt);
  frame(0, 7.0, kBig);
  const RunSummary result = summary();
  ASSERT_EQ(result.segments.size(), 2U);
  EXPECT_DOUBLE_EQ(result.segments[0].to.value(), 5.0);
  EXPECT_DOUBLE_EQ(result.segments[1].to.value(), 10.0);
  EXPECT_DOUBLE_EQ(*result.segments[0].achieved_rate, 1.0);
  EXPECT_DOUBLE_EQ(*result.segments[1].achieved_rate, 0.5);
}

TEST_F(Books, PromisedAccuracyIsWeightedByWhatServed) {
  for (int i = 0; i < 3; ++i) frame(0, 1.0 + i, kBig, {.labelled = 100, .correct = 91});
  frame(0, 4.0, kSmall, {.labelled = 100, .correct = 80});
  const auto check = summary().tasks[0].accuracy;
  ASSERT_TRUE(check.has_value());
  EXPECT_EQ(check->labelled, 400);
  EXPECT_EQ(check->different_images, 400);
  EXPECT_DOUBLE_EQ(check->measured, (3 * 91 + 80) / 400.0);
  EXPECT_DOUBLE_EQ(check->promised, (3 * 0.9 + 0.8) / 4.0);
  // Both variants were profiled with 1000 images.
  const double profile = (3 * std::sqrt(0.9 * 0.1 / 1000) + std::sqrt(0.8 * 0.2 / 1000)) / 4.0;
  const double run = std::sqrt(check->promised * (1 - check->promised) / 400);
  EXPECT_NEAR(check->standard_error, std::hypot(profile, run), 1e-12);
  EXPECT_NEAR(check->deviation(), std::abs(check->measured - check->promised) / check->standard_error, 1e-12);
}

TEST_F(Books, ImagesThatComeAgainMakeNoAccuracyMoreCertain) {
  for (int i = 0; i < 3; ++i) frame(0, 1.0 + i, kBig, {.labelled = 100, .correct = 90});
  const auto repeated = summary(150).tasks[0].accuracy;
  EXPECT_EQ(repeated->different_images, 150);
  EXPECT_GT(repeated->standard_error, summary().tasks[0].accuracy->standard_error);
}

TEST_F(Books, SwitchesAreNamedAndCountedPerTask) {
  switches_.push_back({.at = at(3.0), .task = 1, .from = kSmall, .to = kBig, .load_time = after(0.006)});
  const RunSummary result = summary();
  EXPECT_EQ(result.tasks[0].switches, 0);
  EXPECT_EQ(result.tasks[1].switches, 1);
  ASSERT_EQ(result.switches.size(), 1U);
  EXPECT_EQ(result.switches[0].task.str(), "b");
  EXPECT_EQ(result.switches[0].from->str(), "small");
  EXPECT_EQ(result.switches[0].to->str(), "big");
  EXPECT_DOUBLE_EQ(result.switches[0].at.value(), 3.0);
  EXPECT_DOUBLE_EQ(result.switches[0].load.value(), 0.006);
}

TEST(Judging, ComparesEachRegionsAnswerWithItsLabel) {
  const std::vector<int> classes{1, 0, 2};
  const auto judged = judge(std::vector{1, 0, 1}, classes);
  EXPECT_EQ(judged.labelled, 3);
  EXPECT_EQ(judged.correct, 2);
  EXPECT_EQ(judge({}, classes).labelled, 0);
  EXPECT_EQ(judge(std::vector{1, 0, 1}, {}).labelled, 0) << "no classifier";
}

}  // namespace
}  // namespace saccade::runtime
