#include "profiles/variant.hpp"

#include <gtest/gtest.h>

#include "profiles/profile_set.hpp"

namespace saccade::profiles::variant_test {
namespace {

const ProcessorId cpu{"cpu"};
const ProcessorId gpu{"gpu"};

Variant single(double seconds) {
  Variant v;
  v.id = VariantId("v");
  v.accuracy = 0.9;
  v.frame_time[cpu] = Seconds(seconds);
  return v;
}

Variant batched() {
  Variant v = single(0.002);
  v.batch_time[4][cpu] = Seconds(0.006);
  v.batch_time[8][cpu] = Seconds(0.010);
  return v;
}

double cpu_time(const Variant& v, int regions) { return time_per_frame(v, regions).at(cpu).value(); }

TEST(Precision, EveryNameLeadsBackToItself) {
  for (const Precision p : kPrecisions) {
    EXPECT_EQ(precision_from(to_string(p)), p);
  }
  EXPECT_EQ(precision_from("float32"), std::nullopt);
}

TEST(TimePerFrame, WithoutBatchesEveryRegionCostsOneInference) {
  for (int r = 1; r <= 20; ++r) EXPECT_DOUBLE_EQ(cpu_time(single(0.002), r), 0.002 * r);
}

TEST(TimePerFrame, MeasuredBatchesAreUsedExactly) {
  EXPECT_EQ(cpu_time(batched(), 1), 0.002);
  EXPECT_EQ(cpu_time(batched(), 4), 0.006);
  EXPECT_EQ(cpu_time(batched(), 8), 0.010);
}

TEST(TimePerFrame, StraightLinesLieBetweenMeasuredBatches) {
  EXPECT_DOUBLE_EQ(cpu_time(batched(), 2), 0.002 + (0.006 - 0.002) / 3);
  EXPECT_DOUBLE_EQ(cpu_time(batched(), 6), 0.008);
}

TEST(TimePerFrame, BeyondTheLargestBatchTheLastSlopeGoesOn) {
  EXPECT_DOUBLE_EQ(cpu_time(batched(), 12), 0.014);
  Variant v = single(0.002);
  v.batch_time[4][cpu] = Seconds(0.005);
  EXPECT_DOUBLE_EQ(cpu_time(v, 7), 0.008);
}

TEST(TimePerFrame, ALargerBatchMeasuredFasterNeverLeadsBelowThatTime) {
  Variant v = batched();
  v.batch_time[8][cpu] = Seconds(0.004);
  EXPECT_DOUBLE_EQ(cpu_time(v, 1000), 0.004);
}

TEST(TimePerFrame, IsPerProcessorAndABatchMayLackOne) {
  Variant v = batched();
  v.frame_time[gpu] = Seconds(0.001);
  v.batch_time[8][gpu] = Seconds(0.0045);
  const TimeByProcessor times = time_per_frame(v, 4);
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times.at(cpu).value(), 0.006);
  EXPECT_DOUBLE_EQ(times.at(gpu).value(), 0.001 + 3 * 0.0005);
}

TEST(EnergyPerFrame, IsAbsentWhenNeitherEnergyNorPowerIsKnown) {
  EXPECT_EQ(energy_per_frame(batched(), 4), std::nullopt);
}

TEST(EnergyPerFrame, IsPowerTimesTimeOfTheWholeBatch) {
  Variant v = batched();
  v.frame_time[gpu] = Seconds(0.001);
  v.power = Power{Watts(5.0), {}};
  EXPECT_DOUBLE_EQ(energy_per_frame(v, 4)->value(), 5.0 * (0.006 + 0.004));
  v.power = Power{std::nullopt, {{cpu, Watts(2.0)}, {gpu, Watts(10.0)}}};
  EXPECT_DOUBLE_EQ(energy_per_frame(v, 4)->value(), 2.0 * 0.006 + 10.0 * 0.004);
}

TEST(EnergyPerFrame, MeasuredEnergyWinsOverPowerAndScalesWithTime) {
  Variant v = batched();
  v.power = Power{Watts(5.0), {}};
  v.energy_per_inference = Joules(0.5);
  EXPECT_DOUBLE_EQ(energy_per_frame(v, 1)->value(), 0.5);
  EXPECT_DOUBLE_EQ(energy_per_frame(v, 4)->value(), 1.5);
}

TEST(EnergyPerFrame, IsBetweenTheMeasuredEnergiesOfBatches) {
  Variant v = batched();
  v.power = Power{Watts(5.0), {}};
  v.energy_per_inference = Joules(0.5);
  v.batch_energy = {{5, Joules(0.9)}, {9, Joules(1.7)}};
  EXPECT_DOUBLE_EQ(energy_per_frame(v, 1)->value(), 0.5);
  EXPECT_DOUBLE_EQ(energy_per_frame(v, 3)->value(), 0.7);
  EXPECT_DOUBLE_EQ(energy_per_frame(v, 5)->value(), 0.9);
  EXPECT_DOUBLE_EQ(energy_per_frame(v, 7)->value(), 1.3);
  EXPECT_DOUBLE_EQ(energy_per_frame(v, 9)->value(), 1.7);
  EXPECT_DOUBLE_EQ(energy_per_frame(v, 11)->value(), 2.1) << "the last slope goes on";
}

TEST(EnergyPerFrame, AUsedProcessorWithoutPowerLeavesItUnknown) {
  Variant v = batched();
  v.power = Power{std::nullopt, {{gpu, Watts(10.0)}}};
  EXPECT_EQ(energy_per_frame(v, 1), std::nullopt);
  EXPECT_EQ(peak_power(v), std::nullopt);
}

TEST(PeakPower, IsTheDeviceFigureOrTheSumOverTheUsedProcessors) {
  Variant v = batched();
  EXPECT_EQ(peak_power(v), std::nullopt);
  v.power = Power{Watts(5.0), {}};
  EXPECT_EQ(peak_power(v)->value(), 5.0);
  v.frame_time[gpu] = Seconds(0.001);
  v.power = Power{std::nullopt, {{cpu, Watts(2.0)}, {gpu, Watts(10.0)}, {ProcessorId("dla"), Watts(3.0)}}};
  EXPECT_EQ(peak_power(v)->value(), 12.0);
}

TEST(ProfileSet, KnowsItsBestAccuracyAndItsVariantsById) {
  ProfileSet set;
  for (const auto& [id, accuracy] : {std::pair{"a", 0.7}, {"b", 0.9}, {"c", 0.8}}) {
    set.variants.push_back(single(0.001));
    set.variants.back().id = VariantId(id);
    set.variants.back().accuracy = accuracy;
  }
  EXPECT_EQ(set.best_accuracy(), 0.9);
  EXPECT_EQ(set.index_of(VariantId("c")), 2u);
  EXPECT_EQ(set.index_of(VariantId("d")), std::nullopt);
}

}  // namespace
}  // namespace saccade::profiles::variant_test
