// The pricing loop of `saccade place --config` on made-up networks, against the linear program over all
// placements and against enumeration of all plans with them.
#include "app/verbs/column_pricing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ilp/glpk_solver.hpp"
#include "scheduler/policy.hpp"
#include "tests/scheduler/brute_force.hpp"
#include "tests/scheduler/scene.hpp"

namespace saccade::app {
namespace {

using placement::Column;
using placement::Costs;
using scheduler::Plan;
using scheduler::PlanStatus;
using scheduler::Priced;
using scheduler::Snapshot;

constexpr std::size_t kLayers = 4;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11U) * 0x1p-53;
  }

 private:
  std::mt19937_64 random_;
};

// Layers of 1 to 5 ms on `a`, 0.5 to 3 times that on `b`; energies in an order of their own.
placement::Chain chain_of(Draw& draw, double scale) {
  placement::Chain chain;
  chain.processors = {{ProcessorId("a")}, {ProcessorId("b")}};
  for (std::size_t i = 0; i < kLayers; ++i) {
    const double time = scale * draw.between(1e-3, 5e-3);
    placement::Layer layer;
    layer.on = {
        placement::LayerCost{Seconds(time), Joules(draw.between(0.01, 0.1))},
        placement::LayerCost{Seconds(time * draw.between(0.5, 3.0)), Joules(draw.between(0.01, 0.1))}};
    chain.layers.push_back(std::move(layer));
    if (i > 0) chain.boundaries.push_back({Bytes(draw.between(1e4, 1e6)), true, {}, {}});
  }
  chain.links.assign(
      2, std::vector<placement::Link>(2, placement::Link{Seconds(1e-4), 5e-10, Joules(1e-3), 0.0}));
  return chain;
}

Column column_of(const Costs& costs, const placement::Placement& placement) {
  return {placement, placement::evaluate(costs, placement)};
}

profiles::Variant variant_of(const Costs& costs, const Column& column, const std::string& id,
                             double accuracy) {
  profiles::Variant variant;
  variant.id = VariantId(id);
  variant.accuracy = accuracy;
  variant.energy_per_inference = column.evaluation.energy;
  for (const placement::Stage& placed : column.placement) {
    const ProcessorId& processor = costs.chain().processors[placed.processor].id;
    variant.frame_time[processor] = column.evaluation.load[placed.processor];
    if (column.placement.size() == 1) continue;
    profiles::Stage stage;
    stage.kind = processor;
    variant.staging.stages.push_back(stage);
  }
  variant.staging.latency = column.evaluation.latency;
  variant.staging.max_fps = column.evaluation.pipelined();
  variant.staging.max_in_flight = static_cast<int>(column.evaluation.max_in_flight);
  return variant;
}

Plan decide(const Snapshot& snapshot) {
  const ilp::GlpkSolver glpk;
  return scheduler::make_policy(scheduler::PolicyKind::transprecision, glpk)->decide(snapshot, {});
}

// A network in two sizes on two processors, and three tasks.
class Case {
 public:
  explicit Case(std::uint64_t seed, double most_fps = 70.0) : Case(Draw(seed), most_fps) {}
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  [[nodiscard]] PricingCase problem(std::size_t columns) const {
    PricingCase problem;
    problem.snapshot = scene_.snapshot;
    problem.tasks = {0, 1, 2};
    problem.set = set_;
    for (std::size_t n = 0; n < 2; ++n) {
      problem.networks.push_back(
          {&costs_[n], 2 * n, placement::start_set(costs_[n], {.most = columns}),
           [this, n](const Column& column, const std::string& id) -> std::optional<profiles::Variant> {
             if (column.placement.size() == 1) return std::nullopt;
             return variant_of(costs_[n], column, id, kAccuracy[n]);
           }});
    }
    problem.solver = &glpk_;
    problem.decide = decide;
    return problem;
  }

  // The tasks with every placement there is.
  [[nodiscard]] Snapshot with_all() const {
    profiles::ProfileSet all = set_;
    for (std::size_t n = 0; n < 2; ++n) {
      for (std::size_t mask = 1; mask + 1 < (std::size_t{1} << kLayers); ++mask) {
        std::vector<std::size_t> assignment;
        for (std::size_t i = 0; i < kLayers; ++i) assignment.push_back((mask >> i) & 1U);
        all.variants.push_back(variant_of(costs_[n],
                                          column_of(costs_[n], placement::placement_of(assignment)),
                                          "all" + std::to_string(all.variants.size()), kAccuracy[n]));
      }
    }
    Snapshot snapshot = scene_.snapshot;
    const auto shared = std::make_shared<const profiles::ProfileSet>(std::move(all));
    for (scheduler::Task& task : snapshot.tasks) task.profiles = shared;
    return snapshot;
  }
  [[nodiscard]] const ilp::GlpkSolver& glpk() const { return glpk_; }
  Snapshot& snapshot() { return scene_.snapshot; }

 private:
  static constexpr double kAccuracy[] = {0.9, 0.8};

  Case(Draw draw, double most_fps) : costs_{Costs(chain_of(draw, 1.0)), Costs(chain_of(draw, 0.5))} {
    set_.network = "made up";
    for (std::size_t n = 0; n < 2; ++n) {
      for (std::size_t p = 0; p < 2; ++p) {
        const std::string id = std::string(n == 0 ? "large" : "small") + (p == 0 ? "-a" : "-b");
        set_.variants.push_back(
            variant_of(costs_[n], column_of(costs_[n], placement::whole_on(costs_[n], p)), id, kAccuracy[n]));
      }
    }
    scene_.cpu("a").cpu("b");
    const auto shared = std::make_shared<const profiles::ProfileSet>(set_);
    for (const char* id : {"one", "two", "three"}) {
      scene_.task(id, std::round(draw.between(10.0, most_fps)));
      scene_.last().weight = std::round(draw.between(1.0, 3.0));
      scene_.last().profiles = shared;
    }
    if (draw.between(0.0, 1.0) < 0.4) scene_.snapshot.objective = scheduler::Objective::min_energy;
  }

  std::vector<Costs> costs_;
  profiles::ProfileSet set_;
  test::Scene scene_;
  ilp::GlpkSolver glpk_;
};

TEST(ColumnPricing, ItsBoundIsTheLinearProgramOverAllPlacements) {
  int priced = 0, added = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case made(seed, seed % 2 == 0 ? 70.0 : 250.0);
    PricingCase problem = made.problem(3);
    problem.decide = [](const Snapshot&) { return Plan{}; };  // plans are not examined
    const auto pricing = price_columns(std::move(problem));
    ASSERT_TRUE(pricing) << to_string(pricing.errors());
    const auto all = scheduler::price_rows(made.with_all(), Priced::objective, made.glpk());
    ASSERT_EQ(pricing.value().bound.has_value(), all.has_value());
    if (!all) {
      ++refused;
      EXPECT_FALSE(pricing.value().closed) << "there is no bound";
      const auto served = scheduler::price_rows(made.with_all(), Priced::serving, made.glpk());
      ASSERT_TRUE(pricing.value().served && served);
      EXPECT_NEAR(*pricing.value().served, served->bound(), 1e-5);
      EXPECT_LT(served->bound(), 3.0 - 1e-7);
      continue;
    }
    ++priced;
    EXPECT_TRUE(pricing.value().closed);
    for (const auto& columns : pricing.value().added) added += static_cast<int>(columns.size());
    EXPECT_NEAR(std::abs(*pricing.value().bound), std::abs(all->bound()), 1e-5 * std::abs(all->bound()));
  }
  EXPECT_GT(priced, 20);
  EXPECT_GT(added, 20);
  EXPECT_GT(refused, 3);
}

TEST(ColumnPricing, ThePlanIsBetweenTheStartSetsAndTheBestOfAllPlacements) {
  int compared = 0, better = 0;
  for (std::uint64_t seed = 101; seed <= 130; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case made(seed);
    const auto result = price_columns(made.problem(2));
    ASSERT_TRUE(result) << to_string(result.errors());
    const Pricing& pricing = result.value();
    const Snapshot all = made.with_all();
    std::vector<double> demanded;
    for (const scheduler::Task& task : all.tasks) demanded.push_back(task.demand.value());
    test::BruteForce brute(all);
    const auto best = brute.best(demanded);  // larger is better
    const auto gap = gap_of(pricing.after, pricing);
    if (!best || !gap) continue;
    ++compared;
    const double sign = all.objective == scheduler::Objective::max_accuracy ? 1.0 : -1.0;
    const double after = sign * *pricing.after.objective_value, bound = sign * *pricing.bound;
    EXPECT_LE(*best, bound + 1e-6 * std::abs(bound));
    EXPECT_LE(after, *best + 1e-6 * std::abs(*best));
    EXPECT_NEAR(*gap, (bound - after) / std::abs(after), 1e-6);
    if (!gap_of(pricing.before, pricing)) {  // the start sets alone lose demand
      ++better;
      continue;
    }
    EXPECT_GE(after, sign * *pricing.before.objective_value - 1e-9);
    better += after > sign * *pricing.before.objective_value + 1e-6 ? 1 : 0;
  }
  EXPECT_GT(compared, 10);
  EXPECT_GT(better, 2);
}

TEST(ColumnPricing, WithAllPlacementsInTheStartSetNothingIsAdded) {
  const Case made(7);
  const auto once = price_columns(made.problem(64));
  ASSERT_TRUE(once && once.value().bound);
  PricingCase again = made.problem(64);
  for (std::size_t n = 0; n < 2; ++n) {
    for (const Column& column : once.value().added[n]) again.networks[n].columns.push_back(column);
  }
  const auto twice = price_columns(std::move(again));
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice.value().rounds, 1U);
  EXPECT_TRUE(twice.value().closed);
  for (const auto& columns : twice.value().added) EXPECT_TRUE(columns.empty());
  EXPECT_NEAR(*twice.value().bound, *once.value().bound, 1e-6 * std::abs(*once.value().bound));
}

TEST(ColumnPricing, AFloorOnAccuracyKeepsANetworkOut) {
  Case made(3);
  for (scheduler::Task& task : made.snapshot().tasks) {
    task.min_accuracy = 0.85;
    task.demand = Fps(1.0);
  }
  const auto pricing = price_columns(made.problem(1));
  ASSERT_TRUE(pricing);
  EXPECT_TRUE(pricing.value().added[1].empty());
  EXPECT_EQ(pricing.value().after.status, PlanStatus::optimal);
}

TEST(ColumnPricing, ATaskThatNoVariantCanServeIsNamedForTheBoundWouldNotKnowIt) {
  Case made(3);
  made.snapshot().tasks[1].max_frame_time = Seconds(1e-9);
  const auto pricing = price_columns(made.problem(3));
  ASSERT_FALSE(pricing);
  ASSERT_EQ(pricing.errors().size(), 1U);
  EXPECT_EQ(pricing.errors()[0].where, made.snapshot().tasks[1].id.str());
  EXPECT_NE(pricing.errors()[0].what.find("no variant passes its limits"), std::string::npos);
}

TEST(ColumnPricing, LayersOfAnotherProcessorAreRefused) {
  Case made(3);
  made.snapshot().processors[1].id = ProcessorId("c");
  const auto pricing = price_columns(made.problem(3));
  ASSERT_FALSE(pricing);
  EXPECT_EQ(pricing.errors().size(), 2U) << "one for each network";
  EXPECT_NE(pricing.errors()[0].what.find("`b`"), std::string::npos);
}

}  // namespace
}  // namespace saccade::app
