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

// A plan that has read the clock once finds that this share of the deadline has passed, and no more passes.
class FleetPlannerTime : public FleetPlanner {
 protected:
  void start(double share) {
    share_ = share;
    begun_ = readings_ = 0;
    PlannerSettings settings;
    settings.deadline = seconds(2);
    settings.clock = [this, deadline = settings.deadline] {
      ++readings_;
      const bool begins = begun_ == planner_.figures().rounds;
      if (begins) ++begun_;
      return begins ? TimePoint{} : TimePoint{to_duration(to_seconds(deadline) * share_)};
    };
    planner_ = Planner(settings);
    view_ = {};
    fleet(4, 24);
    view_.problem.policy.moves_per_hour = 0.0;
  }
  // How often the first plan read the clock.
  int readings_of_a_plan(double share) {
    start(share);
    while (rounds() < 1) pass(1);
    return readings_;
  }
  [[nodiscard]] std::int64_t rounds() const { return planner_.figures().rounds; }

  double share_ = 0.0;
  int readings_ = 0;
  std::int64_t begun_ = 0;  // plans
};

TEST_F(FleetPlannerTime, WhatTheDeadlineCutOffIsPlannedAgainUntilAPlanIsWhole) {
  start(1.0);
  pass(40);
  ASSERT_EQ(homes().size(), 24U);
  for (int i = 0; i < 2; ++i) {
    const std::int64_t before = rounds();
    pass(2 * 300);
    EXPECT_EQ(rounds(), before + 1) << "once in five minutes";
  }
  share_ = 0.0;
  std::int64_t before = rounds();
  pass(2 * 300);
  EXPECT_EQ(rounds(), before + 1);
  before = rounds();
  pass(2 * 3600);
  EXPECT_EQ(rounds(), before) << "it is settled";
}

TEST_F(FleetPlannerTime, ThePricesHaveHalfOfIt) {
  const int whole = readings_of_a_plan(0.0);
  const double bound = planner_.figures().bound;
  EXPECT_EQ(readings_of_a_plan(0.49), whole);
  EXPECT_EQ(planner_.figures().bound, bound);
  const int no_prices = readings_of_a_plan(0.5);
  EXPECT_LT(no_prices, whole);
  EXPECT_GT(planner_.figures().bound, bound) << "of prices that nothing has improved";
  EXPECT_EQ(readings_of_a_plan(0.99), no_prices) << "what comes after the prices has all of it";
  EXPECT_LT(readings_of_a_plan(1.0), no_prices);
}

}  // namespace
}  // namespace saccade::fleet
