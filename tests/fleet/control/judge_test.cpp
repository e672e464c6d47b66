// Which boxes are lost: two signals, settling after the store's own trouble, and the brake.
#include "fleet/control/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace saccade::fleet {
namespace {

using std::chrono::seconds;

class FleetJudge : public testing::Test {
 protected:
  static TimePoint when(int second) { return TimePoint{} + seconds(second); }
  static BoxId id(int box) { return BoxId("b" + std::to_string(box)); }

  void fleet(int count, const std::string& site = "") {
    std::vector<Box> boxes;
    for (int b = 0; b < count; ++b) {
      Box box;
      box.id = id(b);
      if (!site.empty()) box.labels["site"] = b < 4 ? site : "other" + std::to_string(b);
      boxes.push_back(box);
    }
    judge_.boxes(boxes, when(0));
    for (int b = 0; b < count; ++b) judge_.lease(id(b), true, when(0));
  }
  // From one second to another, with answers of the boxes that answer.
  void run(int from, int to) {
    for (int second = from; second <= to; ++second) {
      judge_.step(when(second), has_cameras_);
      for (const BoxId& box : judge_.take_probes()) judge_.probed(box, answers_.contains(box), when(second));
      judge_.step(when(second), has_cameras_);
    }
  }

  Judge judge_{JudgeSettings{}};
  std::set<BoxId> answers_;
  std::set<BoxId> idle_;  // no camera is assigned to these
  const Judge::HasCameras has_cameras_ = [this](const BoxId& box) { return !idle_.contains(box); };
};

// All leases at once, or one after the other; the boxes of the fleet come and go meanwhile.
TEST_F(FleetJudge, LeasesOfAllBoxesAreTheLeaseOfEach) {
  Judge one_by_one{JudgeSettings{}};
  std::mt19937_64 random(3);
  std::size_t gone = 0;
  for (int second = 0; second < 400; ++second) {
    if (second % 50 == 0) {
      std::vector<Box> boxes(8 + random() % 8);
      for (std::size_t b = 0; b < boxes.size(); ++b)
        boxes[b].id = id(static_cast<int>(b + random() % 2 * 20));
      std::sort(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.id < b.id; });
      for (Judge* judge : {&judge_, &one_by_one}) judge->boxes(boxes, when(second));
    }
    std::map<BoxId, Duration> held;
    for (int b = 0; b < 40; ++b) {
      if (random() % 8 > 0) held[id(b)] = seconds(10);
    }
    const bool answers = random() % 2 == 0;
    judge_.leases(held, when(second));
    for (int b = 0; b < 40; ++b) one_by_one.lease(id(b), held.contains(id(b)), when(second));
    for (Judge* judge : {&judge_, &one_by_one}) {
      judge->step(when(second));
      for (const BoxId& box : judge->take_probes()) judge->probed(box, answers, when(second));
    }
    std::set<BoxId> lost_or_detached;
    for (int b = 0; b < 40; ++b) {
      ASSERT_EQ(judge_.health(id(b)), one_by_one.health(id(b)));
      if (!judge_.gone_since(id(b)) || judge_.health(id(b)) == BoxHealth::silent) continue;
      lost_or_detached.insert(id(b));
    }
    EXPECT_EQ(judge_.lost_or_detached(), lost_or_detached);
    EXPECT_EQ(judge_.next(), one_by_one.next());
    EXPECT_EQ(judge_.changes(), one_by_one.changes());
    gone += lost_or_detached.size();
  }
  EXPECT_GT(gone, 100U);
}

// It reached the store since its last payment was due: its lease was revoked early, or given up.
TEST_F(FleetJudge, ABoxThatReachesTheStoreIsReturningForAtMostALease) {
  fleet(3);
  judge_.lease(id(0), false, when(100));
  judge_.step(when(100));
  EXPECT_FALSE(judge_.returning(id(0), when(100)));  // it was not asked yet
  judge_.probed(id(0), true, when(100), seconds(3));
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::detached);
  EXPECT_TRUE(judge_.returning(id(0), when(101)));
  EXPECT_EQ(judge_.next(), when(101));  // it is asked again soon
  EXPECT_FALSE(judge_.returning(id(0), when(110)));
  judge_.probed(id(0), true, when(101), seconds(5));  // a box that is cut off says more, sooner or later
  EXPECT_FALSE(judge_.returning(id(0), when(101)));
  judge_.probed(id(0), true, when(102), seconds(1));
  EXPECT_TRUE(judge_.returning(id(0), when(102)));
  judge_.probed(id(0), true, when(103));  // an older box does not say
  EXPECT_FALSE(judge_.returning(id(0), when(103)));
  judge_.probed(id(0), true, when(104), seconds(1));
  judge_.lease(id(0), true, when(105));
  EXPECT_FALSE(judge_.returning(id(0), when(105)));
  judge_.lease(id(0), false, when(106));
  EXPECT_FALSE(judge_.returning(id(0), when(106)));
}

TEST_F(FleetJudge, ABoxThatCannotBeAskedIsLostAfterThreeLeasesOfThePolicy) {
  FleetPolicy policy;
  policy.lease = Seconds(20.0);
  judge_.follow(policy);
  fleet(3);
  judge_.set_can_probe(id(0), false);
  judge_.lease(id(0), false, when(10));
  run(10, 69);
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::silent);
  run(70, 71);
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::lost);
}

TEST_F(FleetJudge, ThePolicySaysHowLongItSettlesAndWhatTheBrakeHolds) {
  FleetPolicy policy;
  policy.settle = Seconds(40.0);
  policy.brake_share = 0.5;
  judge_.follow(policy);
  fleet(10);
  judge_.unsettle(when(10));
  for (int b = 0; b < 5; ++b) judge_.lease(id(b), false, when(10));
  run(10, 49);
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::silent);
  run(50, 60);
  for (int b = 0; b < 5; ++b) {
    EXPECT_EQ(judge_.health(id(b)), BoxHealth::lost);
    EXPECT_FALSE(judge_.held(id(b)));  // half of them
  }
  judge_.lease(id(5), false, when(61));
  run(61, 65);
  EXPECT_TRUE(judge_.held(id(5)));
}

TEST_F(FleetJudge, ALostLeaseAloneLosesNoBox) {
  fleet(6);
  judge_.lease(id(0), false, when(10));
  judge_.lease(id(1), false, when(10));
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::silent);
  answers_.insert(id(0));
  run(10, 600);
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::detached);
  EXPECT_EQ(judge_.health(id(1)), BoxHealth::lost);
  EXPECT_EQ(judge_.gone_since(id(1)), when(10));
  answers_.clear();
  run(601, 610);
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::lost);
  judge_.lease(id(0), true, when(611));
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::alive);
  EXPECT_FALSE(judge_.gone_since(id(0)));
}

TEST_F(FleetJudge, ABoxThatIsToBeLeftAloneIsNotLostBeforeItsTime) {
  std::vector<Box> boxes(3);
  for (int b = 0; b < 3; ++b) boxes[static_cast<std::size_t>(b)].id = id(b);
  boxes[0].autonomy = Seconds(300);
  boxes[1].autonomy = Seconds(300);
  judge_.boxes(boxes, when(0));
  for (int b = 0; b < 3; ++b) judge_.lease(id(b), true, when(0));
  judge_.set_can_probe(id(1), false);
  for (int b = 0; b < 3; ++b) judge_.lease(id(b), false, when(10));
  run(10, 308);
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::silent);
  EXPECT_EQ(judge_.health(id(1)), BoxHealth::silent);
  EXPECT_EQ(judge_.health(id(2)), BoxHealth::lost);
  ASSERT_TRUE(judge_.next());
  EXPECT_LE(*judge_.next(), when(310));
  run(309, 312);
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::lost);
  EXPECT_EQ(judge_.health(id(1)), BoxHealth::lost);
}

TEST_F(FleetJudge, IsQuickWithTwoSignalsAndWaitsWhileTheStoreSettles) {
  fleet(6);
  judge_.lease(id(0), false, when(10));
  run(10, 12);
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::lost);
  judge_.unsettle(when(100));
  judge_.lease(id(1), false, when(101));
  run(101, 119);
  EXPECT_EQ(judge_.health(id(1)), BoxHealth::silent);
  run(120, 121);
  EXPECT_EQ(judge_.health(id(1)), BoxHealth::lost);
}

TEST_F(FleetJudge, ABoxThatCannotBeAskedIsLostThreeLeasesLater) {
  fleet(6);
  judge_.set_can_probe(id(0), false);
  judge_.lease(id(0), false, when(10));
  run(10, 39);
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::silent);
  run(40, 40);
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::lost);
}

TEST_F(FleetJudge, TheBrakeHoldsManyLossesUntilReleased) {
  fleet(10);
  for (int b = 0; b < 3; ++b) judge_.lease(id(b), false, when(10));
  run(10, 20);
  EXPECT_EQ(judge_.health(id(2)), BoxHealth::lost);
  EXPECT_FALSE(judge_.held(id(0)));  // three of ten
  judge_.lease(id(3), false, when(30));
  run(30, 40);
  EXPECT_TRUE(judge_.held(id(0)));
  EXPECT_TRUE(judge_.held(id(3)));
  judge_.lease(id(1), true, when(45));
  EXPECT_FALSE(judge_.held(id(1)));
  run(45, 500);
  EXPECT_TRUE(judge_.held(id(3)));
  judge_.release();
  EXPECT_FALSE(judge_.held(id(3)));
  judge_.lease(id(4), false, when(600));  // long after: not one of many
  run(600, 610);
  EXPECT_FALSE(judge_.held(id(4)));
}

TEST_F(FleetJudge, TheBrakeHoldsASiteThatGoesDark) {
  fleet(40, "north");
  for (int b = 0; b < 3; ++b) judge_.lease(id(b), false, when(10));
  run(10, 20);
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::lost);
  EXPECT_TRUE(judge_.held(id(0)));  // three of four of one site, though three of forty in all
}

// As one that has begun to lead sees them: boxes that have been gone for weeks, and one that is lost now.
TEST_F(FleetJudge, BoxesWithoutCamerasDoNotPutTheBrakeOn) {
  fleet(10, "north");
  idle_ = {id(0), id(1), id(2), id(3)};
  for (int b = 0; b < 5; ++b) judge_.lease(id(b), false, when(10));
  run(10, 20);
  for (int b = 0; b < 5; ++b) {
    EXPECT_EQ(judge_.health(id(b)), BoxHealth::lost);
    EXPECT_FALSE(judge_.held(id(b))) << b;
  }
}

TEST_F(FleetJudge, RetiredBoxesDoNotPutTheBrakeOn) {
  std::vector<Box> boxes(10);
  for (int b = 0; b < 10; ++b) boxes[static_cast<std::size_t>(b)].id = id(b);
  for (std::size_t b = 0; b < 4; ++b) boxes[b].state = BoxState::retired;
  judge_.boxes(boxes, when(0));
  for (int b = 4; b < 10; ++b) judge_.lease(id(b), true, when(0));
  judge_.lease(id(4), false, when(0));
  run(0, 10);
  EXPECT_EQ(judge_.health(id(0)), BoxHealth::lost);
  EXPECT_FALSE(judge_.held(id(0)));
  EXPECT_EQ(judge_.health(id(4)), BoxHealth::lost);
  EXPECT_FALSE(judge_.held(id(4)));
}

TEST_F(FleetJudge, ABoxThatIsRetiredWhileItIsHeldIsHeldNoLonger) {
  fleet(10);
  for (int b = 0; b < 4; ++b) judge_.lease(id(b), false, when(10));
  run(10, 20);
  ASSERT_TRUE(judge_.held(id(0)));
  std::vector<Box> boxes(10);
  for (int b = 0; b < 10; ++b) boxes[static_cast<std::size_t>(b)].id = id(b);
  boxes[0].state = BoxState::retired;
  judge_.boxes(boxes, when(20));
  EXPECT_FALSE(judge_.held(id(0)));
  EXPECT_TRUE(judge_.held(id(1)));
}

// What a lost box had is given to others at once: it counts all the same when the next is lost.
TEST_F(FleetJudge, ABoxThatHadCamerasWhenItWasLostCounts) {
  fleet(10);
  for (int b = 0; b < 4; ++b) {
    judge_.lease(id(b), false, when(10 + 5 * b));
    run(10 + 5 * b, 14 + 5 * b);
    EXPECT_EQ(judge_.health(id(b)), BoxHealth::lost);
    idle_.insert(id(b));
  }
  EXPECT_TRUE(judge_.held(id(3)));
}

TEST_F(FleetJudge, WhatWasReleasedIsNotHeldAgainBeforeItReturned) {
  fleet(10);
  for (int b = 0; b < 4; ++b) judge_.lease(id(b), false, when(10));
  run(10, 20);
  ASSERT_TRUE(judge_.held(id(0)));
  judge_.release();
  judge_.lease(id(4), false, when(21));
  run(21, 30);
  EXPECT_EQ(judge_.health(id(4)), BoxHealth::lost);
  for (int b = 0; b < 5; ++b) EXPECT_FALSE(judge_.held(id(b))) << b;
  for (int b = 0; b < 5; ++b) judge_.lease(id(b), true, when(31));
  for (int b = 0; b < 5; ++b) judge_.lease(id(b), false, when(40));
  run(40, 50);
  for (int b = 0; b < 5; ++b) EXPECT_TRUE(judge_.held(id(b))) << b;
}

}  // namespace
}  // namespace saccade::fleet
