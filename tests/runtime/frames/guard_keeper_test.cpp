// The laws of the guard that follows losses, on a processor that loses frames whenever its guard is below
// what the load needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "runtime/frames/guard_keeper.hpp"
#include "tests/support/milliseconds.hpp"

namespace saccade::test {
namespace {

using runtime::GuardKeeper;
using runtime::GuardOptions;

// 50 frames/s. Ten times a second; while the guard is below `need`, every tenth frame is lost.
class Box {
 public:
  explicit Box(double target = 0.001, double start = 0.05, double capacity = 1.0,
               std::optional<Seconds> first = std::nullopt)
      : keeper({target}, Seconds(start), capacity, first) {}

  void run(double seconds, double need, double spread = 0.0) {
    run(
        seconds, [=](double guard) { return guard < need ? 10 : 0; }, spread);
  }
  // `one_in`: of how many frames one is lost with this guard; 0 = none is.
  void run(double seconds, const std::function<int(double)>& one_in, double spread = 0.0) {
    for (const TimePoint end = now + ms(seconds * 1e3); now < end; now += ms(100)) {
      const int every = one_in(keeper.guard().value());
      for (int i = 0; i < 5; ++i) {
        ++frames;
        if (every > 0 && frames % every == 0) {
          ++lost;
          keeper.lost(now);
        } else {
          keeper.served(frames % 2 == 0 ? 1.0 + spread : 1.0 - spread);
        }
      }
      if (keeper.update(now)) changes.push_back({now, keeper.guard().value()});
      least = std::min(least, keeper.guard().value());
      most = std::max(most, keeper.guard().value());
    }
  }
  [[nodiscard]] std::size_t changes_since(double seconds) const {
    return static_cast<std::size_t>(std::count_if(changes.begin(), changes.end(), [&](const auto& change) {
      return change.first >= at_ms(seconds * 1e3);
    }));
  }

  GuardKeeper keeper;
  TimePoint now = at_ms(1);
  int frames = 0;
  int lost = 0;
  double least = 1.0;
  double most = 0.0;
  std::vector<std::pair<TimePoint, double>> changes;
};

TEST(GuardKeeper, StartsAsItWasToldAndGoesToTheLeastWhereNothingIsLost) {
  Box box;
  EXPECT_EQ(box.keeper.guard(), Seconds(0.05));
  box.run(59.0, 0.0);
  EXPECT_EQ(box.keeper.guard(), Seconds(0.05)) << "2950 frames show nothing about one in a thousand";
  box.run(3.0, 0.0);
  EXPECT_EQ(box.keeper.guard(), Seconds(0.025));
  box.run(180.0, 0.0);
  EXPECT_EQ(box.keeper.guard(), Seconds(GuardKeeper::kLeast));
  const std::size_t changes = box.changes.size();
  box.run(24 * 3600.0, 0.0);
  EXPECT_EQ(box.changes.size(), changes) << "a steady state never plans again";
}

TEST(GuardKeeper, WhatItBeginsWithIsLeftOnceFramesHaveProvenIt) {
  Box box(0.001, 0.05, 1.0, Seconds(0.15));
  EXPECT_EQ(box.keeper.guard(), Seconds(0.15));
  box.run(59.0, 0.0);
  EXPECT_EQ(box.keeper.guard(), Seconds(0.15)) << "2950 frames show nothing about one in a thousand";
  box.run(10.0, 0.0);
  EXPECT_EQ(box.keeper.guard(), Seconds(0.05)) << "as after a disturbance";
  EXPECT_EQ(box.changes.size(), 2U);
}

TEST(GuardKeeper, WhatItBeginsWithPreventsTheLossesOfALoadThatNeedsLess) {
  Box bold;
  Box careful(0.001, 0.05, 1.0, Seconds(0.15));
  bold.run(30.0, 0.1);
  careful.run(30.0, 0.1);
  EXPECT_GT(bold.lost, 1);
  EXPECT_EQ(careful.lost, 0);
}

TEST(GuardKeeper, WhatItBeginsWithIsNoLowerBoundOnceItGrew) {
  Box box(0.001, 0.05, 1.0, Seconds(0.15));
  box.run(10.0, 0.3);
  ASSERT_GE(box.keeper.guard().value(), 0.3);
  box.run(60.0, 0.0);
  EXPECT_LE(box.keeper.guard().value(), 0.05);
}

TEST(GuardKeeper, GrowsWithinSecondsToWhatTheLoadNeeds) {
  for (const double need : {0.06, 0.1, 0.2, 0.35}) {
    Box box;
    box.run(4.0, need);
    EXPECT_GE(box.most, need);
  }
}

TEST(GuardKeeper, StaysBetweenItsBoundsWhateverHappens) {
  for (const double capacity : {1.0, 0.4, 0.06}) {
    Box box(0.001, 0.05, capacity);
    box.run(600.0, 2.0);
    box.run(600.0, 0.0);
    EXPECT_GE(box.least, std::min(GuardKeeper::kLeast, capacity / 2.0));
    EXPECT_LE(box.most, std::min(GuardKeeper::kMost, capacity / 2.0));
  }
}

TEST(GuardKeeper, MoreLossesNeverLeadToASmallerGuard) {
  double before = 0.0;
  for (const double need : {0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4}) {
    Box box;
    box.run(8.0, need);
    EXPECT_GE(box.keeper.guard().value(), before) << need;
    before = box.keeper.guard().value();
  }
  before = 0.0;
  for (const int one_in : {0, 3000, 300, 100, 30, 10, 3}) {
    Box box;
    box.run(8.0, [=](double) { return one_in; });
    EXPECT_GE(box.keeper.guard().value(), before) << one_in;
    before = box.keeper.guard().value();
  }
}

TEST(GuardKeeper, AConstantLoadIsDisturbedMoreAndMoreRarelyAndItsLossesStayBelowTheTarget) {
  for (const double need : {0.03, 0.08, 0.17, 0.3, 0.45}) {
    Box box;
    box.run(1800.0, need, 0.2);
    double area = 0.0;
    for (int second = 0; second < 1800; ++second) {
      box.run(1.0, need, 0.2);
      area += box.keeper.guard().value() / 1800.0;
    }
    EXPECT_LT(static_cast<double>(box.lost) / box.frames, 0.001) << need;
    EXPECT_GE(area, 0.9 * need) << "below what is needed only while it is tried again";
    EXPECT_LE(area, std::max(1.6 * need, 0.06)) << "the smallest that does, roughly";
    EXPECT_LE(box.changes_since(1800.0), 40U) << need;
  }
}

TEST(GuardKeeper, IsSmallAgainAMinuteAfterTheTroubleLeft) {
  for (const double need : {0.1, 0.2, 0.4}) {
    Box box;
    box.run(30.0, 0.0);
    box.run(20.0, need);
    ASSERT_GE(box.keeper.guard().value(), need);
    box.run(60.0, 0.0);
    EXPECT_LE(box.keeper.guard().value(), 0.05) << need;
  }
}

TEST(GuardKeeper, ATroubleOfAnHourThatShowsInTheSpreadIsForgottenWithinAMinuteToo) {
  Box box;
  box.run(3600.0, 0.3, 0.3);
  ASSERT_GE(box.keeper.guard().value(), 0.3);
  box.run(60.0, 0.0);
  EXPECT_LE(box.keeper.guard().value(), 0.05);
}

TEST(GuardKeeper, LossesThatAHigherTargetAllowsLeaveItSmall) {
  const auto one_in_200 = [](double) { return 200; };
  Box strict(0.001);
  strict.run(60.0, one_in_200);
  Box lenient(0.01);
  lenient.run(60.0, one_in_200);
  EXPECT_GT(strict.keeper.guard().value(), 0.1);
  EXPECT_LE(lenient.keeper.guard().value(), 0.05);
}

TEST(GuardKeeper, LossesThatNoGuardCuresLeaveItAsItWasMostOfTheTime) {
  Box box;
  box.run(60.0, 0.0);
  double area = 0.0;
  for (int second = 0; second < 3600; ++second) {
    box.run(1.0, 2.0);
    area += box.keeper.guard().value();
  }
  EXPECT_LT(area / 3600.0, 0.06);
}

TEST(GuardKeeper, WhatTheHostSuspendedDoesNotCount) {
  Box box;
  for (int i = 0; i < 20; ++i) box.keeper.lost(box.now);
  box.keeper.suspended(box.now);
  box.run(1.0, 0.0);
  EXPECT_EQ(box.keeper.guard(), Seconds(0.05));
}

TEST(GuardKeeper, ACorrectedProcessorNeedsNoGuardForWhatPlansKnowNow) {
  Box box;
  box.run(10.0, 0.3);
  ASSERT_GE(box.keeper.guard().value(), 0.3);
  box.keeper.corrected(box.now);
  box.run(30.0, 0.0);
  EXPECT_LE(box.keeper.guard().value(), 0.05);
}

TEST(GuardKeeper, FramesThatQueuedForThePlanBeforeACorrectionDoNotCountAgainstTheNext) {
  Box box;
  box.keeper.corrected(box.now);
  box.run(0.9, 1.0);
  ASSERT_GT(box.lost, 2);
  EXPECT_EQ(box.keeper.guard(), Seconds(0.05));
  box.run(2.0, 1.0);
  EXPECT_GT(box.keeper.guard(), Seconds(0.05)) << "those after it do";
}

}  // namespace
}  // namespace saccade::test
