#include "runtime/frames/dispatcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "runtime/frames/busy_window.hpp"
#include "tests/support/milliseconds.hpp"

namespace saccade::runtime {
namespace {

using test::at_ms;
using test::ms;

// Tasks with a route to processor 0 and a rate nobody reaches.
class DispatcherTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kTasks = 4;
  DispatcherTest() {
    for (TaskIndex task = 0; task < kTasks; ++task) {
      dispatcher.set_demand(task, Fps(1000.0));
      dispatcher.set_rate(task, Fps(1e9), std::nullopt, at_ms(0));
      EXPECT_TRUE(dispatcher.set_route(task, Route{0, task + 1}).empty());
    }
  }
  std::optional<Drop> offer(TaskIndex task, FrameNumber frame, double due_ms, double period_ms) {
    return dispatcher.offer(task, frame, at_ms(due_ms), ms(period_ms));
  }
  Dispatcher dispatcher{{1.0}, kTasks, 2};
};

TEST_F(DispatcherTest, TheEarliestDeadlineRunsFirstAndTiesGoToTheLowerTask) {
  offer(0, 1, 0, 100);
  offer(1, 2, 5, 20);
  offer(2, 3, 0, 25);
  std::vector<FrameNumber> order;
  while (const auto start = dispatcher.next(0, at_ms(6))) {
    order.push_back(start->frame);
    dispatcher.finished(0, at_ms(6));
  }
  EXPECT_EQ(order, (std::vector<FrameNumber>{2, 3, 1}));
}

TEST_F(DispatcherTest, OrderIsThatOfDeadlinesForAnyFrames) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 random(seed);
    Dispatcher many({1.0}, 16, 2);
    std::vector<std::pair<TimePoint, TaskIndex>> waiting;
    for (TaskIndex task = 0; task < 16; ++task) {
      many.set_rate(task, Fps(1e9), std::nullopt, at_ms(0));
      many.set_route(task, Route{0, task + 1});
      const TimePoint due = at_ms(static_cast<double>(random() % 10));
      const Duration period = ms(static_cast<double>(1 + random() % 10));
      ASSERT_FALSE(many.offer(task, task, due, period));
      waiting.emplace_back(due + period, task);
    }
    std::sort(waiting.begin(), waiting.end());
    for (const auto& [deadline, task] : waiting) {
      const auto start = many.next(0, at_ms(100));
      ASSERT_TRUE(start);
      EXPECT_EQ(start->task, task) << "seed " << seed;
      many.finished(0, at_ms(100));
    }
    EXPECT_TRUE(many.idle());
  }
}

// Frames of `task_ms` each, which the dispatcher has seen once.
void run_each_once(Dispatcher& dispatcher, std::size_t tasks, double task_ms) {
  for (TaskIndex task = 0; task < tasks; ++task) {
    dispatcher.offer(task, 100 + task, at_ms(0), ms(1));
    ASSERT_TRUE(dispatcher.next(0, at_ms(0)));
    dispatcher.finished(0, at_ms(task_ms));
  }
}

TEST_F(DispatcherTest, AHigherClassWaitsWhileItIsInTimeAllTheSame) {
  run_each_once(dispatcher, kTasks, 10);
  dispatcher.set_priority(1, 5);
  offer(0, 1, 100, 30);
  offer(1, 2, 100, 35);
  EXPECT_EQ(dispatcher.next(0, at_ms(115))->task, 0U) << "both end in time: at 125 and at 135";
}

TEST_F(DispatcherTest, AHigherClassRunsFirstIfItWouldBeLateOtherwise) {
  run_each_once(dispatcher, kTasks, 10);
  dispatcher.set_priority(1, 5);
  offer(0, 1, 100, 30);
  offer(1, 2, 100, 35);
  EXPECT_EQ(dispatcher.next(0, at_ms(116))->task, 1U);
}

TEST_F(DispatcherTest, FramesOfAHigherClassMakeEachOtherLateToo) {
  run_each_once(dispatcher, kTasks, 10);
  for (const TaskIndex task : {1U, 2U}) dispatcher.set_priority(task, 5);
  offer(0, 1, 100, 30);
  offer(1, 2, 100, 40);
  offer(2, 3, 100, 41);
  EXPECT_EQ(dispatcher.next(0, at_ms(112))->task, 1U) << "the third would end at 142";
}

TEST_F(DispatcherTest, ABehindProcessorRunsOneClassAfterTheOtherEachByDeadline) {
  run_each_once(dispatcher, kTasks, 10);
  const int priorities[] = {0, 2, 1, 2};
  for (TaskIndex task = 0; task < kTasks; ++task) dispatcher.set_priority(task, priorities[task]);
  offer(0, 1, 100, 10);
  offer(1, 2, 100, 40);
  offer(2, 3, 100, 20);
  offer(3, 4, 100, 30);
  std::vector<TaskIndex> order;
  while (const auto start = dispatcher.next(0, at_ms(150))) {
    order.push_back(start->task);
    dispatcher.finished(0, at_ms(150));
  }
  EXPECT_EQ(order, (std::vector<TaskIndex>{3, 1, 2, 0}));
}

TEST(DispatcherClasses, WhatIsLeftOfABudgetGoesToTheHigherClass) {
  Dispatcher part({0.5}, 2, 2);
  for (TaskIndex task = 0; task < 2; ++task) {
    part.set_rate(task, Fps(1e9), std::nullopt, at_ms(0));
    part.set_route(task, Route{0, task + 1});
    part.offer(task, task, at_ms(0), ms(10));
    ASSERT_TRUE(part.next(0, at_ms(200.0 * static_cast<double>(task))));
    part.finished(0, at_ms(200.0 * static_cast<double>(task + 1)));
  }
  part.set_priority(1, 1);
  part.offer(0, 10, at_ms(400), ms(500));  // far from late: 100 ms are left of 500
  part.offer(1, 11, at_ms(400), ms(900));
  EXPECT_EQ(part.next(0, at_ms(400))->task, 1U);
}

// Three classes ask for 40 % of a processor each.
TEST(DispatcherClasses, OfABehindProcessorTheHighestLosesNothingAndTheLowestLoses) {
  Dispatcher dispatcher({1.0}, 3, 2);
  const double periods[] = {50, 47, 53};
  const double times[] = {20, 18.8, 21.2};
  std::map<TaskIndex, int> lost;
  std::map<TaskIndex, double> due;
  for (TaskIndex task = 0; task < 3; ++task) {
    dispatcher.set_rate(task, Fps(1e9), std::nullopt, at_ms(0));
    dispatcher.set_route(task, Route{0, task + 1});
    dispatcher.set_priority(task, static_cast<int>(2 - task));
  }
  double free_at = 0.0;
  std::optional<Start> running;
  FrameNumber frame = 0;
  for (double now = 0.0; now < 60'000.0; now += 0.1) {
    for (TaskIndex task = 0; task < 3; ++task) {
      if (due[task] > now) continue;
      if (dispatcher.offer(task, ++frame, at_ms(due[task]), ms(periods[task]))) ++lost[task];
      due[task] += periods[task];
    }
    if (running && now >= free_at) {
      dispatcher.finished(0, at_ms(now));
      running.reset();
    }
    if (!running && (running = dispatcher.next(0, at_ms(now)))) free_at = now + times[running->task];
  }
  EXPECT_EQ(lost[0], 0);
  EXPECT_EQ(lost[1], 0);
  EXPECT_GT(lost[2], 500);
}

TEST_F(DispatcherTest, AFullGateLetsGoOfItsOldestFrame) {
  EXPECT_FALSE(offer(0, 1, 0, 10));
  EXPECT_FALSE(offer(0, 2, 10, 10));
  const auto drop = offer(0, 3, 20, 10);
  ASSERT_TRUE(drop);
  EXPECT_EQ(drop->frame, 1U);
  EXPECT_EQ(drop->reason, DropReason::stale);
  EXPECT_EQ(dispatcher.waiting(0), 2U);
}

TEST_F(DispatcherTest, AGateIsFullWhenAsManyFramesWaitAsMay) {
  for (FrameNumber frame = 1; frame <= 2; ++frame) {
    EXPECT_FALSE(dispatcher.full(0));
    offer(0, frame, 0, 10);
  }
  EXPECT_TRUE(dispatcher.full(0));
  EXPECT_FALSE(dispatcher.full(1));
  ASSERT_TRUE(dispatcher.next(0, at_ms(0)));
  EXPECT_FALSE(dispatcher.full(0)) << "one runs";
}

TEST_F(DispatcherTest, AFrameThatRunsDoesNotCountAsWaiting) {
  offer(0, 1, 0, 10);
  ASSERT_TRUE(dispatcher.next(0, at_ms(0)));
  EXPECT_FALSE(offer(0, 2, 10, 10));
  EXPECT_FALSE(offer(0, 3, 20, 10));
  EXPECT_TRUE(dispatcher.engine_busy(1));
  EXPECT_FALSE(dispatcher.next(0, at_ms(20))) << "the processor is busy";
}

TEST_F(DispatcherTest, AFrameAboveTheRateIsOverQuotaAndTheRatesSumHolds) {
  dispatcher.set_rate(0, Fps(10.0), std::nullopt, at_ms(0));
  int refused = 0;
  for (int k = 0; k < 100; ++k) {
    const auto drop = offer(0, static_cast<FrameNumber>(k), k * 50.0, 50);
    if (drop) {
      EXPECT_EQ(drop->reason, DropReason::over_quota);
      EXPECT_EQ(drop->cause, LossCause::other);
      ++refused;
    }
    if (dispatcher.next(0, at_ms(k * 50.0))) dispatcher.finished(0, at_ms(k * 50.0));
  }
  EXPECT_NEAR(refused, 50, 2);
}

TEST_F(DispatcherTest, AWaitingFrameFollowsItsTaskToAnotherProcessor) {
  Dispatcher two({1.0, 1.0}, 1, 2);
  two.set_rate(0, Fps(1e9), std::nullopt, at_ms(0));
  two.set_route(0, Route{0, 1});
  two.offer(0, 1, at_ms(0), ms(10));
  two.set_route(0, Route{1, 2});
  EXPECT_FALSE(two.next(0, at_ms(1)));
  EXPECT_EQ(two.next(1, at_ms(1))->frame, 1U);
}

TEST_F(DispatcherTest, ADropThatTheShadowWouldHaveAdmittedIsLostToTheSwitch) {
  dispatcher.set_rate(0, Fps(5.0), Fps(20.0), at_ms(0));  // target 20, for now 5
  std::map<LossCause, int> causes;
  for (int k = 0; k < 100; ++k) {
    if (const auto drop = offer(0, static_cast<FrameNumber>(k), k * 50.0, 50)) ++causes[drop->cause];
    if (dispatcher.next(0, at_ms(k * 50.0))) dispatcher.finished(0, at_ms(k * 50.0));
  }
  EXPECT_EQ(causes[LossCause::other], 0);
  EXPECT_NEAR(causes[LossCause::switching], 75, 2);
}

TEST_F(DispatcherTest, ADropThatTheShadowWouldNotHaveAdmittedIsNot) {
  dispatcher.set_rate(0, Fps(5.0), Fps(5.0), at_ms(0));
  std::map<LossCause, int> causes;
  for (int k = 0; k < 100; ++k) {
    if (const auto drop = offer(0, static_cast<FrameNumber>(k), k * 50.0, 50)) ++causes[drop->cause];
    if (dispatcher.next(0, at_ms(k * 50.0))) dispatcher.finished(0, at_ms(k * 50.0));
  }
  EXPECT_EQ(causes[LossCause::switching], 0);
  EXPECT_NEAR(causes[LossCause::other], 75, 2);
}

TEST_F(DispatcherTest, AFrameReceivedInATransitionIsLostToItEvenWhenItIsDroppedLater) {
  dispatcher.set_rate(0, Fps(1e9), Fps(1e9), at_ms(0));
  offer(0, 1, 0, 10);
  offer(0, 2, 10, 10);
  dispatcher.set_rate(0, Fps(1e9), std::nullopt, at_ms(15));
  EXPECT_EQ(offer(0, 3, 20, 10)->cause, LossCause::switching);
  EXPECT_EQ(offer(0, 4, 30, 10)->cause, LossCause::switching);
  EXPECT_EQ(offer(0, 5, 40, 10)->cause, LossCause::other);
}

TEST_F(DispatcherTest, WhileASolveIsPendingOtherDropsAreLostToIt) {
  dispatcher.set_rate(0, Fps(0.0), std::nullopt, at_ms(0));
  dispatcher.set_solving(true);
  EXPECT_EQ(offer(0, 1, 0, 10)->cause, LossCause::solving);
  dispatcher.set_solving(false);
  EXPECT_EQ(offer(0, 2, 10, 10)->cause, LossCause::other);
  dispatcher.set_route(0, std::nullopt);
  dispatcher.set_demand(0, Fps(0.0));
  dispatcher.set_solving(true);
  EXPECT_EQ(offer(0, 3, 20, 10)->cause, LossCause::other) << "nobody wants an inactive task's frame";
}

TEST(SpentCapacity, NoFrameStartsOnASpentCapacityAndTheNextMayStartWhenToldSo) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    const double capacity = 0.05 + static_cast<double>(random() % 90) / 100.0;
    Dispatcher dispatcher({capacity}, 1, 1);
    dispatcher.set_rate(0, Fps(1e9), std::nullopt, at_ms(0));
    dispatcher.set_route(0, Route{0, 1});
    const auto limit = static_cast<std::int64_t>(std::llround(capacity * 1e9));
    std::vector<std::pair<std::int64_t, std::int64_t>> busy;
    std::int64_t now = 0;
    const auto used = [&](std::int64_t t) {
      std::int64_t sum = 0;
      for (const auto& [from, to] : busy) {
        sum += std::max<std::int64_t>(0, to - std::max(from, t - 1'000'000'000));
      }
      return sum;
    };
    int waits = 0;
    for (FrameNumber frame = 0; frame < 400; ++frame) {
      dispatcher.offer(0, frame, TimePoint(Duration(now)), ms(1));
      auto start = dispatcher.next(0, TimePoint(Duration(now)));
      if (!start) {
        ++waits;
        ASSERT_GE(used(now), limit);
        const auto until = dispatcher.spent_until(0, TimePoint(Duration(now)));
        ASSERT_TRUE(until);
        const std::int64_t then = until->time_since_epoch().count();
        ASSERT_GE(used(then - 1), limit) << "it could have started earlier";
        now = then;
        start = dispatcher.next(0, TimePoint(Duration(now)));
      }
      ASSERT_TRUE(start);
      ASSERT_LT(used(now), limit);
      ASSERT_FALSE(dispatcher.spent_until(0, TimePoint(Duration(now))));
      const std::int64_t took = 1 + static_cast<std::int64_t>(random() % 20'000'000);
      busy.emplace_back(now, now + took);
      now += took;
      dispatcher.finished(0, TimePoint(Duration(now)));
      if (random() % 4 == 0) now += static_cast<std::int64_t>(random() % 5'000'000);
    }
    if (capacity < 0.7) {
      EXPECT_GT(waits, 0) << "the case was never met, seed " << seed;
    }
  }
}

TEST(SpentCapacity, AWholeProcessorIsNeverSpent) {
  BusyWindow window(1.0);
  window.add(at_ms(0), at_ms(5000));
  EXPECT_FALSE(window.spent(at_ms(5000)));
  EXPECT_EQ(window.spent_until(at_ms(5000)), std::nullopt);
}

TEST(DispatcherBusy, BusyTimeIsTheSumOfWhatRan) {
  Dispatcher dispatcher({1.0}, 1, 2);
  dispatcher.set_rate(0, Fps(1e9), std::nullopt, at_ms(0));
  dispatcher.set_route(0, Route{0, 1});
  for (int k = 0; k < 10; ++k) {
    dispatcher.offer(0, static_cast<FrameNumber>(k), at_ms(k * 10), ms(10));
    ASSERT_TRUE(dispatcher.next(0, at_ms(k * 10)));
    dispatcher.finished(0, at_ms(k * 10 + 3));
  }
  EXPECT_EQ(dispatcher.busy(0), ms(30));
}

TEST(DispatcherEnd, DropAllEndsEverythingThatWaits) {
  Dispatcher dispatcher({1.0}, 2, 3);
  for (TaskIndex task = 0; task < 2; ++task) {
    dispatcher.set_rate(task, Fps(1e9), std::nullopt, at_ms(0));
    dispatcher.set_route(task, Route{0, task + 1});
    for (FrameNumber frame = 0; frame < 3; ++frame)
      dispatcher.offer(task, 10 * task + frame, at_ms(static_cast<double>(frame)), ms(1));
  }
  const auto drops = dispatcher.drop_all(DropReason::shutdown, at_ms(1));
  EXPECT_EQ(drops.size(), 6U);
  EXPECT_TRUE(std::all_of(drops.begin(), drops.end(), [](const Drop& drop) {
    return drop.reason == DropReason::shutdown && drop.cause == LossCause::other;
  }));
  EXPECT_TRUE(dispatcher.idle());
  EXPECT_FALSE(dispatcher.next(0, at_ms(1)));
}

}  // namespace
}  // namespace saccade::runtime
