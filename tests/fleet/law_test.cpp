// Laws of the assignment of cameras to boxes, against oracles: bound >= optimum >= plan; the order of the
// input changes nothing; a box's own planner agrees; a loss moves only the cameras of the lost box; what is
// certified to survive does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "fleet/failover.hpp"
#include "fleet/plan.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "ilp/glpk_solver.hpp"
#include "scheduler/plan_check.hpp"
#include "tests/fleet/fleets.hpp"
#include "tests/fleet/oracle.hpp"
#include "tests/fleet/within_limits.hpp"

namespace saccade::fleet {
namespace {

using test::expect_within_limits;
using test::FleetOptimum;
using test::FleetOracle;
using test::FleetShape;
using test::RandomFleet;

// How far the plan may stay below the optimum, relative: the requirement on small fleets.
constexpr double kWorst = 0.005;

double relative_shortfall(const Problem& problem, const FleetPlan& plan, const FleetOptimum& optimum) {
  const double grain = 1e-6 * std::max(1.0, optimum.value);
  EXPECT_LE(plan.value, optimum.value + grain);
  EXPECT_GE(plan.bound, optimum.value - grain);
  EXPECT_EQ(problem.cameras.size(), plan.assignment.all().size());
  return (optimum.value - plan.value) / std::max(optimum.value, 1e-9);
}

// Everything fits: the plan against the optimum. Returns the shortfalls that were seen.
std::vector<double> compare(const ilp::ChoiceSolver& solver, FleetShape shape, std::uint64_t seeds) {
  std::vector<double> shortfalls;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    shape.load = 0.5 + 0.1 * static_cast<double>(seed % 8);
    const Problem problem = RandomFleet(seed, shape).next();
    EXPECT_TRUE(validate(problem).errors.empty()) << to_string(validate(problem).errors);
    const FleetOptimum optimum = FleetOracle(problem, solver).optimum();
    if (!optimum.solved) continue;  // GLPK's answer could not be certified
    const Model model(problem);
    const FleetPlan plan = plan_fleet(model, {});
    EXPECT_EQ(plan.losses.size(), optimum.losses.size());
    bool same_losses = plan.losses.size() == optimum.losses.size();
    for (std::size_t s = 0; same_losses && s < plan.losses.size(); ++s) {
      EXPECT_GE(plan.losses[s], optimum.losses[s] - 1e-6);
      EXPECT_LE(plan.loss_bounds[s], plan.losses[s] + 1e-6);
      EXPECT_LE(plan.loss_bounds[s], optimum.losses[s] + 1e-6);
      // A plan that loses more here may lose less later: those are not compared.
      same_losses = plan.losses[s] <= optimum.losses[s] + 1e-6;
    }
    if (same_losses) shortfalls.push_back(relative_shortfall(problem, plan, optimum));
  }
  std::sort(shortfalls.begin(), shortfalls.end());
  return shortfalls;
}

void expect_close(const std::vector<double>& shortfalls, std::uint64_t seeds) {
  ASSERT_GE(shortfalls.size(), seeds * 95 / 100);  // the others lose more than the optimum does
  EXPECT_LE(shortfalls[shortfalls.size() / 2], 0.0005);
  EXPECT_LE(shortfalls.back(), kWorst);
}

TEST(FleetLaw, BoundIsAboveAndPlanNotAboveTheExhaustiveOptimum) {
  FleetShape shape;
  shape.boxes = 2;
  shape.cameras = 6;
  shape.variants = 2;
  shape.all_or_nothing = true;
  expect_close(compare(ilp::ExhaustiveSolver(), shape, 500), 500);
}

TEST(FleetLaw, BoundIsAboveAndPlanNotAboveTheOptimumOfGlpk) {
  FleetShape shape;
  shape.all_or_nothing = true;
  shape.boxes = 3;
  shape.cameras = 12;
  shape.priorities = 2;
  expect_close(compare(ilp::GlpkSolver(), shape, 500), 500);
}

TEST(FleetLaw, SeveralProcessorsPerBox) {
  FleetShape shape;
  shape.all_or_nothing = true;
  shape.boxes = 2;
  shape.cameras = 8;
  shape.processors = 2;
  expect_close(compare(ilp::GlpkSolver(), shape, 500), 500);
}

TEST(FleetLaw, CamerasThatStayInTheirSite) {
  FleetShape shape;
  shape.all_or_nothing = true;
  shape.boxes = 4;
  shape.cameras = 14;
  shape.sites = true;
  expect_close(compare(ilp::GlpkSolver(), shape, 500), 500);
}

// What is priced together with other sites is priced as if each were alone.
TEST(FleetLaw, PricesOfASiteDoNotDependOnOtherSites) {
  FleetShape shape;
  shape.boxes = 8;
  shape.cameras = 60;
  shape.sites = true;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    shape.load = 0.5 + 0.3 * static_cast<double>(seed);
    const Problem problem = RandomFleet(seed, shape).next();
    const Model model(problem);
    const Stage stage = steering_stage(model);
    const Prices prices = find_prices(model, stage, {});
    EXPECT_NEAR(bound_of(model, stage, prices.of), prices.bound, 1e-9 * std::abs(prices.bound));
    double sum = 0.0;
    for (const std::string site : {"north", "south"}) {
      Problem alone = problem;
      std::erase_if(alone.boxes, [&](const Box& box) { return box.labels.at("site") != site; });
      std::erase_if(alone.cameras,
                    [&](const Camera& camera) { return camera.where.labels.at("site").front() != site; });
      const Model of_site(alone);
      Stage same = steering_stage(of_site);
      same.off_penalty = stage.off_penalty;
      const Prices its = find_prices(of_site, same, {});
      sum += its.bound;
      for (std::size_t b = 0; b < alone.boxes.size(); ++b) {
        const auto box = std::find_if(problem.boxes.begin(), problem.boxes.end(),
                                      [&](const Box& other) { return other.id == alone.boxes[b].id; });
        const auto there = static_cast<std::size_t>(box - problem.boxes.begin());
        EXPECT_EQ(its.of[of_site.group_of(b)], prices.of[model.group_of(there)]);
      }
    }
    EXPECT_NEAR(prices.bound, sum, 1e-12 * std::abs(sum));
  }
}

// The prices' own bound, without the search over the whole fleet.
TEST(FleetLaw, AnyPricesBoundTheOptimum) {
  FleetShape shape;
  shape.all_or_nothing = true;
  shape.boxes = 2;
  shape.cameras = 8;
  std::mt19937_64 random(7);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = RandomFleet(seed, shape).next();
    const Model model(problem);
    const FleetOptimum optimum = FleetOracle(problem, ilp::GlpkSolver()).optimum();
    Stage stage = steering_stage(model);
    stage.off_penalty = 0.0;
    std::vector<std::vector<double>> prices;
    for (const Group& group : model.groups()) {
      prices.emplace_back();
      for (const double capacity : model.kinds()[group.kind].capacity) {
        prices.back().push_back(static_cast<double>(random() % 1000) / 100.0 / capacity);
      }
    }
    EXPECT_GE(bound_of(model, stage, prices), optimum.value - 1e-9);
    EXPECT_GE(find_prices(model, stage, {}).bound, optimum.value - 1e-9);
    EXPECT_LE(find_prices(model, stage, {}).bound, bound_of(model, stage, prices) + 1e-9);
  }
}

std::map<std::string, std::string> by_name(const FleetPlan& plan) {
  std::map<std::string, std::string> boxes;
  const Problem& problem = plan.assignment.model().problem();
  for (std::size_t i = 0; i < problem.cameras.size(); ++i) {
    const Served& served = plan.assignment.served(i);
    boxes[problem.cameras[i].task.id.str()] = served.off() ? "" : problem.boxes[served.box].id.str();
  }
  return boxes;
}

TEST(FleetLaw, TheOrderOfBoxesAndCamerasChangesNothing) {
  FleetShape shape;
  shape.boxes = 9;
  shape.cameras = 70;
  const Problem problem = RandomFleet(3, shape).next();
  const Model model(problem);
  const auto expected = by_name(plan_fleet(model, {}));
  std::mt19937_64 random(1);
  for (int round = 0; round < 3; ++round) {
    Problem shuffled = problem;
    std::shuffle(shuffled.boxes.begin(), shuffled.boxes.end(), random);
    std::shuffle(shuffled.cameras.begin(), shuffled.cameras.end(), random);
    sort(shuffled);
    const Model other(shuffled);
    EXPECT_EQ(by_name(plan_fleet(other, {})), expected);
  }
}

TEST(FleetLaw, ABoxesOwnPlannerServesAllThatTheFleetGaveItAsWell) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    FleetShape shape;
    shape.boxes = 3;
    shape.cameras = 18;
    shape.processors = 1 + seed % 2;
    shape.load = seed % 3 == 0 ? 2.2 : 0.9;
    const Problem problem = RandomFleet(seed, shape).next();
    const Model model(problem);
    const FleetPlan plan = plan_fleet(model, {});
    for (std::size_t b = 0; b < problem.boxes.size(); ++b) {
      const SettledBox& box = plan.assignment.box(b);
      if (box.cameras.empty()) continue;
      const scheduler::Snapshot snapshot = snapshot_of(problem, problem.boxes[b], box.cameras);
      const scheduler::Plan own = plan_of_box(plan.assignment, b, {});
      EXPECT_TRUE(scheduler::check_plan(snapshot, own).empty());
      double weight = 0.0;
      Losses losses(2 * model.ranks(), 0.0);
      for (std::size_t t = 0; t < own.tasks.size(); ++t) {
        const scheduler::Task& task = snapshot.tasks[t];
        weight += task.weight;
        EXPECT_TRUE(own.tasks[t].variant.has_value());
        losses[1] += task.weight * (task.demand - own.tasks[t].granted).value();
      }
      EXPECT_FALSE(loses_less(box.losses, losses));
      ASSERT_TRUE(own.objective_value);
      if (!loses_nothing(box.losses)) continue;
      EXPECT_NEAR(*own.objective_value * weight, box.value, 1e-4 * box.value);
    }
  }
}

TEST(FleetLaw, ALostBoxMovesItsOwnCamerasOnly) {
#ifdef SACCADE_SANITIZED  // thirty times slower
  constexpr std::uint64_t kSeeds = 1;
#else
  constexpr std::uint64_t kSeeds = 6;
#endif
  int certified = 0;
  int refuted = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    FleetShape shape;
    shape.kinds = 1;
    shape.boxes = 5;
    shape.cameras = 30;
    shape.load = 0.8 + 0.3 * static_cast<double>(seed % 6);
    const Problem problem = RandomFleet(seed, shape).next();
    const Model model(problem);
    const FleetPlan plan = plan_fleet(model, {});
    expect_within_limits(plan.assignment);
    for (const Certificate& certificate : plan.certificates) {
      SCOPED_TRACE(std::to_string(seed) + " without box " + std::to_string(certificate.box));
      Assignment after = plan.assignment;
      const Failover failover = fail_over(after, certificate.box, {});
      EXPECT_EQ(failover.orphans, plan.assignment.box(certificate.box).cameras);
      expect_within_limits(after);
      for (std::size_t i = 0; i < problem.cameras.size(); ++i) {
        const std::size_t before = plan.assignment.served(i).box;
        EXPECT_NE(after.served(i).box, certificate.box);
        if (before == certificate.box) continue;
        EXPECT_EQ(after.served(i).box, before);
      }
      if (certificate.survives) {
        ++certified;
        EXPECT_TRUE(failover.off.empty());
        EXPECT_FALSE(loses_less(plan.losses, after.losses()));
      } else {
        ++refuted;
      }
    }
  }
  EXPECT_GT(certified + refuted, 0);
  if (kSeeds == 1) return;
  EXPECT_GT(certified, 10);
  EXPECT_GT(refuted, 3);
}

TEST(FleetLaw, AMovingCostKeepsCamerasWhereTheyAre) {
  FleetShape shape;
  shape.boxes = 8;
  shape.cameras = 80;
  Problem problem = RandomFleet(5, shape).next();
  std::size_t moves_with_cost = 0;
  {
    const Model model(problem);
    const FleetPlan first = plan_fleet(model, {});
    for (std::size_t i = 0; i < problem.cameras.size(); ++i) {
      if (!first.assignment.served(i).off()) {
        problem.cameras[i].serving = problem.boxes[first.assignment.served(i).box].id;
      }
    }
    const Model settled(problem);
    EXPECT_EQ(plan_fleet(settled, {}).moves, 0U);  // restarting the planner moves nothing
  }
  for (Camera& camera : problem.cameras) camera.task.demand = camera.task.demand * 1.1;
  {
    const Model model(problem);
    moves_with_cost = plan_fleet(model, {}).moves;
    EXPECT_LE(moves_with_cost, 8U);
  }
  problem.policy.moving_cost = 0.0;
  for (const std::size_t budget : {std::size_t{0}, std::size_t{2}}) {
    problem.policy.most_moves = budget;
    const Model model(problem);
    const FleetPlan plan = plan_fleet(model, {});
    EXPECT_LE(plan.moves, budget);
    std::size_t moved = 0;
    for (std::size_t i = 0; i < problem.cameras.size(); ++i) {
      const std::size_t home = model.items()[i].home;
      if (home != kNone && plan.assignment.served(i).box != home) ++moved;
    }
    EXPECT_EQ(plan.moves, moved);
  }
}

}  // namespace
}  // namespace saccade::fleet
