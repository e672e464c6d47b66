// The meter and the temperatures of cards, on a stand-in for the library (tests/fake_nvml).
#include "runtime/machine/nvml.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/machine/energy_meter.hpp"
#include "runtime/machine/thermals.hpp"
#include "runtime/profiling/profile_energy.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

const std::string kFake = SACCADE_FAKE_NVML;

class NvmlTest : public testing::Test {
 protected:
  NvmlTest() {
    void* const library = ::dlopen(kFake.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    machine_ = reinterpret_cast<Machine>(::dlsym(library, "fake_nvml_machine"));
    card_ = reinterpret_cast<SetCard>(::dlsym(library, "fake_nvml_card"));
  }
  void SetUp() override {
    ASSERT_TRUE(machine_ != nullptr && card_ != nullptr) << kFake;
    machine_(true, 1);
  }
  void count(unsigned card, unsigned long long millijoules) const {
    card_(card, millijoules, 40, false, true);
  }
  [[nodiscard]] FoundMeter find() const { return find_energy_meter(folder_.path(), kFake); }
  void put(const std::string& file, const std::string& text) const {
    const fs::path path = folder_.path() / "class" / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }

  using Machine = void (*)(bool, unsigned);
  using SetCard = void (*)(unsigned, unsigned long long, unsigned, bool, bool);
  Machine machine_ = nullptr;
  SetCard card_ = nullptr;
  const test::TemporaryFolder folder_;
};

TEST_F(NvmlTest, WithoutLibraryOrDriverOrCardOrCounterThereIsNoMeter) {
  EXPECT_EQ(Nvml::open("/nonexistent/libnvidia-ml.so.1"), nullptr);
  machine_(false, 1);
  EXPECT_EQ(Nvml::open(kFake), nullptr);
  machine_(true, 0);
  EXPECT_EQ(Nvml::open(kFake), nullptr);
  EXPECT_EQ(find().meter, nullptr);
  machine_(true, 1);
  card_(0, 0, 40, false, false);
  EXPECT_NE(Nvml::open(kFake), nullptr) << "its temperature can be read";
  EXPECT_EQ(find().meter, nullptr);
  EXPECT_TRUE(find().notes.empty());
}

TEST_F(NvmlTest, TheMeterAddsUpTheCountersOfAllCards) {
  machine_(true, 2);
  count(0, 5'000'000);
  count(1, 1000);
  const FoundMeter found = find();
  ASSERT_NE(found.meter, nullptr);
  EXPECT_EQ(found.meter->name(), "nvml Fake Card, Fake Card");
  EXPECT_EQ(found.meter->step(), Duration(milliseconds(100)));
  EXPECT_EQ(found.meter->total(TimePoint{}), Joules(0.0));
  count(0, 5'000'250);
  count(1, 1500);
  EXPECT_EQ(found.meter->total(TimePoint{}), Joules(0.75));
}

TEST_F(NvmlTest, ACounterThatWrapsOrBeginsAnewIsFollowed) {
  count(0, ~0ULL - 99);
  const FoundMeter found = find();
  ASSERT_NE(found.meter, nullptr);
  EXPECT_EQ(found.meter->total(TimePoint{}), Joules(0.0));
  count(0, 400);  // 100 to the end of its range, then 400
  EXPECT_NEAR(found.meter->total(TimePoint{})->value(), 0.4, 1e-9)
      << "as after a new start: never more than was seen";
  count(0, 1400);
  EXPECT_NEAR(found.meter->total(TimePoint{})->value(), 1.4, 1e-9);
  count(0, 200);  // the driver was loaded anew
  EXPECT_NEAR(found.meter->total(TimePoint{})->value(), 1.6, 1e-9);
}

TEST_F(NvmlTest, ACardThatIsLostEndsTheMeter) {
  count(0, 100);
  const FoundMeter found = find();
  ASSERT_NE(found.meter, nullptr);
  EXPECT_TRUE(found.meter->total(TimePoint{}));
  card_(0, 100, 40, true, true);
  EXPECT_FALSE(found.meter->total(TimePoint{}));
  count(0, 200);
  EXPECT_FALSE(found.meter->total(TimePoint{})) << "what it drew meanwhile is not known";
}

TEST_F(NvmlTest, PackagesAndCardsAreAdded) {
  put("powercap/intel-rapl:0/name", "package-0");
  put("powercap/intel-rapl:0/max_energy_range_uj", "1000000000");
  put("powercap/intel-rapl:0/energy_uj", "0");
  const FoundMeter found = find();
  ASSERT_NE(found.meter, nullptr);
  EXPECT_EQ(found.meter->name(), "rapl package-0 + nvml Fake Card");
  EXPECT_EQ(found.meter->total(TimePoint{}), Joules(0.0));
  put("powercap/intel-rapl:0/energy_uj", "2000000");
  count(0, 500);
  EXPECT_EQ(found.meter->total(TimePoint{}), Joules(2.5));
}

// A card under a clock of its own: its counter steps every 100 ms to what it has drawn until then.
class SteppingCard final : public EnergyMeter {
 public:
  [[nodiscard]] std::string name() const override { return "stepping"; }
  [[nodiscard]] Duration step() const override { return milliseconds(100); }
  [[nodiscard]] std::optional<Joules> total(TimePoint) override {
    return stands_still ? Joules(0.0) : shown_;
  }
  void pass(Duration time, double watts) {
    for (; time > Duration(0); time -= milliseconds(1)) {
      clock.advance(milliseconds(1));
      drawn_ += Watts(watts) * Seconds(1e-3);
      if (++milliseconds_ % 100 == 0) shown_ = drawn_;
    }
  }
  [[nodiscard]] EnergyTrial trial(const std::function<double()>& idle) {
    EnergyTrial trial;
    trial.meter = this;
    trial.clock = &clock;
    trial.rest = [this, idle](Duration time) { pass(time, idle()); };
    return trial;
  }
  ManualClock clock;
  bool stands_still = false;

 private:
  Joules drawn_;
  Joules shown_;
  std::int64_t milliseconds_ = 37;
};

TEST(SteppedEnergy, IsMeasuredFromStepToStepAboveRestWithTheEngineLoaded) {
  SteppingCard card;
  const EnergyTrial trial = card.trial([] { return 120.0; });
  const auto draw = measure_draw(trial, Watts(70.0), [&]() -> Status {
    card.pass(milliseconds(7), 300.0);
    return Done{};
  });
  ASSERT_TRUE(draw.ok() && draw.value());
  EXPECT_NEAR(draw.value()->power.value(), 180.0, 2.0)
      << "above 120 W, whatever was measured without a context";
  EXPECT_NEAR(draw.value()->energy.value(), 180.0 * 0.007, 0.02);
}

TEST(SteppedEnergy, IsAbsentWhereRestDriftsByAThirdOfItOrMore) {
  for (const double above : {5.0, 40.0}) {
    SteppingCard card;
    double idle = 119.0;
    const EnergyTrial trial = card.trial([&] { return idle; });
    const auto draw = measure_draw(trial, Watts(0.0), [&]() -> Status {
      card.pass(milliseconds(5), 122.5 + above);
      idle = 126.0;
      return Done{};
    });
    ASSERT_TRUE(draw.ok());
    EXPECT_EQ(draw.value().has_value(), above > 3.0 * 7.0) << above;
  }
}

TEST(SteppedEnergy, ACounterThatStandsStillMeasuresNothingAndAFailureIsPassedOn) {
  SteppingCard card;
  card.stands_still = true;
  const EnergyTrial trial = card.trial([] { return 100.0; });
  const auto infer = [&]() -> Status {
    card.pass(milliseconds(5), 200.0);
    return Done{};
  };
  const auto nothing = measure_draw(trial, Watts(0.0), infer);
  ASSERT_TRUE(nothing.ok());
  EXPECT_FALSE(nothing.value());
  card.stands_still = false;
  EXPECT_FALSE(measure_draw(trial, Watts(0.0), []() -> Status {
                 return Error{"engine", "failed", ""};
               }).ok());
}

TEST_F(NvmlTest, TemperaturesAreThoseOfTheKernelAndOfTheCards) {
  put("hwmon/hwmon0/name", "coretemp");
  put("hwmon/hwmon0/temp1_label", "Package id 0");
  put("hwmon/hwmon0/temp1_input", "52000");
  put("hwmon/hwmon0/temp1_crit", "100000");
  put("hwmon/hwmon0/temp2_input", "49500");
  put("hwmon/hwmon1/name", "coretemp");
  put("hwmon/hwmon1/temp2_input", "48000");
  put("hwmon/hwmon1/temp3_input", "broken");
  put("thermal/thermal_zone0/type", "not read where hwmon has sensors");
  put("thermal/thermal_zone0/temp", "1000");
  card_(0, 0, 71, false, true);
  const auto cards = Nvml::open(kFake);
  const std::vector<Temperature> all = read_temperatures(folder_.path(), cards.get());
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].sensor, "coretemp Package id 0");
  EXPECT_EQ(all[0].celsius, 52.0);
  EXPECT_EQ(all[0].critical_celsius, 100.0);
  EXPECT_EQ(all[1].sensor, "coretemp temp2");
  EXPECT_FALSE(all[1].critical_celsius);
  EXPECT_EQ(all[2].sensor, "coretemp temp2 #2");
  EXPECT_EQ(all[3].sensor, "nvml Fake Card");
  EXPECT_EQ(all[3].celsius, 71.0);
  EXPECT_EQ(all[3].critical_celsius, 90.0);
}

TEST_F(NvmlTest, WithoutSensorsOfHwmonTheThermalZonesCount) {
  put("thermal/thermal_zone0/type", "cpu-thermal");
  put("thermal/thermal_zone0/temp", "61200");
  const std::vector<Temperature> all = read_temperatures(folder_.path(), nullptr);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].sensor, "cpu-thermal");
  EXPECT_NEAR(all[0].celsius, 61.2, 1e-9);
}

}  // namespace
}  // namespace saccade::runtime
