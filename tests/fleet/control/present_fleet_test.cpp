// What is kept from reading to reading is what a fleet computed from nothing has.
#include "fleet/control/present_fleet.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "fleet/control/situation.hpp"
#include "fleet/improve.hpp"
#include "fleet/plan.hpp"
#include "tests/fleet/fleets.hpp"

namespace saccade::fleet {
namespace {

// Whether there are rules of spread, and pins.
class FleetPresent : public testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  FleetPresent() {
    test::FleetShape shape;
    shape.boxes = 5;
    shape.cameras = 20;
    shape.load = 1.1;  // some are lowered, or off
    shape.priorities = 2;
    view_.problem = test::RandomFleet(3, shape).next();
    view_.problem_version = 1;
    std::vector<Camera>& cameras = view_.problem.cameras;
    for (std::size_t i = 0; i < cameras.size(); i += 4) cameras[i].where.avoid = {view_.problem.boxes[1].id};
    if (std::get<0>(GetParam())) {
      for (std::size_t i = 0; i < 6; ++i) cameras[i].where.spread = Spread{"some", "site", 2};
    }
    if (std::get<1>(GetParam())) view_.pins[cameras[7].task.id] = view_.problem.boxes[2].id;
  }

  std::size_t below(std::size_t count) { return random_() % count; }
  const BoxId& any_box() { return view_.problem.boxes[below(view_.problem.boxes.size())].id; }

  // A camera goes to another box, is about to, or is on none.
  void move_camera() {
    const TaskId& id = view_.problem.cameras[below(view_.problem.cameras.size())].task.id;
    ++revision_;
    for (auto& [box, held] : view_.assigned) {
      const auto taken =
          std::erase_if(held.document.cameras, [&](const auto& each) { return each.id == id; });
      if (taken > 0) held.revision = revision_;
    }
    for (const Role role : {Role::serve, Role::take_over}) {
      if (below(4) == 0) continue;
      Held<AssignDocument>& held = view_.assigned[any_box()];
      held.document.cameras.push_back({id, ++epoch_, role, false, "task", Cause::placed});
      held.revision = revision_;
    }
  }

  void change() {
    const std::size_t what = below(12);
    if (what == 0) {
      health_[any_box()] = std::vector{BoxHealth::alive, BoxHealth::lost, BoxHealth::detached}[below(3)];
      ++health_changes_;
    } else if (what == 1) {
      Box& box = view_.problem.boxes[below(view_.problem.boxes.size())];
      box.state = std::vector{BoxState::active, BoxState::cordoned, BoxState::draining}[below(3)];
      view_.problem.cameras[below(view_.problem.cameras.size())].task.weight =
          1.0 + static_cast<double>(below(3));
      ++view_.problem_version;
    } else {
      for (std::size_t left = 1 + below(3); left > 0; --left) move_camera();
    }
  }

  [[nodiscard]] PresentFleet::Health health() const {
    return [this](const BoxId& box) {
      const auto known = health_.find(box);
      return known == health_.end() ? BoxHealth::alive : known->second;
    };
  }

  FleetView view_;
  std::map<BoxId, BoxHealth> health_;
  std::uint64_t health_changes_ = 0;
  std::mt19937_64 random_{5};
  std::int64_t revision_ = 0;
  std::int64_t epoch_ = 0;
};

TEST_P(FleetPresent, IsWhatAFleetComputedFromNothingHas) {
  Bearings bearings;
  PresentFleet fleet;
  std::size_t lossy = 0;
  std::set<std::size_t> homes;
  for (int step = 0; step < 600; ++step) {
    SCOPED_TRACE(step);
    for (std::size_t left = below(3); left > 0; --left) {
      change();
      bearings.follow(view_);  // several readings may pass before somebody asks
    }
    bearings.follow(view_);
    fleet.follow(view_, bearings, health_changes_, health());
    if (below(3) == 0) continue;  // nobody asks what is served
    const Problem problem = situation(view_.problem, view_.pins, whereabouts(view_.assigned), health());
    const Model model(problem);
    const Assignment expected = settle_kept(model, {});
    const Assignment& now = fleet.assignment({});
    ASSERT_EQ(&now.model(), &fleet.model());
    ASSERT_EQ(&fleet.model().problem(), &fleet.problem());
    for (std::size_t i = 0; i < problem.cameras.size(); ++i) {
      EXPECT_EQ(fleet.problem().cameras[i].serving, problem.cameras[i].serving);
      EXPECT_EQ(fleet.problem().cameras[i].where.boxes, problem.cameras[i].where.boxes);
      EXPECT_EQ(fleet.model().items()[i].home, model.items()[i].home);
      EXPECT_EQ(fleet.model().items()[i].moving_cost, model.items()[i].moving_cost);
      EXPECT_EQ(fleet.model().allowed(fleet.model().items()[i]), model.allowed(model.items()[i]));
      EXPECT_EQ(fleet.model().items()[i].unit, model.items()[i].unit);
      EXPECT_EQ(fleet.model().boxes_for(i), model.boxes_for(i));
      homes.insert(model.items()[i].home);
    }
    EXPECT_EQ(now.all(), expected.all());
    EXPECT_EQ(now.moves(), expected.moves());
    for (std::size_t b = 0; b < problem.boxes.size(); ++b) {
      EXPECT_EQ(fleet.problem().boxes[b].state, problem.boxes[b].state);
      EXPECT_EQ(fleet.model().group_of(b), model.group_of(b));
      EXPECT_EQ(now.box(b).cameras, expected.box(b).cameras);
      EXPECT_EQ(now.box(b).losses, expected.box(b).losses);
      EXPECT_EQ(now.box(b).prices, expected.box(b).prices);
      EXPECT_EQ(now.box(b).lean, expected.box(b).lean);
      EXPECT_EQ(now.box(b).value, expected.box(b).value);
    }
    lossy += loses_nothing(expected.losses()) ? 0 : 1;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(lossy, 100U);
  EXPECT_EQ(homes.size(), view_.problem.boxes.size() + 1);  // every box, and none
}

INSTANTIATE_TEST_SUITE_P(WithAndWithout, FleetPresent, testing::Combine(testing::Bool(), testing::Bool()));

// Cameras that are off, each tried by itself.
TEST(FleetImprove, OfCamerasThatAreAlikeOneThatFindsNoBoxSpeaksForAll) {
  test::FleetShape shape;
  shape.boxes = 4;
  shape.cameras = 8;
  shape.priorities = 2;
  std::size_t off = 0;
  std::size_t placed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    shape.load = 0.4 + 0.01 * static_cast<double>(seed);
    Problem problem = test::RandomFleet(seed, shape).next();
    const std::vector<Camera> each = problem.cameras;
    for (const char* copy : {"-b", "-c", "-d"}) {
      for (Camera camera : each) {
        camera.task.id = TaskId(camera.task.id.str() + copy);
        problem.cameras.push_back(camera);
      }
    }
    sort(problem);
    const Model model(problem);
    Assignment rescued(model);
    ImproveLimits limits;
    limits.pairs = 0;
    (void)improve(rescued, limits);
    Assignment expected(model);
    for (std::size_t i = 0; i < model.items().size(); ++i) {
      if (expected.served(i).off()) (void)expected.insert(i, limits.joint, false);
    }
    EXPECT_EQ(rescued.losses(), expected.losses());
    EXPECT_DOUBLE_EQ(rescued.value(), expected.value());
    for (const Served& served : rescued.all()) ++(served.off() ? off : placed);
  }
  EXPECT_GT(off, 100U);
  EXPECT_GT(placed, 500U);
}

TEST(FleetModel, CamerasAreInterchangeableOnlyWhereAllThatDecidesIsTheSame) {
  test::FleetShape shape;
  shape.cameras = 2;
  Problem problem = test::RandomFleet(1, shape).next();
  problem.cameras[1] = problem.cameras[0];
  problem.cameras[1].task.id = TaskId("other");
  const auto alike = [&] { return Model(problem).interchangeable(0, 1); };
  EXPECT_TRUE(alike());
  const Camera same = problem.cameras[1];
  const auto differs = [&](auto&& change) {
    problem.cameras[1] = same;
    change(problem.cameras[1]);
    return !alike();
  };
  EXPECT_TRUE(differs([](Camera& camera) { camera.task.weight *= 2.0; }));
  EXPECT_TRUE(differs([](Camera& camera) { camera.task.demand = Fps(camera.task.demand.value() + 1.0); }));
  EXPECT_TRUE(differs([](Camera& camera) { camera.task.priority += 1; }));
  EXPECT_TRUE(
      differs([](Camera& camera) { camera.task.min_fps = Fps(camera.task.demand.value() / 2.0 + 0.1); }));
  EXPECT_TRUE(differs([](Camera& camera) { camera.task.min_accuracy = 0.1; }));
  EXPECT_TRUE(differs([](Camera& camera) { camera.task.min_time_share = 0.1; }));
  EXPECT_TRUE(differs([&](Camera& camera) { camera.where.avoid = {problem.boxes[0].id}; }));
  EXPECT_TRUE(differs([&](Camera& camera) { camera.serving = problem.boxes[0].id; }));
  EXPECT_TRUE(differs([](Camera& camera) { camera.where.together = "pair"; }));
  EXPECT_TRUE(differs([](Camera& camera) { camera.where.spread = Spread{"some", "site", 2}; }));
}

}  // namespace
}  // namespace saccade::fleet
