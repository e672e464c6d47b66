// The planner: where cameras go, and when.
#include "fleet/control/planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tests/fleet/control/planner_fixture.hpp"

namespace saccade::fleet {
namespace {

using std::chrono::seconds;

TEST_F(FleetPlanner, EveryCameraGetsABoxAndThenNothingIsWritten) {
  fleet(4, 24);
  pass(40);
  EXPECT_EQ(homes().size(), 24U);
  const std::int64_t written = view_.plan.revision;
  pass(400);
  EXPECT_EQ(view_.plan.revision, written);
}

TEST_F(FleetPlanner, APinMovesACameraWhateverTheBudgetAndTheOthersStay) {
  fleet(4, 24);
  pass(40);
  const auto before = homes();
  std::map<std::string, std::string> wanted;
  for (const auto& [camera, home] : before) {
    if (wanted.size() == 6) break;
    const std::string to = home == "box001" ? "box002" : "box001";
    view_.pins[TaskId(camera)] = BoxId(to);
    wanted[camera] = to;
  }
  ++view_.problem_version;
  pass(200);
  for (const auto& [camera, home] : homes()) {
    const auto pin = wanted.find(camera);
    if (pin == wanted.end()) continue;
    EXPECT_EQ(home, pin->second) << camera;
    for (const AssignedCamera& each : view_.assigned.at(BoxId(home)).document.cameras) {
      EXPECT_TRUE(each.id.str() != camera || each.cause == Cause::order) << camera;
    }
  }
  EXPECT_EQ(homes().size(), 24U);
}

TEST_F(FleetPlanner, APinHoldsNoCameraOnABoxThatIsLostOrToBeEmptied) {
  fleet(4, 24);
  pass(40);
  const std::string camera = *on("box001").begin();
  view_.pins[TaskId(camera)] = BoxId("box001");
  ++view_.problem_version;
  pass(20);
  EXPECT_EQ(homes().at(camera), "box001");
  view_.alive.erase(BoxId("box001"));
  pass(40);
  EXPECT_NE(homes().at(camera), "box001");
  view_.alive[BoxId("box001")] = kUsualLease;
  pass(200);
  EXPECT_EQ(homes().at(camera), "box001");  // the order still stands
  for (Box& box : view_.problem.boxes) {
    if (box.id == BoxId("box001")) box.state = BoxState::draining;
  }
  ++view_.problem_version;
  pass(200);
  EXPECT_TRUE(on("box001").empty());
}

TEST_F(FleetPlanner, AForecastSaysWhatIsExpected) {
  fleet(4, 24);
  pass(40);
  const auto forecast = planner_.figures().forecast;
  ASSERT_TRUE(forecast);
  EXPECT_EQ(forecast->demanded, 24U);
  EXPECT_EQ(forecast->cameras.size(), 24U);
  EXPECT_GT(forecast->accuracy, 0.0);
  EXPECT_LE(forecast->accuracy, 1.0);
  EXPECT_LE(forecast->survived, forecast->boxes.size());
  for (const auto& [box, of_box] : forecast->boxes) EXPECT_LE(of_box.time, 1.0 + 1e-9) << box.str();
}

// A drain is held up by how many cameras may arrive at a box at once.
TEST_F(FleetPlanner, APlanThatIsHeldUpIsFollowedAndNotMadeAnew) {
  fleet(4, 40);
  pass(80);
  const std::int64_t rounds = planner_.figures().rounds;
  const std::size_t cameras = on("box001").size();
  ASSERT_GE(cameras, 8U);
  view_.problem.boxes[1].state = BoxState::draining;
  ++view_.problem_version;
  pass(80);
  EXPECT_TRUE(on("box001").empty());
  EXPECT_EQ(homes().size(), 40U);
  EXPECT_EQ(planner_.figures().moves, static_cast<std::int64_t>(cameras));
  EXPECT_LE(planner_.figures().rounds, rounds + 2);  // and one that finds nothing left to do
}

TEST_F(FleetPlanner, APlanThatIsHeldUpEndsWhenTheConfigurationChanges) {
  fleet(4, 40);
  pass(80);
  const std::set<std::string> cameras = on("box001");
  view_.problem.boxes[1].state = BoxState::draining;
  ++view_.problem_version;
  pass(4);
  const std::set<std::string> left = on("box001");
  ASSERT_GE(left.size(), 2U);
  view_.problem.boxes[1].state = BoxState::active;
  ++view_.problem_version;
  pass(200);
  for (const std::string& camera : left) EXPECT_EQ(homes().at(camera), "box001") << camera;
}

// Cameras that a lost box left to the others, which serve them at less than they demand, or not at all, go
// back to it at once: one move an hour is all that this fleet may make for what would only be more accurate.
// That is so even if a write has room for one box.
class FleetPlannerOfABoxThatIsBack : public FleetPlanner {
 protected:
  [[nodiscard]] Losses losses() const {
    Problem now = view_.problem;
    const auto at = homes();
    for (Camera& camera : now.cameras) {
      const auto home = at.find(camera.task.id.str());
      if (home != at.end()) camera.serving = BoxId(home->second);
    }
    return plan_kept(Model(now), {}).losses;
  }
  void lose_and_return() {
    pass(200);
    ASSERT_TRUE(loses_nothing(losses()));
    view_.alive.erase(BoxId("box001"));
    pass(80);
    ASSERT_TRUE(on("box001").empty());
    ASSERT_FALSE(loses_nothing(losses()));
    view_.alive[BoxId("box001")] = kUsualLease;
    pass(120);
    EXPECT_TRUE(loses_nothing(losses()));
    for (const AssignedCamera& each : view_.assigned.at(BoxId("box001")).document.cameras)
      ++moved_[each.cause];
    EXPECT_GE(moved_[Cause::unserved], 2);
    EXPECT_LE(moved_[Cause::improvement], 1);
    EXPECT_EQ(moved_.size(), 2U);
  }
  std::map<Cause, int> moved_;
};

TEST_F(FleetPlannerOfABoxThatIsBack, CamerasGetTheRatesThatTheyDemand) {
  PlannerSettings settings;
  settings.most_documents = 1;
  planner_ = Planner(settings);
  fleet(4, 40, 3.5);
  for (Box& box : view_.problem.boxes) box.limits.memory.reset();
  lose_and_return();
}

// The one of the higher class took the place of the other, which stays where it is and is not served.
TEST_F(FleetPlannerOfABoxThatIsBack, ACameraThatWasOffIsServed) {
  fleet(2, 2);
  view_.problem.policy.moves_per_hour = 0.0;
  for (Box& box : view_.problem.boxes) box.limits.memory.reset();
  for (Camera& camera : view_.problem.cameras) {
    const profiles::ProfileSet& set = *view_.problem.boxes[0].profiles.at(camera.network);
    Seconds least = set.variants.front().frame_time.begin()->second;
    for (const profiles::Variant& each : set.variants)
      least = std::min(least, each.frame_time.begin()->second);
    camera.task.demand = camera.task.min_fps = Fps(0.6 / least.value());
  }
  pass(40);
  ASSERT_EQ(on("box000").size(), 1U);
  ASSERT_EQ(on("box001").size(), 1U);
  const std::string less = *on("box000").begin();
  for (Camera& camera : view_.problem.cameras) camera.task.priority = camera.task.id.str() == less ? 0 : 1;
  ++view_.problem_version;
  pass(20);
  view_.alive.erase(BoxId("box001"));
  pass(80);
  ASSERT_EQ(on("box000").size(), 2U);
  view_.alive[BoxId("box001")] = kUsualLease;
  pass(80);
  EXPECT_EQ(on("box000").size(), 1U);
  EXPECT_EQ(view_.assigned.at(BoxId("box001")).document.cameras.at(0).cause, Cause::unserved);
  EXPECT_TRUE(loses_nothing(losses()));
}

TEST_F(FleetPlannerOfABoxThatIsBack, NothingElseMovesForThat) {
  fleet(4, 40, 3.5);
  for (Box& box : view_.problem.boxes) box.limits.memory.reset();
  view_.problem.policy.moves_per_hour = 0.0;
  pass(200);
  view_.alive.erase(BoxId("box001"));
  pass(80);
  const Losses lost = losses();
  ASSERT_FALSE(loses_nothing(lost));
  const auto before = homes();
  view_.alive[BoxId("box001")] = kUsualLease;
  pass(120);
  ASSERT_TRUE(loses_nothing(losses()));
  // Each of them is needed: put back alone, it costs demand.
  const auto after = homes();
  int moved = 0;
  for (const auto& [camera, home] : after) {
    if (before.at(camera) == home) continue;
    ++moved;
    Problem back = view_.problem;
    for (Camera& each : back.cameras) {
      const std::string& id = each.task.id.str();
      each.serving = BoxId(id == camera ? before.at(id) : after.at(id));
    }
    EXPECT_FALSE(loses_nothing(plan_kept(Model(back), {}).losses)) << camera;
  }
  EXPECT_GE(moved, 2);
}

TEST_F(FleetPlanner, AnotherPlannerMovesNothing) {
  fleet(4, 24);
  pass(40);
  const auto before = homes();
  planner_ = Planner(PlannerSettings{});
  pass(400);
  EXPECT_EQ(homes(), before);
}

TEST_F(FleetPlanner, OnlyTheCamerasOfALostBoxMove) {
  fleet(4, 24);
  pass(40);
  const auto before = homes();
  const std::set<std::string> orphans = on("box001");
  ASSERT_FALSE(orphans.empty());
  view_.alive.erase(BoxId("box001"));
  pass(30);
  EXPECT_TRUE(on("box001").empty());
  for (const auto& [camera, home] : before) {
    if (orphans.contains(camera)) continue;
    EXPECT_EQ(homes().at(camera), home) << camera;
  }
  EXPECT_EQ(homes().size(), 24U);
}

TEST_F(FleetPlanner, TheBrakeHoldsAllButTheExemptClasses) {
  fleet(6, 24);
  for (Box& box : view_.problem.boxes) box.limits.memory.reset();  // two hold all, if need be
  for (std::size_t i = 0; i < 24; i += 3) view_.problem.cameras[i].task.priority = 5;
  for (std::size_t i = 0; i < 24; i += 6) view_.problem.cameras[i].exclusive = true;
  view_.problem.policy.brake_exempt_priority = 5;
  pass(80);
  ASSERT_EQ(homes().size(), 24U);
  const auto before = homes();
  const std::set<std::string> lost = {"box000", "box001", "box002", "box003"};
  for (const std::string& box : lost) view_.alive.erase(BoxId(box));
  pass(60);
  std::size_t moved = 0;
  for (const Camera& camera : view_.problem.cameras) {
    const std::string& id = camera.task.id.str();
    const bool moves = lost.contains(before.at(id)) && camera.task.priority == 5;
    moved += moves ? 1 : 0;
    EXPECT_EQ(homes().at(id) != before.at(id), moves) << id;
    EXPECT_FALSE(moves && lost.contains(homes().at(id))) << id;
  }
  EXPECT_GT(moved, 0U);
  view_.problem.policy.brake_exempt_priority.reset();
  planner_.judge().release();
  pass(60);
  for (const auto& [camera, home] : homes()) EXPECT_FALSE(lost.contains(home)) << camera;
}

TEST_F(FleetPlanner, ThePolicySaysHowLongAHandoverMayTake) {
  fleet(3, 12);
  view_.problem.policy.handover = Seconds(60.0);
  pass(40);
  view_.problem.boxes[2].state = BoxState::draining;
  ++view_.problem_version;
  deaf_ = {BoxId("box000"), BoxId("box001")};
  pass(100);  // 50 s
  EXPECT_EQ(planner_.figures().withdrawn, 0);
  pass(100);
  EXPECT_GT(planner_.figures().withdrawn, 0);
}

TEST_F(FleetPlanner, ADetachedBoxKeepsItsCameras) {
  fleet(4, 24);
  pass(40);
  const auto before = homes();
  answers_.insert(BoxId("box001"));
  view_.alive.erase(BoxId("box001"));
  pass(400);
  EXPECT_EQ(homes(), before);
}

TEST_F(FleetPlanner, ADrainIsMadeBeforeItBreaks) {
  fleet(4, 24);
  pass(40);
  const std::set<std::string> to_move = on("box002");
  view_.problem.boxes[2].state = BoxState::draining;
  ++view_.problem_version;
  std::map<std::string, std::string> known = homes();
  for (int i = 0; i < 200; ++i) {
    std::set<std::pair<std::string, std::string>> serving;  // camera and box
    for (const auto& [box, held] : view_.states) {
      for (const CameraState& state : held.document.cameras) serving.emplace(state.id.str(), box.str());
    }
    pass(1);
    for (const auto& [camera, home] : homes()) {
      if (known.at(camera) == home) continue;
      EXPECT_TRUE(serving.contains({camera, home})) << camera << " is not served there yet";
    }
    known = homes();
  }
  EXPECT_TRUE(on("box002").empty());
  EXPECT_EQ(homes().size(), 24U);
  EXPECT_GE(planner_.figures().moves, static_cast<std::int64_t>(to_move.size()));
}

TEST_F(FleetPlanner, AHandoverThatIsNotTakenIsWithdrawn) {
  fleet(3, 12);
  pass(40);
  const std::set<std::string> stay = on("box002");
  view_.problem.boxes[2].state = BoxState::draining;
  ++view_.problem_version;
  deaf_ = {BoxId("box000"), BoxId("box001")};
  pass(200);
  EXPECT_EQ(on("box002"), stay);
  EXPECT_GT(planner_.figures().withdrawn, 0);
  for (const auto& [id, camera] : whereabouts(view_.assigned).cameras) EXPECT_TRUE(camera.serve) << id.str();
}

TEST_F(FleetPlanner, AnExclusiveCameraIsReleasedFirstAndGivenAwayWhenConfirmed) {
  fleet(3, 9);
  for (Camera& camera : view_.problem.cameras) camera.exclusive = true;
  pass(40);
  const std::set<std::string> moving = on("box001");
  ASSERT_FALSE(moving.empty());
  view_.problem.boxes[1].state = BoxState::draining;
  ++view_.problem_version;
  deaf_ = {BoxId("box001")};
  pass(60);
  EXPECT_FALSE(view_.plan.document.released.empty());
  for (const Released& each : view_.plan.document.released) {
    EXPECT_FALSE(homes().contains(each.camera.str()));  // on no box: the old one has not confirmed
  }
  deaf_.clear();
  pass(60);
  EXPECT_TRUE(on("box001").empty());
  EXPECT_EQ(homes().size(), 9U);
  const Whereabouts where = whereabouts(view_.assigned);
  for (const std::string& camera : moving) {
    EXPECT_EQ(where.cameras.at(TaskId(camera)).serve->cause, Cause::drain) << camera;
  }
}

TEST_F(FleetPlanner, AnExclusiveCameraOfALostBoxWaitsForTheWholeLease) {
  fleet(3, 9);
  for (Camera& camera : view_.problem.cameras) camera.exclusive = true;
  pass(40);
  const std::set<std::string> orphans = on("box001");
  ASSERT_FALSE(orphans.empty());
  const TimePoint gone = now_;
  view_.alive.erase(BoxId("box001"));
  while (now_ < gone + seconds(10)) {
    pass(1);
    if (now_ >= gone + seconds(10)) break;
    for (const auto& [camera, home] : homes()) {
      EXPECT_EQ(orphans.contains(camera) && home != "box001", false) << camera;
    }
  }
  pass(60);
  EXPECT_EQ(homes().size(), 9U);
  EXPECT_TRUE(on("box001").empty());
}

TEST_F(FleetPlanner, EpochsAreUsedOnceAndATaskThatChangesKeepsItsBox) {
  fleet(4, 12);
  pass(40);
  const auto before = homes();
  std::set<std::int64_t> epochs;
  for (const auto& [box, held] : view_.assigned) {
    for (const AssignedCamera& camera : held.document.cameras)
      EXPECT_TRUE(epochs.insert(camera.epoch).second);
  }
  view_.tasks[view_.problem.cameras[0].task.id] = "another task";
  ++view_.problem_version;
  pass(10);
  EXPECT_EQ(homes(), before);
  bool found = false;
  for (const auto& [box, held] : view_.assigned) {
    for (const AssignedCamera& camera : held.document.cameras) found = found || camera.task == "another task";
  }
  EXPECT_TRUE(found);
  view_.problem.cameras.erase(view_.problem.cameras.begin());
  ++view_.problem_version;
  pass(10);
  EXPECT_EQ(homes().size(), 11U);
}

}  // namespace
}  // namespace saccade::fleet
