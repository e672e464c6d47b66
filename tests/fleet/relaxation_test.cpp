// The bound that prices give is what it is defined to be: every camera by itself, at its best place.
#include "fleet/relaxation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "fleet/prices.hpp"
#include "tests/fleet/fleets.hpp"

namespace saccade::fleet {
namespace {

using Measure = Stage::Measure;

struct Sum {
  double value = 0.0;
  double size = 0.0;
  std::vector<std::vector<double>> load;  // per group and row
};

struct Choice {
  double value = 0.0;
  std::size_t group = kNone;  // kNone: off
  const Offer* offer = nullptr;
  double rate = 0.0;
};

double value_on(const Stage& stage, const Item& item, const Offer& offer, double rate, bool moves) {
  if (stage.measure == Measure::value) return value_of(item, offer, rate) - (moves ? item.moving_cost : 0.0);
  const bool own = stage.measure == Measure::rate_loss && item.rank == stage.rank;
  return own ? -item.weight * (item.rate - rate) : 0.0;
}

double value_off(const Stage& stage, const Item& item) {
  if (!stage.may_be_off[item.rank]) return -std::numeric_limits<double>::infinity();
  if (stage.measure != Measure::value && item.rank == stage.rank) {
    return -item.weight * (stage.measure == Measure::rate_loss ? item.rate : 1.0);
  }
  return stage.off_penalty * item.weight;
}

Choice best_by_itself(const Model& model, const Stage& stage, const Item& item,
                      const std::vector<std::vector<double>>& prices) {
  Choice best;
  best.value = value_off(stage, item);
  for (const std::size_t group : model.allowed(item)) {
    const Kind& kind = model.kinds()[model.groups()[group].kind];
    for (const Offer& offer : model.menu(model.groups()[group].kind, item.menu)) {
      std::vector<double> rates = {item.rate};
      if (stage.may_be_lowered[item.rank]) rates.push_back(floor_of(item, offer));
      for (const double rate : rates) {
        const bool moves = item.home != kNone && model.group_of(item.home) != group;
        double value = value_on(stage, item, offer, rate, moves);
        for (std::size_t row = 0; row < kind.capacity.size(); ++row) {
          value -= prices[group][row] * use_of(kind, offer, row, rate);
        }
        if (value > best.value) best = {value, group, &offer, rate};
      }
    }
  }
  return best;
}

Sum by_definition(const Model& model, const Stage& stage, const std::vector<std::vector<double>>& prices) {
  Sum sum;
  for (std::size_t group = 0; group < model.groups().size(); ++group) {
    const std::vector<double>& capacity = model.kinds()[model.groups()[group].kind].capacity;
    sum.load.emplace_back(capacity.size(), 0.0);
    for (std::size_t row = 0; row < capacity.size(); ++row) {
      const double boxes = static_cast<double>(model.groups()[group].boxes.size());
      sum.value += prices[group][row] * capacity[row] * boxes;
    }
  }
  sum.size = sum.value;
  for (const Item& item : model.items()) {
    if (model.allowed(item).empty()) continue;
    const Choice best = best_by_itself(model, stage, item, prices);
    sum.value += best.value;
    sum.size += std::abs(best.value);
    for (std::size_t row = 0; best.group != kNone && row < sum.load[best.group].size(); ++row) {
      const Kind& kind = model.kinds()[model.groups()[best.group].kind];
      sum.load[best.group][row] += use_of(kind, *best.offer, row, best.rate);
    }
  }
  return sum;
}

// Cameras at home somewhere, so that a move costs; of classes, weights, floors and shares of time.
Problem of_seed(std::uint64_t seed, std::mt19937_64& random) {
  test::FleetShape shape;
  shape.boxes = 6;
  shape.cameras = 40;
  shape.kinds = 3;
  shape.priorities = 2;
  shape.load = 0.8;
  shape.sites = seed % 2 == 0;
  Problem problem = test::RandomFleet(seed, shape).next();
  for (Camera& camera : problem.cameras) {
    if (random() % 3 > 0) camera.serving = problem.boxes[random() % problem.boxes.size()].id;
    if (random() % 3 == 0) camera.task.min_fps = camera.task.demand * 0.5;
    if (random() % 4 == 0) camera.task.min_time_share = 0.02;
  }
  problem.policy.moving_cost = seed % 3 == 0 ? 0.0 : 0.2;
  return problem;
}

std::vector<Stage> stages_of(const Model& model) {
  std::vector<Stage> stages = {steering_stage(model)};
  for (const Measure measure : {Measure::value, Measure::weight_off, Measure::rate_loss}) {
    Stage& stage = stages.emplace_back();
    stage.measure = measure;
    stage.rank = model.ranks() - 1;
    stage.may_be_off.assign(model.ranks(), true);
    stage.may_be_off.front() = model.ranks() == 1 || measure == Measure::value;
    stage.may_be_lowered.assign(model.ranks(), true);
    stage.may_be_lowered.front() = measure == Measure::value;
  }
  return stages;
}

// The load, which the prices follow.
void expect_load(const Model& model, const Stage& stage, const std::vector<std::vector<double>>& prices,
                 const Sum& wanted) {
  for (const Part& part : parts_of(model)) {
    Relaxation relaxation(model, stage, part);
    std::vector<double> rows;
    std::vector<double> load;
    for (const std::size_t group : part.groups) {
      rows.insert(rows.end(), prices[group].begin(), prices[group].end());
      load.insert(load.end(), wanted.load[group].begin(), wanted.load[group].end());
    }
    (void)relaxation.pass(rows);
    ASSERT_EQ(relaxation.load().size(), load.size());
    for (std::size_t row = 0; row < load.size(); ++row) {
      EXPECT_NEAR(relaxation.load()[row], load[row], 1e-9 * (1.0 + load[row]));
    }
  }
}

// A better place is worth exactly what moving there costs.
TEST(FleetRelaxation, OfPlacesThatAreAsGoodTheFirstIsTaken) {
  test::FleetShape shape;
  shape.boxes = 2;
  shape.cameras = 6;
  shape.networks = 1;
  shape.variants = 1;
  for (const std::size_t home : {0U, 1U}) {
    SCOPED_TRACE(home);
    Problem problem = test::RandomFleet(4, shape).next();
    problem.policy.moving_cost = 0.5;
    for (std::size_t b = 0; b < problem.boxes.size(); ++b) {
      auto set = std::make_shared<profiles::ProfileSet>(*problem.boxes[b].profiles.at("net000"));
      set->variants.front().accuracy = b == home ? 0.5 : 1.0;
      problem.boxes[b].profiles["net000"] = std::move(set);
    }
    for (Camera& camera : problem.cameras) camera.serving = problem.boxes[home].id;
    const Model model(problem);
    ASSERT_EQ(model.groups().size(), 2U);
    const Stage stage = steering_stage(model);
    std::vector<std::vector<double>> prices;
    for (const Group& group : model.groups()) {
      prices.emplace_back(model.kinds()[group.kind].capacity.size(), 0.0);
    }
    const Sum wanted = by_definition(model, stage, prices);
    EXPECT_GT(wanted.load[0][0], 0.0);
    EXPECT_EQ(wanted.load[1][0], 0.0);
    expect_load(model, stage, prices, wanted);
  }
}

TEST(FleetRelaxation, IsTheSumOfWhatEveryCameraWouldChooseByItself) {
  std::mt19937_64 random(5);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = of_seed(seed, random);
    const Model model(problem);
    for (const Stage& stage : stages_of(model)) {
      SCOPED_TRACE(static_cast<int>(stage.measure));
      for (int draw = 0; draw < 3; ++draw) {
        std::vector<std::vector<double>> prices;
        for (const Group& group : model.groups()) {
          prices.emplace_back();
          for (const double capacity : model.kinds()[group.kind].capacity) {
            prices.back().push_back(static_cast<double>(random() % 1000) / 100.0 / capacity);
          }
        }
        const Sum wanted = by_definition(model, stage, prices);
        const double bound = bound_of(model, stage, prices);
        EXPECT_NEAR(bound, wanted.value, 1e-8 * wanted.size);
        EXPECT_GE(bound, wanted.value - 1e-12 * wanted.size);
        expect_load(model, stage, prices, wanted);
      }
    }
  }
}

}  // namespace
}  // namespace saccade::fleet
