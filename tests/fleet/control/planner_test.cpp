// The planner on a store that is a variable: what it writes is what is there, at once or not at all.
#include "fleet/control/planner.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/fleet/fleets.hpp"

namespace saccade::fleet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FleetPlanner : public testing::Test {
 protected:
  void fleet(std::size_t boxes, std::size_t cameras) {
    test::FleetShape shape;
    shape.boxes = boxes;
    shape.cameras = cameras;
    shape.load = 0.4;
    shape.kinds = 1;
    view_.problem = test::RandomFleet(3, shape).next();
    view_.problem_version = 1;
    view_.store_term = 1;
    for (const Box& box : view_.problem.boxes) view_.alive[box.id] = kUsualLease;
    for (const Camera& camera : view_.problem.cameras) view_.tasks[camera.task.id] = "task";
  }
  // Boxes that are alive and obey serve what they are assigned, two steps later.
  void pass(int steps) {
    for (int i = 0; i < steps; ++i) {
      now_ += milliseconds(500);
      const std::optional<Write> write = planner_.step(view_, 7, now_);
      if (write) apply(*write);
      for (const BoxId& box : planner_.judge().take_probes()) {
        planner_.judge().probed(box, answers_.contains(box), now_);
      }
      if (i % 2 == 0) obey();
    }
  }
  void apply(const Write& write) {
    ++revision_;
    for (const auto& [box, document] : write.assigned) view_.assigned[box] = {document, revision_};
    view_.plan = {write.plan, revision_};
  }
  void obey() {
    for (const auto& [box, held] : view_.assigned) {
      if (!view_.alive.contains(box) || deaf_.contains(box)) continue;
      StateDocument state{held.revision, {}};
      for (const AssignedCamera& camera : held.document.cameras) {
        state.cameras.push_back({camera.id, camera.epoch, CameraStatus::serving, ""});
      }
      view_.states[box] = {state, ++revision_};
    }
  }
  [[nodiscard]] std::map<std::string, std::string> homes() const {
    std::map<std::string, std::string> homes;
    for (const auto& [id, camera] : whereabouts(view_.assigned).cameras) {
      if (camera.serve) homes[id.str()] = camera.serve->box.str();
    }
    return homes;
  }
  [[nodiscard]] std::set<std::string> on(const std::string& box) const {
    std::set<std::string> cameras;
    for (const auto& [camera, home] : homes()) {
      if (home == box) cameras.insert(camera);
    }
    return cameras;
  }

  FleetView view_;
  Planner planner_{PlannerSettings{}};
  TimePoint now_{};
  std::int64_t revision_ = 0;
  std::set<BoxId> answers_;
  std::set<BoxId> deaf_;
};

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
  const auto standby = [&] {
    std::map<std::string, std::string> boxes;
    for (const auto& [box, held] : view_.assigned) {
      for (const StandbyCamera& each : held.document.standby) {
        EXPECT_TRUE(boxes.emplace(each.id.str(), box.str()).second) << each.id.str() << " has two";
        EXPECT_EQ(each.task, "task");
      }
    }
    return boxes;
  };
  const auto before = standby();
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
  for (const auto& [camera, box] : standby()) {
    EXPECT_NE(homes().at(camera), box) << camera;
    EXPECT_NE(box, "box001");
  }
  for (Camera& camera : view_.problem.cameras) camera.where.standby = false;
  ++view_.problem_version;
  pass(10);
  EXPECT_TRUE(standby().empty());
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
