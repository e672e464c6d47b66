// How long moves and failovers take: what begins one, what ends it, and what has no time.
#include "fleet/control/move_times.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/fleet/control/planner_fixture.hpp"

namespace saccade::fleet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const TaskId kGate("gate");

class FleetMoveTimes : public testing::Test {
 protected:
  // The camera is on this box, with what the box says of it.
  void put(const std::string& box, std::int64_t epoch, std::optional<CameraStatus> status,
           Role role = Role::serve) {
    AssignDocument& document = view_.assigned[BoxId(box)].document;
    document.cameras = {{kGate, epoch, role, false, "task"}};
    StateDocument& state = view_.states[BoxId(box)].document;
    state.cameras.clear();
    if (status) state.cameras.push_back({kGate, epoch, *status, ""});
  }
  void remove(const std::string& box) { view_.assigned.erase(BoxId(box)); }
  EndedMoves after(Duration time) {
    now_ += time;
    move_times_.follow(
        view_, whereabouts(view_.assigned), [this](const TaskId&) { return demanded_; }, now_);
    return move_times_.take();
  }

  FleetView view_;
  MoveTimes move_times_;
  TimePoint now_{seconds(100)};
  bool demanded_ = true;
};

TEST_F(FleetMoveTimes, AMoveEndsWhenTheNewBoxServesAlone) {
  put("a", 1, CameraStatus::serving);
  move_times_.begin_move(kGate, BoxId("a"), now_);
  put("b", 2, std::nullopt, Role::take_over);
  EXPECT_TRUE(after(seconds(1)).moves.empty());
  put("b", 2, CameraStatus::serving, Role::take_over);
  EXPECT_TRUE(after(seconds(1)).moves.empty());
  put("b", 2, CameraStatus::serving);
  remove("a");
  EXPECT_EQ(after(milliseconds(500)).moves, std::vector<Duration>{milliseconds(2500)});
  EXPECT_TRUE(after(seconds(1)).moves.empty());
}

TEST_F(FleetMoveTimes, AMoveThatIsWithdrawnHasNoTime) {
  put("a", 1, CameraStatus::serving);
  move_times_.begin_move(kGate, BoxId("a"), now_);
  put("b", 2, std::nullopt, Role::take_over);
  EXPECT_TRUE(after(seconds(15)).moves.empty());
  remove("b");
  EXPECT_TRUE(after(seconds(1)).moves.empty());
  put("b", 3, CameraStatus::serving);  // later, and not by that move
  remove("a");
  EXPECT_TRUE(after(seconds(1)).moves.empty());
}

TEST_F(FleetMoveTimes, AFailoverLastsUntilAnyOtherBoxServes) {
  move_times_.begin_failover(kGate, BoxId("a"), now_);
  put("b", 2, CameraStatus::starting);
  EXPECT_TRUE(after(seconds(12)).failovers.empty());
  remove("b");  // lost as well
  move_times_.begin_failover(kGate, BoxId("b"), now_);
  EXPECT_TRUE(after(seconds(1)).failovers.empty());
  put("c", 3, CameraStatus::serving);
  EXPECT_EQ(after(seconds(1)).failovers, std::vector<Duration>{seconds(14)});
}

TEST_F(FleetMoveTimes, AMoveWhoseBoxIsLostIsAFailover) {
  put("a", 1, CameraStatus::serving);
  move_times_.begin_move(kGate, BoxId("a"), now_);
  put("b", 2, std::nullopt, Role::take_over);
  EXPECT_TRUE(after(seconds(2)).moves.empty());
  move_times_.begin_failover(kGate, BoxId("a"), now_);
  remove("a");
  put("b", 2, CameraStatus::serving);
  const EndedMoves ended = after(seconds(3));
  EXPECT_TRUE(ended.moves.empty());
  EXPECT_EQ(ended.failovers, std::vector<Duration>{seconds(3)});
}

TEST_F(FleetMoveTimes, ACameraThatIsNoLongerDemandedHasNoTime) {
  move_times_.begin_failover(kGate, BoxId("a"), now_);
  demanded_ = false;
  EXPECT_TRUE(after(seconds(1)).failovers.empty());
  demanded_ = true;
  put("b", 2, CameraStatus::serving);
  EXPECT_TRUE(after(seconds(1)).failovers.empty());
}

TEST_F(FleetPlanner, FailoversAreTimedFromTheEndOfTheLease) {
  fleet(4, 24);
  pass(40);
  const std::set<std::string> orphans = on("box001");
  ASSERT_FALSE(orphans.empty());
  EXPECT_TRUE(planner_.take_times().ended.failovers.empty());
  view_.alive.erase(BoxId("box001"));
  const TimePoint gone = now_ + milliseconds(500);  // seen by the next step
  std::size_t ended = 0;
  for (int step = 0; step < 60; ++step) {
    pass(1);
    for (const Duration time : planner_.take_times().ended.failovers) {
      EXPECT_EQ(time, now_ - gone);
      ++ended;
    }
  }
  EXPECT_EQ(ended, orphans.size());
}

TEST_F(FleetPlanner, MovesAreTimedAndPlansWhereThereIsAClock) {
  fleet(4, 24);
  pass(40);
  EXPECT_TRUE(planner_.take_times().plans.empty());
  PlannerSettings settings;
  TimePoint time{};
  settings.clock = [&] { return time += std::chrono::microseconds(1); };
  planner_ = Planner(settings);
  view_.problem.boxes[2].state = BoxState::draining;
  ++view_.problem_version;
  const std::size_t moving = on("box002").size();
  pass(200);
  const PlannerTimes times = planner_.take_times();
  EXPECT_EQ(times.ended.moves.size(), moving);
  for (const Duration took : times.ended.moves) EXPECT_LE(took, seconds(2));
  ASSERT_FALSE(times.plans.empty());
  for (const Duration took : times.plans) EXPECT_GE(took, std::chrono::microseconds(1));
  EXPECT_EQ(static_cast<std::int64_t>(times.plans.size()), planner_.figures().rounds);
}

}  // namespace
}  // namespace saccade::fleet
