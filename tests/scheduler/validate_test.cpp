// Filters, and what makes a snapshot unusable.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/cost_table.hpp"
#include "scheduler/filter.hpp"
#include "scheduler/prepared_set.hpp"
#include "tests/scheduler/brute_force.hpp"
#include "tests/scheduler/scene.hpp"
#include "tests/support/random_snapshot.hpp"

namespace saccade::scheduler {
namespace {

using test::Scene;

Scene gate() {
  Scene scene;
  scene.cpu().task("gate", 10).variant("a", 0.8, 10, {.megabytes = 10, .joules = 0.1, .watts = 4});
  scene.variant("b", 0.9, 20, {.megabytes = 30, .joules = 0.3, .watts = 8});
  return scene;
}

Filtered filtered(const Snapshot& snapshot) {
  return filter_variants(snapshot, snapshot.tasks[0], variant_costs(snapshot, snapshot.tasks[0]));
}

TEST(Filters, NameTheCulpritOfEveryRemovedVariant) {
  struct Case {
    Filter filter;
    std::size_t removed;
    std::function<void(Snapshot&)> set;
  };
  const std::vector<Case> cases = {
      {Filter::excluded, 0,
       [](Snapshot& s) {
         s.tasks[0].excluded = {true, false};
       }},
      {Filter::processor, 1,
       [](Snapshot& s) {
         profiles::ProfileSet set = *s.tasks[0].profiles;
         set.variants[1].frame_time[ProcessorId("dla")] = Seconds(0.001);
         s.tasks[0].profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
       }},
      {Filter::min_accuracy, 0, [](Snapshot& s) { s.tasks[0].min_accuracy = 0.9; }},
      {Filter::min_relative_accuracy, 0, [](Snapshot& s) { s.tasks[0].min_relative_accuracy = 0.9; }},
      {Filter::max_frame_time, 1, [](Snapshot& s) { s.tasks[0].max_frame_time = Seconds(0.01); }},
      {Filter::max_latency, 1, [](Snapshot& s) { s.tasks[0].max_latency = Seconds(0.01); }},
      {Filter::max_power, 1, [](Snapshot& s) { s.tasks[0].max_power = Watts(4); }},
      {Filter::max_memory, 1, [](Snapshot& s) { s.tasks[0].max_memory = Bytes(10e6); }},
      {Filter::peak_power, 1,
       [](Snapshot& s) {
         s.idle_power = Watts(2);
         s.limits.peak_power = Watts(6);
       }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(to_string(c.filter));
    Scene scene = gate();
    c.set(scene.snapshot);
    EXPECT_EQ(to_string(validate(scene.snapshot)), "");
    const Filtered result = filtered(scene.snapshot);
    ASSERT_EQ(result.removed.size(), 1U);
    EXPECT_EQ(result.removed[0].variant, c.removed);
    EXPECT_EQ(result.removed[0].filter, c.filter);
    EXPECT_EQ(result.kept, std::vector<std::size_t>{1 - c.removed});
  }
}

TEST(Filters, KeepExactlyWhatPlainComparisonKeeps) {
  test::RandomSnapshots snapshots(5);
  for (int i = 0; i < 500; ++i) {
    const Snapshot snapshot = snapshots.next();
    const test::BruteForce brute(snapshot);
    for (std::size_t t = 0; t < snapshot.tasks.size(); ++t) {
      if (!snapshot.tasks[t].active()) continue;
      std::vector<std::size_t> expected;
      for (std::size_t v = 0; v < snapshot.tasks[t].profiles->variants.size(); ++v) {
        if (brute.usable(t, v)) expected.push_back(v);
      }
      const Filtered result =
          filter_variants(snapshot, snapshot.tasks[t], variant_costs(snapshot, snapshot.tasks[t]));
      ASSERT_EQ(result.kept, expected);
      EXPECT_EQ(result.kept.size() + result.removed.size(), snapshot.tasks[t].profiles->variants.size());
    }
  }
}

// The planner reads costs from tables; everyone else from variant_cost().
TEST(CostTable, HoldsWhatEveryVariantCosts) {
  test::RandomSnapshots snapshots(6);
  for (int i = 0; i < 300; ++i) {
    const Snapshot snapshot = snapshots.next();
    const MemoryPlaces places = memory_places(snapshot);
    for (const Task& task : snapshot.tasks) {
      if (!task.active()) continue;
      const CostTable table(snapshot, task, places, i % 2 == 0);
      const std::vector<VariantCost> costs = variant_costs(snapshot, task);
      ASSERT_EQ(table.size(), costs.size());
      for (std::size_t v = 0; v < costs.size(); ++v) {
        for (std::size_t p = 0; p < snapshot.processors.size(); ++p) {
          EXPECT_EQ(table.time(v, p), costs[v].time[p]);
        }
        EXPECT_EQ(table.total_time(v), costs[v].total_time());
        EXPECT_EQ(table.accuracy(v), costs[v].accuracy);
        EXPECT_EQ(table.relative_accuracy(v), costs[v].relative_accuracy);
        ASSERT_EQ(table.has_energy(v), costs[v].energy.has_value());
        ASSERT_EQ(table.has_memory(v), costs[v].memory.has_value());
        if (table.has_energy(v)) {
          EXPECT_EQ(table.energy(v), *costs[v].energy);
        }
        if (table.has_memory(v)) {
          EXPECT_EQ(table.memory(v), *costs[v].memory);
        }
        EXPECT_EQ(table.of(v).power, costs[v].power);
        EXPECT_EQ(table.of(v).power_by_processor, costs[v].power_by_processor);
        EXPECT_EQ(table.of(v).device_memory, costs[v].device_memory);
      }
    }
  }
}

TEST(CostTable, IsFilteredAsAListOfCostsIs) {
  test::RandomSnapshots snapshots(7);
  for (int i = 0; i < 500; ++i) {
    const Snapshot snapshot = snapshots.next();
    const MemoryPlaces places = memory_places(snapshot);
    for (const Task& task : snapshot.tasks) {
      if (!task.active()) continue;
      const Filtered of_table = filter_variants(snapshot, task, CostTable(snapshot, task, places, false));
      const Filtered of_list = filter_variants(snapshot, task, variant_costs(snapshot, task));
      EXPECT_EQ(of_table.kept, of_list.kept);
      EXPECT_EQ(count_removed(of_table), count_removed(of_list));
      EXPECT_EQ(of_table.unmeasured.size(), of_list.unmeasured.size());
    }
  }
}

// Each of them alone, since tables have a short way where there is nothing to judge by.
TEST(CostTable, IsFilteredAsAListOfCostsIsByEveryFilterAndNeedAlone) {
  const std::vector<std::function<void(Snapshot&, Task&)>> settings = {
      [](Snapshot&, Task&) {},
      [](Snapshot&, Task& task) {
        task.excluded = {true, false, false};
      },
      [](Snapshot&, Task& task) { task.min_accuracy = 0.85; },
      [](Snapshot&, Task& task) { task.min_relative_accuracy = 0.95; },
      [](Snapshot&, Task& task) { task.max_frame_time = Seconds(0.006); },
      [](Snapshot&, Task& task) { task.max_latency = Seconds(0.006); },
      [](Snapshot&, Task& task) { task.max_power = Watts(3.0); },
      [](Snapshot&, Task& task) { task.max_memory = Bytes(5e6); },
      [](Snapshot& snapshot, Task&) { snapshot.limits.peak_power = Watts(3.0); },
      [](Snapshot& snapshot, Task&) { snapshot.limits.energy_per_second = Watts(100.0); },
      [](Snapshot& snapshot, Task&) { snapshot.limits.memory = Bytes(100e6); },
      [](Snapshot& snapshot, Task& task) {  // of a device: one variant was measured
        profiles::ProfileSet set = *task.profiles;
        set.variants[1].device_memory = Bytes(1e6);
        task.profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
        snapshot.processors[0].memory = "gpu";
        snapshot.limits.memories["gpu"] = Bytes(100e6);
      },
      [](Snapshot& snapshot, Task&) {  // on every processor
        snapshot.processors.push_back(snapshot.processors[0]);
        snapshot.processors[1].id = ProcessorId("gpu");
        snapshot.limits.peak_power = Watts(100.0);
      },
      [](Snapshot& snapshot, Task&) { snapshot.objective = Objective::min_energy; },
      [](Snapshot& snapshot, Task&) { snapshot.objective = Objective::min_memory; },
      [](Snapshot& snapshot, Task&) { snapshot.processors[0].id = ProcessorId("another"); },
  };
  std::size_t judged = 0;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    SCOPED_TRACE(i);
    Scene scene;
    scene.cpu().task("gate", 10).variant("large", 0.9, 10, {.megabytes = 10, .joules = 0.1, .watts = 4});
    scene.variant("small", 0.8, 5, {.megabytes = 2, .joules = 0.02, .watts = 2}).variant("unknown", 0.7, 2);
    Snapshot& snapshot = scene.snapshot;
    settings[i](snapshot, snapshot.tasks[0]);
    Task& task = snapshot.tasks[0];
    const MemoryPlaces places = memory_places(snapshot);
    const Filtered of_list = filter_variants(snapshot, task, variant_costs(snapshot, task));
    for (const bool is_prepared : {false, true}) {
      if (is_prepared) task.profiles = prepare(*task.profiles);
      const Filtered of_table = filter_variants(snapshot, task, CostTable(snapshot, task, places, false));
      EXPECT_EQ(of_table.kept, of_list.kept);
      EXPECT_EQ(count_removed(of_table), count_removed(of_list));
      EXPECT_EQ(of_table.unmeasured.size(), of_list.unmeasured.size());
    }
    judged += of_list.kept.size() < 3 ? 1U : 0U;
  }
  EXPECT_EQ(judged, settings.size() - 1) << "all but the first";
}

class AbsentMeasure : public ::testing::Test {
 protected:
  AbsentMeasure() {
    scene_.cpu().task("gate", 10).variant("known", 0.9, 10, {.megabytes = 10, .joules = 0.1, .watts = 4});
    scene_.variant("unknown", 0.8, 5);
  }
  void expect_refused(const std::string& where) {
    const Errors errors = validate(scene_.snapshot);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].where, where);
    EXPECT_NE(errors[0].what.find("`unknown`"), std::string::npos);
    EXPECT_EQ(errors[0].what.find("`known`"), std::string::npos);
  }
  Scene scene_;
};

TEST_F(AbsentMeasure, IsFineWhileNothingNeedsIt) { EXPECT_TRUE(validate(scene_.snapshot).empty()); }
TEST_F(AbsentMeasure, RefusesAMemoryLimit) {
  scene_.snapshot.limits.memory = Bytes(1e9);
  expect_refused("/limits/memory_bytes");
}
TEST_F(AbsentMeasure, RefusesAnEnergyLimit) {
  scene_.snapshot.limits.energy_per_second = Watts(100);
  expect_refused("/limits/energy_joules_per_second");
}
TEST_F(AbsentMeasure, RefusesAPeakPowerLimit) {
  scene_.snapshot.limits.peak_power = Watts(100);
  expect_refused("/limits/peak_power_watts");
}
TEST_F(AbsentMeasure, RefusesAPeakPowerLimitOverTwoProcessors) {
  scene_.cpu("gpu");
  scene_.snapshot.limits.peak_power = Watts(100);
  expect_refused("/limits/peak_power_watts");
}
TEST_F(AbsentMeasure, RefusesTheObjective) {
  scene_.snapshot.objective = Objective::min_energy;
  expect_refused("/objective");
}
TEST_F(AbsentMeasure, RefusesALimitOfTheTask) {
  scene_.last().max_memory = Bytes(1e9);
  expect_refused("/tasks/gate/max_memory_bytes");
}
TEST_F(AbsentMeasure, IsFineWhereAnotherFilterRemovesTheVariant) {
  scene_.snapshot.objective = Objective::min_memory;
  scene_.last().min_accuracy = 0.85;
  EXPECT_TRUE(validate(scene_.snapshot).empty());
}
TEST_F(AbsentMeasure, IsFineForAnInactiveTask) {
  scene_.snapshot.objective = Objective::min_memory;
  scene_.last().demand = Fps(0.0);
  EXPECT_TRUE(validate(scene_.snapshot).empty());
}

TEST(Validate, NamesEveryMistakeAtItsPlace) {
  const double nan = std::nan("");
  struct Case {
    std::string where;
    std::function<void(Snapshot&)> spoil;
  };
  const std::vector<Case> cases = {
      {"/processors", [](Snapshot& s) { s.processors.clear(); }},
      {"/processors/cpu", [](Snapshot& s) { s.processors.push_back(s.processors[0]); }},
      {"/processors/cpu/capacity", [=](Snapshot& s) { s.processors[0].capacity = nan; }},
      {"/processors/cpu/guard_seconds", [](Snapshot& s) { s.processors[0].guard = Seconds(1.0); }},
      {"/processors/cpu/correction", [](Snapshot& s) { s.processors[0].correction = 0.0; }},
      {"/limits/memory_bytes", [](Snapshot& s) { s.limits.memory = Bytes(-1); }},
      {"/limits/energy_joules_per_second", [=](Snapshot& s) { s.limits.energy_per_second = Watts(nan); }},
      {"/limits/peak_power_watts", [](Snapshot& s) { s.limits.peak_power = Watts(-1); }},
      {"/device/idle_power_watts", [](Snapshot& s) { s.idle_power = Watts(-1); }},
      {"/solver/switch_penalty/min_energy", [](Snapshot& s) { s.switch_penalty.min_energy = -1; }},
      {"/solver/min_dwell_seconds", [](Snapshot& s) { s.min_dwell = Seconds(-1); }},
      {"/tasks/gate", [](Snapshot& s) { s.tasks.push_back(s.tasks[0]); }},
      {"/tasks/gate/fps", [](Snapshot& s) { s.tasks[0].demand = Fps(-1); }},
      {"/tasks/gate/fps",
       [](Snapshot& s) { s.tasks[0].demand = Fps(std::numeric_limits<double>::infinity()); }},
      {"/tasks/gate/regions", [](Snapshot& s) { s.tasks[0].regions = 0; }},
      {"/tasks/gate/weight", [](Snapshot& s) { s.tasks[0].weight = 0; }},
      {"/tasks/gate/min_accuracy", [](Snapshot& s) { s.tasks[0].min_accuracy = 95; }},
      {"/tasks/gate/min_relative_accuracy", [](Snapshot& s) { s.tasks[0].min_relative_accuracy = -0.1; }},
      {"/tasks/gate/max_frame_time_seconds", [](Snapshot& s) { s.tasks[0].max_frame_time = Seconds(0); }},
      {"/tasks/gate/max_latency_seconds", [](Snapshot& s) { s.tasks[0].max_latency = Seconds(0); }},
      {"/tasks/gate/min_time_share", [](Snapshot& s) { s.tasks[0].min_time_share = -1; }},
      {"/tasks/gate/min_fps", [](Snapshot& s) { s.tasks[0].min_fps = Fps(-1); }},
      {"/tasks/gate/excluded", [](Snapshot& s) { s.tasks[0].excluded = {true}; }},
      {"/tasks/gate/running", [](Snapshot& s) { s.tasks[0].running = 2; }},
      {"/tasks/gate/profiles", [](Snapshot& s) { s.tasks[0].profiles.reset(); }},
      {"/tasks/gate/profiles",
       [](Snapshot& s) { s.tasks[0].profiles = std::make_shared<const profiles::ProfileSet>(); }},
      {"/tasks/gate/profiles", [](Snapshot& s) { s.processors[0].id = ProcessorId("gpu"); }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.where);
    Scene scene = gate();
    c.spoil(scene.snapshot);
    const Errors errors = validate(scene.snapshot);
    ASSERT_EQ(errors.size(), 1U) << to_string(errors);
    EXPECT_EQ(errors[0].where, c.where);
  }
}

TEST(Validate, CollectsAllMistakes) {
  Scene scene = gate();
  scene.snapshot.limits.memory = Bytes(-1);
  scene.last().weight = -1;
  scene.last().regions = 0;
  EXPECT_EQ(validate(scene.snapshot).size(), 3U);
}

TEST(Names, AreReadBackAsTheyAreWritten) {
  for (const Objective objective : {Objective::max_accuracy, Objective::min_energy, Objective::min_memory}) {
    EXPECT_EQ(objective_from(to_string(objective)), objective);
  }
  for (const Degrade degrade : {Degrade::exact, Degrade::step, Degrade::refuse}) {
    EXPECT_EQ(degrade_from(to_string(degrade)), degrade);
  }
  EXPECT_FALSE(objective_from("max_fun").has_value());
  EXPECT_FALSE(degrade_from("").has_value());
}

}  // namespace
}  // namespace saccade::scheduler
