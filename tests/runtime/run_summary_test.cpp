// The books beside the frame ledger, and the figures that are drawn from all of them.
#include "runtime/run_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/real/frame_threads.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::runtime {
namespace {

TimePoint at(double seconds) { return TimePoint(to_duration(Seconds(seconds))); }
Duration after(double seconds) { return to_duration(Seconds(seconds)); }
Drop stale(TaskIndex task) { return {task, 0, DropReason::stale, LossCause::other}; }

// --- Stalls ---------------------------------------------------------------------------------------

TEST(StallBook, CountsDropsFromATenthBeforeToATenthAfterAStallThatLeavesNothingWaiting) {
  StallBook book(2);
  book.dropped(stale(0), at(4.89));  // too early
  book.dropped(stale(0), at(4.91));
  book.dropped(stale(1), at(5.02));
  book.stalled(at(5.0), at(5.05));
  book.idle(at(5.06));
  book.dropped(stale(0), at(5.14));
  book.dropped(stale(0), at(5.16));  // too late
  book.settle();
  EXPECT_EQ(book.dropped_in_stall(0), 2);
  EXPECT_EQ(book.dropped_in_stall(1), 1);
  EXPECT_EQ(book.count(), 1);
  EXPECT_EQ(book.longest(), after(0.05));
}

TEST(StallBook, AStallLastsUntilWhatWaitedHasRunButASecondAtMost) {
  StallBook book(2);
  book.stalled(at(5.0), at(5.05));
  EXPECT_TRUE(book.idle_wanted());
  book.dropped(stale(0), at(5.30));
  book.idle(at(5.40));
  EXPECT_FALSE(book.idle_wanted());
  book.dropped(stale(0), at(5.41));
  book.idle(at(5.50));  // the first time counts
  book.stalled(at(7.0), at(7.05));
  book.dropped(stale(1), at(8.04));
  book.dropped(stale(1), at(8.06));
  book.settle();
  EXPECT_EQ(book.dropped_in_stall(0), 1);
  EXPECT_EQ(book.dropped_in_stall(1), 1);
}

TEST(StallBook, TicksThatNobodyCameForAreMissedNotDropped) {
  StallBook book(1);
  book.missed(0, at(1.02));
  book.missed(0, at(3.0));
  book.stalled(at(1.0), at(1.1));
  book.settle();
  EXPECT_EQ(book.missed_in_stall(0), 1);
  EXPECT_EQ(book.dropped_in_stall(0), 0);
}

TEST(StallBook, NeverBlamesAStallForARateThatWasNotGrantedOrForTheEnd) {
  StallBook book(1);
  book.stalled(at(1.0), at(1.1));
  for (const DropReason reason : {DropReason::over_quota, DropReason::inactive, DropReason::shutdown}) {
    book.dropped({0, 0, reason, LossCause::other}, at(1.05));
  }
  book.settle();
  EXPECT_EQ(book.dropped_in_stall(0), 0);
}

TEST(StallBook, TakesWhatTwoProbesSawAtOnceForOneStall) {
  StallBook book(1);
  book.stalled(at(1.00), at(1.03));
  book.stalled(at(1.01), at(1.05));
  book.stalled(at(2.00), at(2.03));
  EXPECT_EQ(book.count(), 2);
  EXPECT_EQ(book.longest(), after(0.05));
}

TEST(StallBook, JudgesOldDropsTheSameAsTheRunGoesOn) {
  StallBook book(1);
  book.dropped(stale(0), at(1.0));
  book.stalled(at(0.95), at(1.0));
  book.idle(at(1.0));
  for (int second = 2; second < 100; ++second) book.dropped(stale(0), at(second));
  book.settle();
  EXPECT_EQ(book.dropped_in_stall(0), 1);
}

TEST(StallBook, ALaterStallTakesNothingFromAnEarlierOne) {
  StallBook book(1);
  book.dropped(stale(0), at(1.0));
  book.stalled(at(0.95), at(1.0));
  for (int second = 30; second < 100; second += 30) book.stalled(at(second), at(second + 0.05));
  book.dropped(stale(0), at(200.0));
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

  void frame(TaskIndex task, double due, std::optional<std::size_t> variant,
             FrameLedger::Judged judged = {}) {
    ledger_.tick(task, at(due));
    segments_.tick(task, after(due), true);
    ledger_.received(task, ++number_);
    if (variant) {
      ledger_.processed(task, number_, at(due), at(due + 0.01), Duration(0), *variant, judged);
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
  EXPECT_EQ(result.achieved_rate, result.tasks[0].achieved_rate);
  EXPECT_EQ(result.mean_relative_accuracy, result.tasks[0].mean_relative_accuracy);
  EXPECT_EQ(result.delivered_accuracy, result.tasks[0].delivered_accuracy);
  frame(1, 1.0, kBig);
  EXPECT_DOUBLE_EQ(*summary().achieved_rate, (0.75 + 1.0) / 2.0);
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

TEST(Judging, ComparesEachRegionsLargestLogitWithItsLabel) {
  const std::vector<float> logits{0.1F, 0.9F, 0.0F, /**/ 2.0F, 2.0F, 1.0F, /**/ -3.0F, -2.0F, -1.0F};
  const auto judged = judge({1, 0, 1}, logits, 3);
  EXPECT_EQ(judged.labelled, 3);
  EXPECT_EQ(judged.correct, 2);
  EXPECT_EQ(judge({}, logits, 3).labelled, 0);
}

}  // namespace
}  // namespace saccade::runtime
