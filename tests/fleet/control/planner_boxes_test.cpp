// What the planner tells boxes besides what they serve: their lease, and what they stand by for. And what it
// does if a box does not hear it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tests/fleet/control/planner_fixture.hpp"

namespace saccade::fleet {
namespace {

using std::chrono::seconds;

TEST_F(FleetPlanner, BoxesGetTheLeaseOfThePolicyAndNothingMoves) {
  fleet(4, 24);
  pass(40);
  const auto before = homes();
  view_.problem.policy.lease = Seconds(30.0);
  ++view_.problem_version;
  pass(10);
  for (const auto& [box, held] : view_.assigned) {
    EXPECT_EQ(held.document.lease, seconds(30));
    EXPECT_EQ(held.document.longest_lease, seconds(30));
    view_.alive[box] = seconds(30);
  }
  pass(40);
  const std::int64_t written = view_.plan.revision;
  pass(400);
  EXPECT_EQ(view_.plan.revision, written);
  EXPECT_EQ(homes(), before);
}

// A box of several cameras, one of them exclusive, that is no longer configured, and does not hear of it.
class FleetPlannerOfABoxTakenOut : public FleetPlanner {
 protected:
  void SetUp() override {
    fleet(4, 24);
    pass(40);
    const std::set<std::string> its = on("box001");
    ASSERT_GE(its.size(), 2U);
    exclusive_ = *its.begin();
    for (Camera& camera : view_.problem.cameras) camera.exclusive = camera.task.id.str() == exclusive_;
    ++view_.problem_version;
    deaf_ = {BoxId("box001")};
    std::erase_if(view_.problem.boxes, [](const Box& box) { return box.id == BoxId("box001"); });
  }
  std::string exclusive_;
};

// Its usual cameras are taken off it and placed, its exclusive one is released, and placed once it has
// confirmed.
TEST_F(FleetPlannerOfABoxTakenOut, ItsCamerasGoElsewhereTheExclusiveOneWhenItHasConfirmed) {
  pass(1);
  ASSERT_EQ(view_.plan.document.released.size(), 1U);
  EXPECT_EQ(view_.plan.document.released.front().camera.str(), exclusive_);
  EXPECT_EQ(view_.plan.document.released.front().from, BoxId("box001"));
  pass(6);
  EXPECT_TRUE(on("box001").empty());
  EXPECT_FALSE(homes().contains(exclusive_));  // the box has not confirmed
  EXPECT_EQ(homes().size(), 23U);
  deaf_.clear();
  pass(10);
  EXPECT_TRUE(homes().contains(exclusive_));
  EXPECT_EQ(homes().size(), 24U);
}

// It dies before it has confirmed: the exclusive camera goes elsewhere when the box must have stopped it, a
// lease's length after its own ended, and not before.
TEST_F(FleetPlannerOfABoxTakenOut, TheExclusiveCameraIsGivenAwayAfterItsLeaseWhenItDies) {
  pass(30);
  EXPECT_FALSE(homes().contains(exclusive_));  // it holds its lease and has not confirmed
  view_.alive.erase(BoxId("box001"));
  pass(5);
  view_.alive[BoxId("box001")] = kUsualLease;  // it was only slow
  pass(12);
  EXPECT_FALSE(homes().contains(exclusive_));
  view_.alive.erase(BoxId("box001"));
  pass(18);
  EXPECT_FALSE(homes().contains(exclusive_));
  pass(6);
  EXPECT_TRUE(homes().contains(exclusive_));
  EXPECT_FALSE(on("box001").contains(exclusive_));
  EXPECT_TRUE(view_.plan.document.released.empty());
}

// A box that may be on a longer lease is taken for one that is, until it is seen not to be.
TEST_F(FleetPlanner, AShorterLeaseCountsOnceTheBoxIsSeenToHoldIt) {
  fleet(3, 9);
  view_.problem.policy.lease = Seconds(30.0);
  pass(40);
  view_.problem.policy.lease = Seconds(5.0);
  ++view_.problem_version;
  deaf_ = {BoxId("box000")};
  for (auto& [box, lease] : view_.alive) lease = seconds(30);
  pass(10);
  const auto longest = [&](const char* box) { return view_.assigned.at(BoxId(box)).document.longest_lease; };
  for (const auto& [box, held] : view_.assigned) EXPECT_EQ(held.document.lease, seconds(5));
  EXPECT_EQ(longest("box001"), seconds(30));
  for (auto& [box, lease] : view_.alive) lease = seconds(5);
  view_.alive[BoxId("box002")] = kUsualLease;  // an older box, which knows no other
  pass(10);
  EXPECT_EQ(longest("box000"), seconds(30));  // it has not confirmed
  EXPECT_EQ(longest("box001"), seconds(5));
  EXPECT_EQ(longest("box002"), seconds(30));
  deaf_.clear();
  pass(10);
  EXPECT_EQ(longest("box000"), seconds(5));
  const std::int64_t written = view_.plan.revision;
  pass(400);
  EXPECT_EQ(view_.plan.revision, written);
}

TEST_F(FleetPlanner, AnExclusiveCameraWaitsForTheLongestLeaseThatItsBoxMayHold) {
  fleet(3, 9);
  for (Camera& camera : view_.problem.cameras) camera.exclusive = true;
  view_.problem.policy.lease = Seconds(30.0);
  pass(40);
  const std::set<std::string> orphans = on("box001");
  ASSERT_FALSE(orphans.empty());
  view_.problem.policy.lease = Seconds(5.0);
  ++view_.problem_version;
  deaf_ = {BoxId("box001")};
  pass(4);
  const TimePoint gone = now_;
  view_.alive.erase(BoxId("box001"));
  while (now_ < gone + seconds(30)) {
    for (const auto& [camera, home] : homes()) {
      EXPECT_FALSE(orphans.contains(camera) && home != "box001") << camera;
    }
    pass(1);
  }
  pass(60);
  EXPECT_EQ(homes().size(), 9U);
  EXPECT_TRUE(on("box001").empty());
}

TEST_F(FleetPlanner, TheBackupBoxStandsByForACameraThatAsksForItAndTakesItOver) {
  fleet(4, 24);
  for (std::size_t i = 0; i < 24; i += 2) view_.problem.cameras[i].where.standby = true;
  view_.problem.cameras[2].exclusive = true;  // refused by validate(); here it has none all the same
  pass(80);
  const auto before = standbys();
  EXPECT_EQ(before.size(), 11U);
  for (const auto& [camera, box] : before) EXPECT_NE(homes().at(camera), box) << camera;
  const std::int64_t written = view_.plan.revision;
  pass(400);
  EXPECT_EQ(view_.plan.revision, written);  // and then nothing is written

  const std::set<std::string> orphans = on("box001");
  view_.alive.erase(BoxId("box001"));
  pass(30);
  int taken_over = 0;
  for (const std::string& camera : orphans) {
    const auto box = before.find(camera);
    if (box == before.end()) continue;
    ++taken_over;
    EXPECT_EQ(homes().at(camera), box->second) << camera;
  }
  EXPECT_GT(taken_over, 0);
  pass(300);  // the others have another backup box now
  for (const auto& [camera, box] : standbys()) {
    EXPECT_NE(homes().at(camera), box) << camera;
    EXPECT_NE(box, "box001");
  }
  for (Camera& camera : view_.problem.cameras) camera.where.standby = false;
  ++view_.problem_version;
  pass(10);
  EXPECT_TRUE(standbys().empty());
}

// A plan that is made before the box is known to be lost has another backup box, where nothing is loaded yet.
TEST_F(FleetPlanner, TheBoxThatStandsByDoesNotChangeOnceTheOtherIsSilent) {
  fleet(4, 24);
  for (Camera& camera : view_.problem.cameras) camera.where.standby = true;
  for (Box& box : view_.problem.boxes) box.limits.memory.reset();  // their time alone says how full they are
  pass(80);
  const std::map<std::string, std::string> before = standbys();
  const std::set<std::string> orphans = on("box001");
  ASSERT_FALSE(orphans.empty());
  const std::string& box = before.at(*orphans.begin());
  for (Camera& camera : view_.problem.cameras) {
    if (homes().at(camera.task.id.str()) == box) camera.task.demand = camera.task.demand * 1.2;
  }
  ++view_.problem_version;
  view_.alive.erase(BoxId("box001"));
  pass(3);
  ASSERT_EQ(planner_.judge().health(BoxId("box001")), BoxHealth::silent);
  const std::map<std::string, std::string> then = standbys();
  for (const std::string& camera : orphans) EXPECT_EQ(then.at(camera), before.at(camera)) << camera;
  pass(30);
  for (const std::string& camera : orphans) EXPECT_EQ(homes().at(camera), before.at(camera)) << camera;
}

TEST_F(FleetPlanner, ABackupBoxThatIsLostAndReturnsBeforeThereIsAnotherForecastStandsByAgain) {
  fleet(4, 24);
  for (Camera& camera : view_.problem.cameras) camera.where.standby = true;
  pass(80);
  const std::map<std::string, std::string> before = standbys();
  const auto forecast = planner_.figures().forecast;
  const auto on_it = [&] {
    std::set<std::string> cameras;
    for (const auto& [camera, box] : standbys()) {
      if (box == "box001" && before.at(camera) == box) cameras.insert(camera);
    }
    return cameras;
  };
  const std::set<std::string> its = on_it();
  ASSERT_FALSE(its.empty());
  view_.alive.erase(BoxId("box001"));
  for (int left = 10; left > 0 && !on_it().empty(); --left) pass(1);
  EXPECT_EQ(planner_.judge().health(BoxId("box001")), BoxHealth::lost);
  EXPECT_TRUE(on_it().empty());
  pass(2);  // and that is found to be right
  view_.alive[BoxId("box001")] = kUsualLease;
  for (int left = 3; left > 0 && on_it() != its; --left) pass(1);
  EXPECT_EQ(on_it(), its);
  EXPECT_EQ(planner_.figures().forecast, forecast);
}

TEST_F(FleetPlanner, ABoxThatDoesNotUnderstandItStandsByForNothing) {
  fleet(4, 24);
  for (Camera& camera : view_.problem.cameras) camera.where.standby = true;
  view_.problem.boxes[2].features.erase(kStandbyFeature);
  pass(80);
  std::map<std::string, int> cameras;
  for (const auto& [camera, box] : standbys()) ++cameras[box];
  EXPECT_EQ(cameras.count("box002"), 0U);
  EXPECT_EQ(cameras.size(), 3U);
}

TEST_F(FleetPlanner, ACameraLeavesABoxThatDoesNotUnderstandItWhateverTheBudget) {
  fleet(4, 24);
  pass(40);
  const std::set<std::string> cameras = on("box001");
  ASSERT_GE(cameras.size(), 2U);
  view_.problem.boxes[1].features.erase(kMaxLatencyFeature);
  for (Camera& camera : view_.problem.cameras) {
    if (cameras.contains(camera.task.id.str())) camera.task.max_latency = Seconds(10.0);
  }
  ++view_.problem_version;
  pass(80);
  for (const std::string& camera : cameras) EXPECT_NE(homes().at(camera), "box001") << camera;
  EXPECT_EQ(homes().size(), 24U);
}

TEST_F(FleetPlanner, ACameraLeavesABoxThatHasNoVariantForItAnyMoreWhateverTheBudget) {
  fleet(4, 24);
  view_.problem.policy.moves_per_hour = 0.0;
  pass(40);
  const std::set<std::string> cameras = on("box001");
  ASSERT_GE(cameras.size(), 2U);
  view_.problem.boxes[1].profiles.clear();
  ++view_.problem_version;
  pass(80);
  EXPECT_TRUE(on("box001").empty());
  EXPECT_EQ(homes().size(), 24U);
}

TEST_F(FleetPlanner, ANewLeaderKeepsTheStandbyCamerasWhereTheyAre) {
  fleet(4, 24);
  for (Camera& camera : view_.problem.cameras) camera.where.standby = true;
  pass(80);
  const auto before = view_.assigned;
  Planner other{PlannerSettings{}};
  for (int i = 0; i < 2; ++i) {  // before its first round
    if (const auto write = other.step(view_, 8, now_)) apply(*write);
  }
  for (const auto& [box, held] : view_.assigned) {
    EXPECT_EQ(held.document.standby, before.at(box).document.standby) << box.str();
  }
}

// A detached box keeps what it serves. What it was assigned when it could no longer read it, nobody would
// serve.
TEST_F(FleetPlanner, ACameraThatADetachedBoxNeverHeardOfIsServedElsewhere) {
  fleet(4, 24);
  pass(80);
  const std::set<std::string> served = on("box002");
  deaf_ = {BoxId("box002")};
  view_.alive.erase(BoxId("box001"));
  pass(30);  // its lease is not over yet: it is given cameras of the lost box
  std::set<std::string> unheard;
  for (const std::string& camera : on("box002")) {
    if (!served.contains(camera)) unheard.insert(camera);
  }
  ASSERT_FALSE(unheard.empty());

  view_.alive.erase(BoxId("box002"));
  answers_ = {BoxId("box002")};
  pass(60);
  EXPECT_EQ(on("box002"), served);
  EXPECT_EQ(homes().size(), 24U);
  const std::int64_t written = view_.plan.revision;
  pass(400);
  EXPECT_EQ(view_.plan.revision, written);
}

// Its lease was revoked early, and it will have another at once. Exclusive cameras of a box that is cut off
// are released.
TEST_F(FleetPlanner, ABoxThatReachesTheStoreKeepsItsExclusiveCamerasUntilItHasALeaseAgain) {
  for (const bool returns : {true, false}) {
    planner_ = Planner{PlannerSettings{}};
    view_ = {};
    fleet(3, 9);
    for (Camera& camera : view_.problem.cameras) camera.exclusive = true;
    pass(40);
    const auto before = homes();
    ASSERT_FALSE(on("box001").empty());
    const Held<AssignDocument> assigned = view_.assigned.at(BoxId("box001"));
    answers_ = {BoxId("box001")};
    reached_ = {{BoxId("box001"), returns ? seconds(3) : seconds(7)}};
    view_.alive.erase(BoxId("box001"));
    pass(10);  // 5 s
    EXPECT_EQ(view_.plan.document.released.empty(), returns);
    if (!returns) continue;
    view_.alive[BoxId("box001")] = kUsualLease;
    pass(60);
    EXPECT_EQ(homes(), before);
    EXPECT_EQ(view_.assigned.at(BoxId("box001")).revision, assigned.revision);
    view_.alive.erase(BoxId("box001"));
    pass(30);  // it says that it reaches the store, and has none
    EXPECT_TRUE(on("box001").empty());
  }
}

// Budgets are of the fleet, not of the planner that leads it.
TEST_F(FleetPlanner, ALeaderThatFollowsAnotherHasNoMovesToSpendAtOnce) {
  fleet(4, 24);
  for (Box& box : view_.problem.boxes) box.limits.memory.reset();  // one holds all
  view_.plan = {{6, 5, 24, 1, {}}, ++revision_};
  AssignDocument all{6, 5, {}};
  for (const Camera& camera : view_.problem.cameras) {
    const auto epoch = static_cast<std::int64_t>(all.cameras.size()) + 1;
    all.cameras.push_back({camera.task.id, epoch, Role::serve, false, "task", Cause::placed});
  }
  view_.assigned[BoxId("box000")] = {all, ++revision_};
  pass(240);  // two minutes
  EXPECT_EQ(on("box000").size(), 24U);
  pass(7'400);  // and some more than an hour: one move is earned, and done although nothing else has changed
  EXPECT_EQ(on("box000").size(), 23U);
  EXPECT_EQ(homes().size(), 24U);
}

// Nothing is wrong anywhere, one box is just fuller than it need be.
TEST_F(FleetPlanner, ABudgetThatIsEarnedIsSpentThoughNothingElseHasChanged) {
  fleet(4, 24);
  view_.problem.policy.moving_cost = 0.001;
  view_.plan = {{6, 5, 24, 1, {}}, ++revision_};
  AssignDocument full{6, 5, {}};
  AssignDocument rest{6, 5, {}};
  for (const Camera& camera : view_.problem.cameras) {
    const auto epoch = static_cast<std::int64_t>(full.cameras.size() + rest.cameras.size()) + 1;
    AssignDocument& document = epoch <= 16 ? full : rest;
    document.cameras.push_back({camera.task.id, epoch, Role::serve, false, "task", Cause::placed});
  }
  view_.assigned[BoxId("box000")] = {full, ++revision_};
  view_.assigned[BoxId("box001")] = {rest, ++revision_};
  pass(240);
  EXPECT_EQ(on("box000").size(), 16U);
  pass(7'400);
  EXPECT_EQ(on("box000").size(), 15U);
}

// It takes all of them for lost at the same time as the one that is.
TEST_F(FleetPlanner, BoxesThatHaveLongBeenGoneDoNotKeepALeaderFromServingALostOnesCameras) {
  fleet(8, 24);
  for (Box& box : view_.problem.boxes) box.limits.memory.reset();
  pass(80);
  for (const char* box : {"box000", "box001", "box002", "box003"}) {
    view_.alive.erase(BoxId(box));
    pass(160);
    ASSERT_TRUE(on(box).empty()) << box;
  }
  ASSERT_FALSE(on("box004").empty());
  planner_ = Planner(PlannerSettings{});
  view_.alive.erase(BoxId("box004"));
  pass(80);
  EXPECT_TRUE(on("box004").empty());
  EXPECT_EQ(homes().size(), 24U);
}

}  // namespace
}  // namespace saccade::fleet
