// What a change would do to a fleet: what is now is what the cameras have, and what would be is the plan.
#include "fleet/preview.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/fleet/fleets.hpp"

namespace saccade::fleet {
namespace {

TEST(FleetPreview, IsTheFleetAsItIsAndThePlanOfTheOther) {
  test::FleetShape shape;
  shape.boxes = 4;
  shape.cameras = 20;
  shape.load = 0.4;
  shape.kinds = 1;
  test::RandomFleet random(5, shape);
  for (int round = 0; round < 20; ++round) {
    Problem now = random.next();
    {
      const Model model(now);
      const FleetPlan plan = plan_fleet(model, {});
      for (std::size_t i = 0; i < now.cameras.size(); ++i) {
        now.cameras[i].serving.reset();
        const Served& served = plan.assignment.served(i);
        if (!served.off()) now.cameras[i].serving = now.boxes[served.box].id;
      }
    }
    const Preview same = preview(now, now, {});
    const Model kept_model(now);
    const FleetPlan kept = plan_kept(kept_model, {});
    EXPECT_EQ(kept.moves, 0U);
    EXPECT_DOUBLE_EQ(same.before.value, kept.value);
    EXPECT_GE(same.before.bound, same.before.value - 1e-9);
    Problem then = now;
    then.boxes[0].state = BoxState::retired;
    const Preview retired = preview(now, then, {});
    const Model then_model(then);
    EXPECT_DOUBLE_EQ(retired.after.value, plan_fleet(then_model, {}).value);
    EXPECT_FALSE(retired.after.boxes.contains(then.boxes[0].id));
    std::set<TaskId> moved;
    for (const Preview::Moved& each : retired.moved) {
      moved.insert(each.camera);
      EXPECT_NE(each.from, each.to);
      EXPECT_EQ(each.to.has_value(), each.why.empty()) << each.why;
    }
    for (const Camera& camera : now.cameras) {
      EXPECT_TRUE(camera.serving != then.boxes[0].id || moved.contains(camera.task.id));
    }
  }
}

}  // namespace
}  // namespace saccade::fleet
