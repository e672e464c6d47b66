// What a box that lost a camera to another says of it: the planner names the box, the agent tells it for a
// while.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fleet/control/agent.hpp"
#include "tests/fleet/control/planner_fixture.hpp"

namespace saccade::fleet {
namespace {

using std::chrono::seconds;

class FleetMoved : public FleetPlanner {
 protected:
  // What the assignment of a box says of cameras that were there: each is where it says, with that epoch.
  void expect_told(const std::string& box, const std::set<std::string>& cameras) {
    std::set<std::string> told;
    const Whereabouts where = whereabouts(view_.assigned);
    for (const MovedCamera& each : view_.assigned.at(BoxId(box)).document.moved) {
      const Whereabouts::At& at = *where.cameras.at(each.id).serve;
      EXPECT_EQ(each.box, at.box) << each.id.str();
      EXPECT_EQ(each.epoch, at.epoch) << each.id.str();
      EXPECT_EQ(each.api, "http://" + at.box.str()) << each.id.str();
      told.insert(each.id.str());
    }
    EXPECT_EQ(told, cameras);
  }
  void start() {
    fleet(4, 24);
    for (const Box& box : view_.problem.boxes) view_.apis[box.id] = "http://" + box.id.str();
    view_.problem.policy.moves_per_hour = 0.0;
    pass(40);
  }
};

TEST_F(FleetMoved, ABoxThatWasDrainedSaysWhereItsCamerasAre) {
  start();
  const std::set<std::string> moving = on("box002");
  ASSERT_FALSE(moving.empty());
  view_.problem.boxes[2].state = BoxState::draining;
  ++view_.problem_version;
  pass(200);
  expect_told("box002", moving);
}

TEST_F(FleetMoved, SoDoesOneThatWasLostAndReturns) {
  start();
  const std::set<std::string> orphans = on("box001");
  ASSERT_FALSE(orphans.empty());
  view_.alive.erase(BoxId("box001"));
  pass(60);
  expect_told("box001", orphans);
}

TEST_F(FleetMoved, ACameraThatIsBackIsNotElsewhere) {
  start();
  const std::string camera = *on("box001").begin();
  for (const char* box : {"box002", "box001"}) {
    view_.pins[TaskId(camera)] = BoxId(box);
    ++view_.problem_version;
    pass(100);
    ASSERT_EQ(homes().at(camera), box);
  }
  expect_told("box001", {});
  expect_told("box002", {camera});
}

Held<AssignDocument> assigned(std::int64_t revision, std::vector<AssignedCamera> cameras,
                              std::vector<MovedCamera> moved) {
  Held<AssignDocument> held{{1, 1, std::move(cameras)}, revision};
  held.document.moved = std::move(moved);
  return held;
}

TEST(FleetAgentMoved, TellsForAMinuteWhereACameraIs) {
  const TaskId gate("gate");
  const MovedCamera moved{gate, 5, BoxId("b"), "http://b:8080"};
  const std::vector<MovedCamera> told{moved};
  TimePoint now{seconds(100)};
  Agent agent;
  agent.boot(std::nullopt, now);
  EXPECT_TRUE(agent.assigned(assigned(1, {{gate, 4, Role::serve, false, "task"}}, {}), now));
  EXPECT_TRUE(agent.moved(now).empty());
  EXPECT_TRUE(agent.assigned(assigned(2, {}, told), now));
  EXPECT_EQ(agent.moved(now), told);
  now += seconds(30);
  EXPECT_TRUE(agent.assigned(assigned(3, {}, told), now));  // an assignment that changes something else
  EXPECT_EQ(agent.moved(now + seconds(29)), told);
  EXPECT_TRUE(agent.moved(now + seconds(30)).empty());
  const MovedCamera again{gate, 9, BoxId("c")};
  EXPECT_TRUE(agent.assigned(assigned(4, {}, {again}), now));
  EXPECT_EQ(agent.moved(now + seconds(59)), std::vector<MovedCamera>{again});
  EXPECT_TRUE(agent.assigned(assigned(5, {{gate, 10, Role::serve, false, "task"}}, {again}), now));
  EXPECT_TRUE(agent.moved(now).empty());  // it is here
}

// How long ago it was, a saved assignment does not say.
TEST(FleetAgentMoved, ARestartForgetsWhatMovedBefore) {
  const TaskId gate("gate");
  const MovedCamera moved{gate, 5, BoxId("b"), "http://b:8080"};
  const TimePoint now{seconds(100)};
  Agent before;
  before.boot(std::nullopt, now);
  const auto relieved = assigned(2, {}, {moved});
  EXPECT_TRUE(before.assigned(relieved, now));
  ASSERT_EQ(before.moved(now), std::vector<MovedCamera>{moved});
  Agent agent;
  agent.boot(relieved, now);
  EXPECT_TRUE(agent.moved(now).empty());
  EXPECT_TRUE(agent.assigned(relieved, now));
  EXPECT_TRUE(agent.moved(now).empty()) << "the same is read from the store";
  EXPECT_TRUE(agent.assigned(assigned(3, {}, {moved}), now));
  EXPECT_TRUE(agent.moved(now).empty()) << "an assignment that changes something else";
  const MovedCamera since{gate, 9, BoxId("c")};
  EXPECT_TRUE(agent.assigned(assigned(4, {}, {since}), now));
  EXPECT_EQ(agent.moved(now), std::vector<MovedCamera>{since});
}

}  // namespace
}  // namespace saccade::fleet
