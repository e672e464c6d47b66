// What a variant costs is computed twice, in variant_cost() and, with arithmetic of its own, for the plan
// check and the brute-force oracle. Both are held to figures worked out by hand, to each other on random
// snapshots, and the check must refuse plans accounted with each mistake that can be made in such a sum.
#include "scheduler/recomputed_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "scheduler/plan_check.hpp"
#include "tests/scheduler/scene.hpp"
#include "tests/support/random_snapshot.hpp"

namespace saccade::scheduler {
namespace {

using test::Scene;

// A variant on two of three processors, profiled at batches 1, 4 and 8; the profile names the processors
// in another order than the snapshot. A frame has 6 regions, halfway between the batches 4 and 8:
//          t(1)   t(4)   t(8)   t(6)   correction   per frame   P
//   gpu    10     22     38     30 ms  0.5          15 ms       9 W
//   cpu    2      8      12     10 ms  1.5          15 ms       4 W
class TwoProcessors : public ::testing::Test {
 protected:
  TwoProcessors() {
    scene_.cpu("gpu").cpu("npu").cpu("cpu");
    scene_.snapshot.processors[0].correction = 0.5;
    scene_.snapshot.processors[2].correction = 1.5;
    scene_.snapshot.idle_power = Watts(2);
    scene_.task("gate", 10).variant("best", 0.8, 1000, {.megabytes = 9, .joules = 9, .watts = 9}, "npu");
    scene_.variant("split", 0.6, 10, {.megabytes = 30}, "gpu");
    scene_.last().regions = 6;
    edit([](profiles::Variant& split) {
      split.frame_time[ProcessorId("cpu")] = Seconds(2e-3);
      for (const auto& [batch, gpu, cpu] : {std::tuple(4, 22e-3, 8e-3), {8, 38e-3, 12e-3}}) {
        split.batch_time[batch] = {{ProcessorId("gpu"), Seconds(gpu)}, {ProcessorId("cpu"), Seconds(cpu)}};
      }
      split.power = profiles::Power{{}, {{ProcessorId("gpu"), Watts(9)}, {ProcessorId("cpu"), Watts(4)}}};
    });
  }
  // Changes the variant that the test is about.
  void edit(const std::function<void(profiles::Variant&)>& change) {
    profiles::ProfileSet set = *scene_.last().profiles;
    change(set.variants[1]);
    scene_.last().profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
  }
  [[nodiscard]] RecomputedCost recomputed() const {
    return recompute_cost(scene_.snapshot, scene_.snapshot.tasks[0], 1);
  }
  [[nodiscard]] VariantCost used_by_the_planner() const {
    return variant_cost(scene_.snapshot, scene_.snapshot.tasks[0], 1);
  }
  // Both computations of the time on each processor, in milliseconds.
  void expect_milliseconds(const std::vector<double>& expected) const {
    for (std::size_t p = 0; p < expected.size(); ++p) {
      EXPECT_NEAR(recomputed().seconds[p] * 1e3, expected[p], 1e-9) << p;
      EXPECT_NEAR(used_by_the_planner().time[p].value() * 1e3, expected[p], 1e-9) << p;
    }
  }
  void expect_joules(double expected) const {
    EXPECT_NEAR(recomputed().joules.value(), expected, 1e-12);
    EXPECT_NEAR(used_by_the_planner().energy.value().value(), expected, 1e-12);
  }

  Scene scene_;
};

TEST_F(TwoProcessors, TimesAreInterpolatedAndCorrected) { expect_milliseconds({15, 0, 15}); }

TEST_F(TwoProcessors, ABatchThatWasMeasuredCountsAsMeasured) {
  scene_.last().regions = 1;
  expect_milliseconds({5, 0, 3});
  scene_.last().regions = 4;
  expect_milliseconds({11, 0, 12});
  scene_.last().regions = 8;
  expect_milliseconds({19, 0, 18});
}

TEST_F(TwoProcessors, BeyondTheLargestBatchTheLastSlopeGoesOn) {
  scene_.last().regions = 10;
  expect_milliseconds({23, 0, 21});
  edit([](profiles::Variant& split) { split.batch_time[8][ProcessorId("cpu")] = Seconds(7e-3); });
  expect_milliseconds({23, 0, 10.5});  // never below flat
}

TEST_F(TwoProcessors, WithoutBatchesRegionsMultiply) {
  edit([](profiles::Variant& split) { split.batch_time.clear(); });
  expect_milliseconds({30, 0, 18});
}

TEST_F(TwoProcessors, EnergyIsPowerTimesProfiledTime) { expect_joules(9 * 30e-3 + 4 * 10e-3); }

TEST_F(TwoProcessors, MeasuredEnergyGrowsWithTime) {
  edit([](profiles::Variant& split) { split.energy_per_inference = Joules(0.3); });
  expect_joules(0.3 * (30 + 10) / (10 + 2));
}

TEST_F(TwoProcessors, MeasuredEnergiesOfBatchesAreInterpolated) {
  edit([](profiles::Variant& split) {
    split.energy_per_inference = Joules(0.3);
    split.batch_energy = {{4, Joules(0.5)}, {8, Joules(0.7)}};
  });
  expect_joules(0.6);
  scene_.last().regions = 10;
  expect_joules(0.8);
  scene_.last().regions = 2;
  expect_joules(0.3 + 0.2 / 3);
}

TEST_F(TwoProcessors, ADevicesPowerCountsWithAllTimes) {
  edit([](profiles::Variant& split) { split.power = profiles::Power{Watts(5), {}}; });
  expect_joules(5 * 40e-3);
  EXPECT_EQ(recomputed().watts, 5);
  EXPECT_EQ(recomputed().watts_on[0], std::nullopt);  // how it divides is not known
  EXPECT_EQ(used_by_the_planner().power, Watts(5));
  EXPECT_EQ(used_by_the_planner().power_by_processor[0], std::nullopt);
}

TEST_F(TwoProcessors, PowerStandsWithItsProcessor) {
  EXPECT_EQ(recomputed().watts, 13);
  EXPECT_EQ(recomputed().watts_on, (std::vector<std::optional<double>>{9, 0, 4}));
  EXPECT_EQ(used_by_the_planner().power, Watts(13));
  const auto by_processor = used_by_the_planner().power_by_processor;
  EXPECT_TRUE(std::equal(by_processor.begin(), by_processor.end(),
                         std::vector<std::optional<Watts>>{Watts(9), Watts(0), Watts(4)}.begin()));
}

TEST_F(TwoProcessors, WhatIsNotMeasuredIsAbsent) {
  edit([](profiles::Variant& split) {
    split.memory.reset();
    split.power->by_processor.erase(ProcessorId("cpu"));
  });
  EXPECT_EQ(recomputed().bytes, std::nullopt);
  EXPECT_EQ(recomputed().joules, std::nullopt);
  EXPECT_EQ(recomputed().watts, std::nullopt);
  EXPECT_EQ(recomputed().watts_on, (std::vector<std::optional<double>>{9, 0, std::nullopt}));
}

TEST_F(TwoProcessors, AccuracyIsRelativeToTheNetworksBest) {
  EXPECT_EQ(recomputed().accuracy, 0.6);
  EXPECT_EQ(recomputed().best_accuracy, 0.8);
  EXPECT_NEAR(recomputed().relative_accuracy, 0.75, 1e-12);
  EXPECT_NEAR(used_by_the_planner().relative_accuracy, 0.75, 1e-12);
}

// A planner with a mistake in its costs is a planner of another snapshot: its plan is consistent in itself,
// every figure derived from the same wrong costs. Shown to the check with the true snapshot it is refused.
TEST_F(TwoProcessors, APlanOfWrongCostsIsRefused) {
  struct Mistake {
    const char* what;
    std::function<void(Snapshot&, profiles::Variant&)> make;
  };
  const std::vector<Mistake> mistakes = {
      {"regions forgotten", [](Snapshot& s, auto&) { s.tasks[0].regions = 1; }},
      {"one region too many", [](Snapshot& s, auto&) { s.tasks[0].regions = 7; }},
      {"batches forgotten", [](Snapshot&, auto& v) { v.batch_time.clear(); }},
      {"correction forgotten", [](Snapshot& s, auto&) { s.processors[0].correction = 1.0; }},
      {"correction applied twice", [](Snapshot& s, auto&) { s.processors[2].correction *= 1.5; }},
      {"correction of the wrong processor",
       [](Snapshot& s, auto&) { std::swap(s.processors[0].correction, s.processors[2].correction); }},
      {"power of the wrong processor",
       [](Snapshot&, auto& v) {
         std::swap(v.power->by_processor[ProcessorId("gpu")], v.power->by_processor[ProcessorId("cpu")]);
       }},
      {"energy corrected like time", [](Snapshot&, auto& v) { v.energy_per_inference = Joules(0.0585); }},
      {"power of one processor forgotten",
       [](Snapshot&, auto& v) { v.power->by_processor[ProcessorId("cpu")] = Watts(0); }},
      {"memory per region", [](Snapshot&, auto& v) { v.memory = *v.memory * 6.0; }},
      {"accuracy of another variant", [](Snapshot&, auto& v) { v.accuracy = 0.8; }},
  };
  Plan plan = blank_plan(scene_.snapshot, "by hand");
  plan.status = PlanStatus::optimal;
  plan.tasks[0].variant = 1;
  plan.tasks[0].granted = Fps(10);
  account(scene_.snapshot, plan);
  EXPECT_TRUE(check_plan(scene_.snapshot, plan).empty());
  for (const Mistake& mistake : mistakes) {
    Snapshot wrong = scene_.snapshot;
    profiles::ProfileSet set = *wrong.tasks[0].profiles;
    mistake.make(wrong, set.variants[1]);
    wrong.tasks[0].profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
    Plan consistent = plan;
    account(wrong, consistent);
    EXPECT_FALSE(check_plan(scene_.snapshot, consistent).empty()) << mistake.what;
  }
}

void expect_same(const std::optional<double>& recomputed, const std::optional<double>& planner) {
  ASSERT_EQ(recomputed.has_value(), planner.has_value());
  if (!planner) return;
  EXPECT_NEAR(*recomputed, *planner, 1e-12 * std::abs(*planner));
}
template <class Q>
std::optional<double> si(const std::optional<Q>& quantity) {
  return quantity ? std::optional(quantity->value()) : std::nullopt;
}

// 6 regions at batches 1 and 4 are beyond, 2 and 3 between what was measured; times are corrected, power
// stands for the device or for each processor, some measures are absent.
TEST(RandomSnapshots, CostTheSameBothWays) {
  test::RandomSnapshots snapshots(4711, {.most_processors = 3});
  for (int i = 0; i < 500; ++i) {
    const Snapshot snapshot = snapshots.next();
    for (const Task& task : snapshot.tasks) {
      for (std::size_t v = 0; v < task.profiles->variants.size(); ++v) {
        const VariantCost planner = variant_cost(snapshot, task, v);
        const RecomputedCost recomputed = recompute_cost(snapshot, task, v);
        ASSERT_EQ(recomputed.seconds.size(), planner.time.size());
        ASSERT_EQ(recomputed.watts_on.size(), planner.power_by_processor.size());
        for (std::size_t p = 0; p < planner.time.size(); ++p) {
          expect_same(recomputed.seconds[p], planner.time[p].value());
          expect_same(recomputed.watts_on[p], si(planner.power_by_processor[p]));
        }
        expect_same(recomputed.joules, si(planner.energy));
        expect_same(recomputed.watts, si(planner.power));
        expect_same(recomputed.bytes, si(planner.memory));
        expect_same(recomputed.accuracy, planner.accuracy);
        expect_same(recomputed.relative_accuracy, planner.relative_accuracy);
        expect_same(recomputed.total_seconds(), planner.total_time().value());
      }
    }
  }
}

}  // namespace
}  // namespace saccade::scheduler
