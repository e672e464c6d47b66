// Limits on power and energy against what a meter measures.
#include "service/live/power_limits.hpp"

#include <gtest/gtest.h>

namespace saccade::service {
namespace {

using runtime::EnergyReading;
using runtime::EnergySource;

EnergyReading measured(double watts) {
  return {Joules(100.0), Watts(watts), EnergySource::measured, "rapl package-0"};
}

scheduler::Limits limits(std::optional<double> energy, std::optional<double> peak = std::nullopt) {
  scheduler::Limits of;
  if (energy) of.energy_per_second = Watts(*energy);
  if (peak) of.peak_power = Watts(*peak);
  return of;
}

TEST(PowerLimits, WhatIsMeasuredAboveOneIsSaid) {
  EXPECT_FALSE(above_power_limit(measured(10.0), limits(10.0, 10.0)));
  const auto above = above_power_limit(measured(12.5), limits(10.0));
  ASSERT_TRUE(above);
  EXPECT_EQ(above->rfind("the device draws 12.5 W (rapl package-0, the last second), more than "
                         "`limits.energy_joules_per_second` of 10",
                         0),
            0U)
      << *above;
  const auto peak = above_power_limit(measured(12.5), limits(10.0, 12.0));
  ASSERT_TRUE(peak);
  EXPECT_NE(peak->find("`limits.peak_power_watts` of 12"), std::string::npos) << "the harder one first";
}

TEST(PowerLimits, NothingIsSaidWithoutALimitOrAMeter) {
  EXPECT_FALSE(above_power_limit(measured(1e6), limits(std::nullopt)));
  EXPECT_FALSE(above_power_limit(std::nullopt, limits(1.0)));
  EnergyReading modelled = measured(12.0);
  modelled.source = EnergySource::modelled;
  EXPECT_FALSE(above_power_limit(modelled, limits(1.0))) << "the plan's own figure";
  EnergyReading without = measured(12.0);
  without.power.reset();
  EXPECT_FALSE(above_power_limit(without, limits(1.0)));
}

}  // namespace
}  // namespace saccade::service
