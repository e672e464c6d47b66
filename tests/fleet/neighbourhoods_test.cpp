// The neighbourhood search: never worse, within the limits, and as good as what is proven where that is
// known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fleet/neighbourhoods.hpp"
#include "fleet/plan.hpp"
#include "tests/fleet/fleets.hpp"
#include "tests/fleet/within_limits.hpp"

namespace saccade::fleet {
namespace {

using test::expect_within_limits;
using test::FleetShape;
using test::RandomFleet;

FleetShape shape_of(std::size_t boxes, std::size_t cameras, double load) {
  FleetShape shape;
  shape.boxes = boxes;
  shape.cameras = cameras;
  shape.variants = 5;
  shape.load = load;
  return shape;
}

// Every camera on the box that naive counting gives it: what is left to find is much.
Assignment counted(const Model& model) {
  Assignment assignment(model);
  std::vector<std::vector<std::size_t>> cameras(model.problem().boxes.size());
  for (std::size_t i = 0; i < model.items().size(); ++i) cameras[i % cameras.size()].push_back(i);
  for (std::size_t box = 0; box < cameras.size(); ++box) (void)assignment.settle(box, cameras[box], {});
  return assignment;
}

NeighbourhoodLimits rounds(std::int64_t count) {
  NeighbourhoodLimits limits;
  limits.rounds = count;
  return limits;
}

TEST(FleetNeighbourhoods, FindWhatASearchOfTheWholeFleetProves) {
  int proven = 0;
  int short_of_it = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = RandomFleet(seed, shape_of(3, 15, 1.1)).next();
    const Model model(problem);
    const FleetPlan plan = plan_fleet(model, {});
    Assignment searched = counted(model);
    if (!plan.exact || !loses_nothing(searched.losses())) continue;
    ++proven;
    const NeighbourhoodSearch done = search_neighbourhoods(searched, rounds(600));
    EXPECT_EQ(done.rounds, 600);
    EXPECT_GT(done.restarts, 0);
    EXPECT_LE(searched.value(), plan.value * (1 + 1e-8));
    if (searched.value() < plan.value * (1 - 1e-7)) ++short_of_it;
    expect_within_limits(searched);
  }
  EXPECT_GE(proven, 10);
  EXPECT_LE(short_of_it, 1);
}

TEST(FleetNeighbourhoods, AreNeverWorseAndOftenBetterThanPairs) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = RandomFleet(seed, shape_of(5, 40, 1.5)).next();
    const Model model(problem);
    PlanLimits limits;
    limits.survival = false;
    const FleetPlan pairs = plan_fleet(model, limits);
    EXPECT_EQ(pairs.search.rounds, 0) << "only where it is asked for";
    limits.rounds = 100;
    const FleetPlan searched = plan_fleet(model, limits);
    EXPECT_GE(searched.value, pairs.value);
    EXPECT_LE(searched.value, searched.bound * (1 + 1e-9));
    EXPECT_EQ(searched.bound, pairs.bound);
    if (searched.value > pairs.value) ++better;
    expect_within_limits(searched.assignment);
    if (seed > 1) continue;
    const FleetPlan again = plan_fleet(model, limits);
    EXPECT_EQ(again.assignment.all(), searched.assignment.all());
  }
  EXPECT_GE(better, 3) << "two of the six are at their bound already";
}

TEST(FleetNeighbourhoods, KeepToTheMovesThatAreAllowed) {
  std::size_t most_seen = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = RandomFleet(seed, shape_of(4, 32, 1.1)).next();
    for (std::size_t i = 0; i < problem.cameras.size(); ++i) {
      problem.cameras[i].serving = problem.boxes[i % problem.boxes.size()].id;
    }
    problem.policy.moving_cost = 0.0;
    const Model model(problem);
    Assignment assignment = settle_kept(model, {});
    if (!loses_nothing(assignment.losses())) continue;
    ASSERT_EQ(assignment.moves(), 0U);
    NeighbourhoodLimits limits = rounds(200);
    limits.most_moves = 3;
    const double before = assignment.value();
    (void)search_neighbourhoods(assignment, limits);
    EXPECT_LE(assignment.moves(), 3U);
    EXPECT_GE(assignment.value(), before);
    most_seen = std::max(most_seen, assignment.moves());
  }
  EXPECT_EQ(most_seen, 3U);
}

TEST(FleetNeighbourhoods, KeepCamerasOfAUnitTogether) {
  Problem problem = RandomFleet(1, shape_of(4, 32, 1.5)).next();
  for (std::size_t i = 3; i < 9; ++i) problem.cameras[i].where.together = "dock";
  ASSERT_TRUE(validate(problem).errors.empty());
  const Model model(problem);
  PlanLimits limits;
  limits.rounds = 300;
  const FleetPlan plan = plan_fleet(model, limits);
  ASSERT_TRUE(loses_nothing(plan.losses));
  EXPECT_GT(plan.search.adopted, 0);
  for (std::size_t i = 3; i < 9; ++i) EXPECT_EQ(plan.assignment.served(i).box, plan.assignment.served(3).box);
  expect_within_limits(plan.assignment);
}

TEST(FleetNeighbourhoods, EndWhenToldToOrWhenItIsEnough) {
  const Problem problem = RandomFleet(1, shape_of(4, 32, 1.1)).next();
  const Model model(problem);
  Assignment assignment = counted(model);
  ASSERT_TRUE(loses_nothing(assignment.losses()));
  const std::vector<Served> before = assignment.all();
  NeighbourhoodLimits limits = rounds(1'000);
  limits.stop = [] { return true; };
  EXPECT_EQ(search_neighbourhoods(assignment, limits).rounds, 0);
  limits.stop = nullptr;
  limits.enough = assignment.value();
  EXPECT_EQ(search_neighbourhoods(assignment, limits).rounds, 0);
  EXPECT_EQ(assignment.all(), before);
  int asked = 0;
  limits = rounds(1'000);
  limits.stop = [&] { return ++asked > 2'000; };
  const NeighbourhoodSearch done = search_neighbourhoods(assignment, limits);
  EXPECT_GT(done.rounds, 0);
  EXPECT_LT(done.rounds, 1'000);
  expect_within_limits(assignment);
}

TEST(FleetNeighbourhoods, LeaveAloneWhatTheyAreNotFor) {
  const Problem problem = RandomFleet(1, shape_of(4, 32, 6.0)).next();  // cameras are lowered or off
  const Model model(problem);
  Assignment lossy = counted(model);
  ASSERT_FALSE(loses_nothing(lossy.losses()));
  EXPECT_EQ(search_neighbourhoods(lossy, rounds(10)).rounds, 0);
  const Problem wide = RandomFleet(1, shape_of(kMostBoxesSearched + 1, 40, 1.1)).next();
  const Model wide_model(wide);
  Assignment many = counted(wide_model);
  ASSERT_TRUE(loses_nothing(many.losses()));
  EXPECT_EQ(search_neighbourhoods(many, rounds(10)).rounds, 0);
}

}  // namespace
}  // namespace saccade::fleet
