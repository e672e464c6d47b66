// What the paper's experiments are drawn from: the scenario file, the random steps, the energy model.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "bench/paper/bed.hpp"

namespace saccade::bench {
namespace {

const std::filesystem::path kFile =
    std::filesystem::path(SACCADE_SOURCE_DIR) / "bench/paper/experiments.json";

Bed shipped_bed() {
  Result<Bed> bed = open_bed(kFile);
  EXPECT_TRUE(bed.ok());
  return std::move(bed).value();
}

bool within(double value, const Range& range) { return range.least <= value && value <= range.most; }

TEST(PaperScenario, ShippedFileIsWhole) {
  const Bed bed = shipped_bed();
  EXPECT_EQ(bed.scenario.tasks.size(), 5U);
  EXPECT_EQ(bed.measured.size(), bed.modelled.size());
  EXPECT_GE(bed.scenario.random.steps, 2000);
  EXPECT_GE(bed.scenario.rates.to, 30);
}

TEST(PaperScenario, EveryMistakeIsTold) {
  const auto wrong = parse_scenario(R"({"seed": -1, "tasks": [], "rates": {"from": 5, "to": 3}, "stepps": 1,
                                        "random": {"fps": [9, 2]}})",
                                    "wrong.json", "");
  ASSERT_FALSE(wrong.ok());
  const std::string words = to_string(wrong.errors());
  for (const char* part :
       {"/seed", "/tasks", "/rates/to", "/stepps", "/random/fps", "ends below its beginning",
        "`regions` is missing", "`modelled_energy` is missing"}) {
    EXPECT_NE(words.find(part), std::string::npos) << part << " in\n" << words;
  }
}

TEST(PaperScenario, StepsStayInTheirRangesAndDiffer) {
  const Bed bed = shipped_bed();
  RandomRanges ranges = bed.scenario.random;
  ranges.steps = 200;
  const auto steps = draw_steps(bed, ranges, 7);
  ASSERT_EQ(steps.size(), 200U);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const scheduler::Snapshot& snapshot = steps[i].snapshot;
    EXPECT_EQ(steps[i].at, to_duration(ranges.step) * static_cast<std::int64_t>(i));
    EXPECT_TRUE(scheduler::validate(snapshot).empty());
    for (const scheduler::Task& task : snapshot.tasks) {
      EXPECT_TRUE(within(task.demand.value(), ranges.fps));
      EXPECT_TRUE(within(*task.min_relative_accuracy, ranges.min_relative_accuracy));
    }
    EXPECT_TRUE(within(snapshot.limits.memory->value(), ranges.memory));
    EXPECT_TRUE(within(snapshot.limits.energy_per_second->value(), ranges.energy_per_second));
    EXPECT_TRUE(within(snapshot.limits.peak_power->value(), ranges.peak_power));
    if (i > 0) {
      EXPECT_NE(snapshot.tasks[0].demand, steps[i - 1].snapshot.tasks[0].demand);
    }
  }
}

TEST(PaperScenario, ASeedDrawsTheSameStepsHoweverMany) {
  const Bed bed = shipped_bed();
  RandomRanges few = bed.scenario.random, many = bed.scenario.random;
  few.steps = 10;
  many.steps = 50;
  const auto a = draw_steps(bed, few, 3), b = draw_steps(bed, many, 3), c = draw_steps(bed, few, 4);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].snapshot.tasks[4].demand, b[i].snapshot.tasks[4].demand);
    EXPECT_EQ(a[i].snapshot.limits.memory, b[i].snapshot.limits.memory);
    EXPECT_NE(a[i].snapshot.tasks[4].demand, c[i].snapshot.tasks[4].demand);
  }
}

TEST(EnergyModel, IsLabelledVariesByVariantAndLeavesTheRestAlone) {
  const Bed bed = shipped_bed();
  for (std::size_t i = 0; i < bed.measured.size(); ++i) {
    const profiles::ProfileSet& measured = *bed.measured[i];
    const profiles::ProfileSet& modelled = *bed.modelled[i];
    EXPECT_EQ(modelled.provenance.energy_source, "modelled");
    EXPECT_EQ(modelled.device.idle_power, bed.scenario.energy.idle);
    std::set<double> powers;
    for (std::size_t v = 0; v < measured.variants.size(); ++v) {
      const profiles::Variant& variant = modelled.variants[v];
      EXPECT_EQ(variant.frame_time, measured.variants[v].frame_time);
      EXPECT_EQ(variant.memory, measured.variants[v].memory);
      const double time = variant.frame_time.begin()->second.value();
      EXPECT_NEAR(variant.energy_per_inference->value(), variant.power->device->value() * time, 1e-12);
      powers.insert(variant.power->device->value());
    }
    EXPECT_EQ(powers.size(), measured.variants.size());
  }
}

TEST(EnergyModel, MovesTheInputOfOnePictureWhateverTheLargestBatch) {
  profiles::ProfileSet set;
  set.input = {.width = 10, .height = 5, .channels = 3};  // 600 bytes as float32
  profiles::Variant variant;
  variant.precision = profiles::Precision::fp32;
  variant.frame_time[ProcessorId("cpu")] = Seconds(0.001);
  variant.memory = Bytes(10'000);
  set.variants = {variant, variant};
  set.variants[1].batch_time[4][ProcessorId("cpu")] = Seconds(0.003);
  set.variants[1].batch_time[16][ProcessorId("cpu")] = Seconds(0.01);
  const EnergyModel model{.fp32 = Watts(5.0), .per_byte = JoulesPerByte(1e-6)};
  const profiles::ProfileSet modelled = with_modelled_energy(set, model);
  EXPECT_NEAR(modelled.variants[0].energy_per_inference->value(), 0.005 + 0.01, 1e-12);
  EXPECT_NEAR(modelled.variants[1].energy_per_inference->value(), 0.005 + 0.001, 1e-12);
}

TEST(EnergyModel, WithoutMemoryThereIsNoEnergy) {
  profiles::ProfileSet set;
  set.variants.emplace_back();
  set.variants.front().frame_time[ProcessorId("cpu")] = Seconds(0.001);
  const profiles::ProfileSet modelled = with_modelled_energy(set, {.fp32 = Watts(5.0)});
  EXPECT_FALSE(modelled.variants.front().energy_per_inference);
  EXPECT_FALSE(modelled.variants.front().power);
}

}  // namespace
}  // namespace saccade::bench
