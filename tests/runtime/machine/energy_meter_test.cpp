// Energy meters over a tree of files as the kernel shows it, and what the profiler makes of one.
#include "runtime/machine/energy_meter.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/profiling/profile_energy.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

TimePoint at(double seconds) { return TimePoint(to_duration(Seconds(seconds))); }

class EnergyMeterTest : public testing::Test {
 protected:
  void put(const std::string& file, const std::string& text) const {
    const fs::path path = folder_.path() / "class" / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  void put_package(const std::string& id, const std::string& count) const {
    put("powercap/intel-rapl:" + id + "/name", "package-" + id);
    put("powercap/intel-rapl:" + id + "/max_energy_range_uj", "1000000");
    put("powercap/intel-rapl:" + id + "/energy_uj", count);
  }
  [[nodiscard]] FoundMeter find() const { return find_energy_meter(folder_.path(), nvml_); }
  std::string nvml_;  // none

  const test::TemporaryFolder folder_;
};

TEST_F(EnergyMeterTest, ADeviceWithoutMeterHasNoneAndSaysNothing) {
  const FoundMeter found = find();
  EXPECT_EQ(found.meter, nullptr);
  EXPECT_TRUE(found.notes.empty());
}

TEST_F(EnergyMeterTest, RaplCountsAllPackagesAcrossTheEndOfTheirRange) {
  put_package("0", "900000");
  put_package("1", "0");
  put("powercap/intel-rapl:0:0/name", "core");  // a part of package 0: counted there
  put("powercap/intel-rapl:0:0/energy_uj", "5");
  put("powercap/intel-rapl:0:0/max_energy_range_uj", "1000000");
  put("powercap/intel-rapl:2/name", "psys");
  const FoundMeter found = find();
  ASSERT_NE(found.meter, nullptr);
  EXPECT_EQ(found.meter->name(), "rapl package-0, package-1");
  EXPECT_EQ(found.meter->total(at(0)), Joules(0.0));
  put_package("0", "100000");  // 0.2 J further
  put_package("1", "50000");
  EXPECT_NEAR(found.meter->total(at(1))->value(), 0.25, 1e-12);
  put_package("0", "300000");
  EXPECT_NEAR(found.meter->total(at(2))->value(), 0.45, 1e-12);
}

TEST_F(EnergyMeterTest, ACounterThatMayNotBeReadIsToldWithWhatToDo) {
  put_package("0", "not for you");
  const FoundMeter found = find();
  EXPECT_EQ(found.meter, nullptr);
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_NE(found.notes[0].where.find("energy_uj"), std::string::npos);
  EXPECT_FALSE(found.notes[0].hint.empty());
}

TEST_F(EnergyMeterTest, RailsAreSummedUpOverTimeAndTheOneThatFeedsTheBoardIsTaken) {
  put("hwmon/hwmon0/name", "coretemp");
  put("hwmon/hwmon1/name", "ina3221");
  const auto set = [&](const std::string& channel, const std::string& label, int millivolts,
                       int milliamperes) {
    put("hwmon/hwmon1/in" + channel + "_label", label);
    put("hwmon/hwmon1/in" + channel + "_input", std::to_string(millivolts));
    put("hwmon/hwmon1/curr" + channel + "_input", std::to_string(milliamperes));
  };
  set("1", "VDD_IN", 5000, 1000);
  set("2", "VDD_CPU", 1000, 500);
  const FoundMeter found = find();
  ASSERT_NE(found.meter, nullptr);
  EXPECT_EQ(found.meter->name(), "ina3221 VDD_IN");
  EXPECT_EQ(found.meter->total(at(0)), Joules(0.0));
  EXPECT_NEAR(found.meter->total(at(2))->value(), 10.0, 1e-9);  // 5 W
  set("1", "VDD_IN", 5000, 2000);
  EXPECT_NEAR(found.meter->total(at(3))->value(), 17.5, 1e-9);  // from 5 W to 10 W
}

TEST_F(EnergyMeterTest, PowerInputsAreUsedWhereTheChipHasThem) {
  put("hwmon/hwmon0/name", "ina226");
  put("hwmon/hwmon0/power1_input", "3000000");
  const FoundMeter found = find();
  ASSERT_NE(found.meter, nullptr);
  (void)found.meter->total(at(0));
  EXPECT_NEAR(found.meter->total(at(1))->value(), 3.0, 1e-9);
  fs::remove_all(folder_.path() / "class");
  EXPECT_FALSE(found.meter->total(at(2))) << "a meter that goes away";
}

// A device that draws 2 W at rest and `busy` while it infers, under a clock of its own.
class FakeMeter final : public EnergyMeter {
 public:
  [[nodiscard]] std::string name() const override { return "fake"; }
  [[nodiscard]] std::optional<Joules> total(TimePoint) override {
    ++readings;
    return readings > fails_after ? std::nullopt : std::optional(drawn);
  }
  void pass(Duration time, double watts) {
    clock.advance(time);
    drawn += Watts(watts) * to_seconds(time);
  }
  ManualClock clock;
  Joules drawn;
  int readings = 0;
  int fails_after = 1 << 30;
};

TEST(ProfileEnergy, IsWhatAnInferenceDrawsAboveRest) {
  FakeMeter meter;
  EnergyTrial trial;
  trial.meter = &meter;
  trial.clock = &meter.clock;
  trial.rest = [&](Duration time) { meter.pass(time, 2.0); };
  const auto idle = idle_power(trial);
  ASSERT_TRUE(idle);
  EXPECT_NEAR(idle->value(), 2.0, 1e-9);
  const auto infer = [&](double watts) {
    return [&, watts]() -> Status {
      meter.pass(milliseconds(4), watts);
      return Done{};
    };
  };
  const auto draw = measure_draw(trial, *idle, infer(7.0));
  ASSERT_TRUE(draw && draw.value());
  EXPECT_NEAR(draw.value()->energy.value(), 5.0 * 0.004, 1e-9);
  EXPECT_NEAR(draw.value()->power.value(), 5.0, 1e-9);

  const auto nothing = measure_draw(trial, *idle, infer(1.5));
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(nothing.value()) << "less than at rest is no measurement";
  EXPECT_FALSE(measure_draw(trial, *idle, []() -> Status { return Error{"engine", "failed", ""}; }));
  meter.fails_after = meter.readings + 3;
  const auto failed = measure_draw(trial, *idle, infer(7.0));
  ASSERT_TRUE(failed);
  EXPECT_FALSE(failed.value());
  EXPECT_FALSE(idle_power(trial));
}

}  // namespace
}  // namespace saccade::runtime
