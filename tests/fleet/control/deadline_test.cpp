// A plan that runs out of time is a plan, and its bound holds.
#include <gtest/gtest.h>

#include <algorithm>

#include "fleet/plan.hpp"
#include "tests/fleet/control/planner_fixture.hpp"
#include "tests/fleet/fleets.hpp"

namespace saccade::fleet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(FleetDeadline, APlanThatIsStoppedAtOnceHasABoundThatHolds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    test::FleetShape shape;
    shape.boxes = 6;
    shape.cameras = 40;
    shape.load = 0.4 + 0.3 * static_cast<double>(seed % 5);
    const Problem problem = test::RandomFleet(seed, shape).next();
    const Model model(problem);
    PlanLimits none;
    none.stop = [] { return true; };
    const FleetPlan stopped = plan_fleet(model, none);
    const FleetPlan whole = plan_fleet(model, {});
    const double grain = 1e-6 * std::max(1.0, whole.value);
    EXPECT_LE(stopped.value, stopped.bound + grain);
    EXPECT_LE(stopped.loss_bounds[0], std::min(stopped.losses[0], whole.losses[0]) + grain);
    if (loses_nothing(whole.losses)) {
      EXPECT_LE(whole.value, stopped.bound + grain);
    }
    EXPECT_EQ(stopped.certificates.size(), whole.certificates.size());
  }
}

// How often the clock was read for the first plans of a fleet; all cameras are served.
struct Planned {
  int readings = 0;
  std::size_t homes = 0;
};
class FleetPlannerDeadline : public FleetPlanner {
 protected:
  Planned planned(Duration deadline) {
    Planned planned;
    TimePoint time{};
    PlannerSettings settings;
    settings.clock = [&] {
      ++planned.readings;
      return time += milliseconds(1);
    };
    settings.deadline = deadline;
    planner_ = Planner(settings);
    view_ = {};
    fleet(4, 24);
    pass(40);
    for (const Duration took : planner_.take_times().plans) EXPECT_LE(took, deadline + seconds(1));
    planned.homes = homes().size();
    EXPECT_LE(planner_.figures().value, planner_.figures().bound * (1.0 + 1e-9));
    planner_ = Planner(PlannerSettings{});  // its clock ends here
    return planned;
  }
};

TEST_F(FleetPlannerDeadline, APlanEndsAfterItAndServesAllThatFits) {
  const Planned in_time = planned(seconds(3600));
  const Planned late = planned(milliseconds(5));
  EXPECT_EQ(in_time.homes, 24U);
  EXPECT_EQ(late.homes, 24U);
  EXPECT_LT(late.readings, in_time.readings / 2);
}

}  // namespace
}  // namespace saccade::fleet
