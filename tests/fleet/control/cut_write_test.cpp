// A plan that does not fit one write is cut; the rest follows. What is in the store in between holds by
// itself: a box that says where its cameras went names boxes that were given them.
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "tests/fleet/control/planner_fixture.hpp"

namespace saccade::fleet {
namespace {

using Given = std::set<std::tuple<TaskId, std::int64_t, BoxId>>;

class FleetCutWrite : public FleetPlanner {
 protected:
  // A fleet whose planner writes so many documents at once.
  void start(std::size_t documents) {
    fleet(6, 36);
    view_.problem.policy.moves_per_hour = 0.0;
    PlannerSettings settings;
    settings.most_documents = documents;
    planner_ = Planner(settings);
    pass_checked(200);
    ASSERT_EQ(homes().size(), view_.problem.cameras.size());
  }
  void pass_checked(int steps) {
    for (int i = 0; i < steps; ++i) {
      pass(1);
      obey();
      check();
    }
  }
  // Every camera that is said to have gone to a box was given to it, with that epoch.
  void check() {
    for (const auto& [box, held] : view_.assigned) {
      for (const AssignedCamera& camera : held.document.cameras) given_.emplace(camera.id, camera.epoch, box);
    }
    for (const auto& [box, held] : view_.assigned) {
      for (const MovedCamera& moved : held.document.moved) {
        EXPECT_TRUE(given_.contains({moved.id, moved.epoch, moved.box}))
            << box.str() << " says that " << moved.box.str() << " has " << moved.id.str();
      }
    }
  }
  // What a box says of its former cameras: where they are now.
  void expect_told(const std::string& box, const std::set<std::string>& cameras) {
    std::set<std::string> told;
    const Whereabouts where = whereabouts(view_.assigned);
    for (const MovedCamera& moved : view_.assigned.at(BoxId(box)).document.moved) {
      EXPECT_EQ(moved.box, where.cameras.at(moved.id).serve->box) << moved.id.str();
      EXPECT_EQ(moved.epoch, where.cameras.at(moved.id).serve->epoch) << moved.id.str();
      told.insert(moved.id.str());
    }
    EXPECT_EQ(told, cameras);
  }
  Given given_;
};

TEST_F(FleetCutWrite, ALostBoxNamesBoxesThatHaveItsCameras) {
  for (const std::size_t documents : {1U, 2U, 3U}) {
    view_ = {};
    given_.clear();
    start(documents);
    const std::set<std::string> orphans = on("box000");  // the first to be written
    ASSERT_GT(orphans.size(), 1U);
    view_.alive.erase(BoxId("box000"));
    pass_checked(100);
    EXPECT_TRUE(on("box000").empty());
    expect_told("box000", orphans);
  }
}

TEST_F(FleetCutWrite, SoDoesABoxThatIsDrained) {
  for (const std::size_t documents : {1U, 2U}) {
    view_ = {};
    given_.clear();
    start(documents);
    const std::set<std::string> leaving = on("box003");
    ASSERT_FALSE(leaving.empty());
    view_.problem.boxes[3].state = BoxState::draining;
    ++view_.problem_version;
    pass_checked(300);
    EXPECT_TRUE(on("box003").empty());
    expect_told("box003", leaving);
  }
}

}  // namespace
}  // namespace saccade::fleet
