// Energy of a run: measured by a meter over a tree of files as the kernel shows it, else modelled from the
// profiles and labelled so, else absent.
#include <gtest/gtest.h>

#include <fstream>

#include "ilp/exhaustive_solver.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "runtime/real/energy_book.hpp"
#include "runtime/real/real_shell.hpp"
#include "runtime/simulation/simulated_shell.hpp"
#include "tests/support/run_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime::run_energy_test {
namespace {

constexpr std::size_t kSmall = 0;
constexpr std::size_t kBig = 1;

TimePoint at(double seconds) { return TimePoint(to_duration(Seconds(seconds))); }

class Device : public testing::Test {
 protected:
  void count(double microjoules) const {
    const auto folder = sysfs_.path() / "class/powercap/intel-rapl:0";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "name") << "package-0\n";
    std::ofstream(folder / "max_energy_range_uj") << "1000000000\n";
    std::ofstream(folder / "energy_uj") << std::fixed << microjoules << '\n';
  }
  [[nodiscard]] std::unique_ptr<EnergyMeter> meter() const {
    return find_energy_meter(sysfs_.path(), "").meter;
  }
  void remove_meter() const { std::filesystem::remove_all(sysfs_.path() / "class"); }

  const test::TemporaryFolder sysfs_;
};

// --- Measured -------------------------------------------------------------------------------------

TEST_F(Device, TheRunCountsFromItsStartAndThePowerIsOfTheLastSecond) {
  count(5e6);
  EnergyBook book(meter());
  EXPECT_FALSE(book.reading()) << "not read yet";
  EXPECT_TRUE(book.read(at(0)));
  count(6e6);
  EXPECT_TRUE(book.start(at(1)));
  EXPECT_EQ(book.reading()->total, Joules(0.0));
  EXPECT_FALSE(book.reading()->power) << "one reading tells no power";
  count(8e6);
  EXPECT_TRUE(book.read(at(1.5)));
  EXPECT_NEAR(book.reading()->total.value(), 2.0, 1e-9);
  EXPECT_NEAR(book.reading()->power->value(), 4.0, 1e-9);
  for (int tenth = 1; tenth <= 30; ++tenth) {
    count(8e6 + 1e5 * tenth);
    EXPECT_TRUE(book.read(at(1.5 + 0.1 * tenth)));
  }
  EXPECT_NEAR(book.reading()->total.value(), 5.0, 1e-9);
  EXPECT_NEAR(book.reading()->power->value(), 1.0, 1e-9);
  EXPECT_EQ(book.reading()->source, EnergySource::measured);
  EXPECT_EQ(book.reading()->meter, "rapl package-0");
}

TEST_F(Device, AMeterThatFailsIsToldOnceAndGivesNoFigureAnyMore) {
  count(1e6);
  EnergyBook book(meter());
  EXPECT_TRUE(book.start(at(0)));
  remove_meter();
  EXPECT_FALSE(book.read(at(1)));
  EXPECT_FALSE(book.reading());
  EXPECT_TRUE(book.read(at(2))) << "told once";
}

// --- Modelled -------------------------------------------------------------------------------------

profiles::ProfileSet powered() {
  profiles::ProfileSet set = test::two_variants();
  set.variants[kSmall].energy_per_inference = Joules(0.5);
  set.variants[kBig].energy_per_inference = Joules(2.0);
  return set;
}

TaskFrames frames(std::int64_t small, std::int64_t big) {
  TaskFrames books;
  books.variants.resize(2);
  books.variants[kSmall].frames = small;
  books.variants[kBig].frames = big;
  return books;
}

TEST(EnergyModel, IsTheSumOverProcessedFrames) {
  EnergyModel model;
  model.add_frames(powered(), 1, frames(10, 3));
  EXPECT_EQ(model.total(), Joules(11.0));
  model.add_frames(powered(), 1, frames(0, 1));
  EXPECT_EQ(model.total(), Joules(13.0));
  model.add_power(powered(), 1, kBig, Fps(5.0));
  EXPECT_EQ(model.power(), Watts(10.0));
}

TEST(EnergyModel, IsAbsentWhenAVariantThatServedWasNotMeasured) {
  profiles::ProfileSet half = powered();
  half.variants[kBig].energy_per_inference.reset();
  EnergyModel only_small;
  only_small.add_frames(half, 1, frames(10, 0));
  EXPECT_EQ(only_small.total(), Joules(5.0));
  EnergyModel both;
  both.add_frames(half, 1, frames(10, 1));
  EXPECT_FALSE(both.total());
  EnergyModel nothing_known;
  nothing_known.add_frames(test::two_variants(), 1, frames(0, 0));
  EXPECT_FALSE(nothing_known.total()) << "0 J would be an invention";
}

// --- Runs -----------------------------------------------------------------------------------------

RunConfig config_of(const profiles::ProfileSet& set) {
  return test::run_config({test::state_at(0, 2, 50, 1e9, std::make_shared<const profiles::ProfileSet>(set))});
}

double modelled_sum(const RunSummary& summary) {
  double joules = 0.0;
  for (const TaskSummary& task : summary.tasks) {
    for (const VariantSummary& variant : task.variants) {
      joules += static_cast<double>(variant.frames) * (variant.id == VariantId("big") ? 2.0 : 0.5);
    }
  }
  return joules;
}

struct RealRun {
  RunSummary summary;
  std::vector<RunStatus> shown;
};
RealRun run_real(const RunConfig& config, std::unique_ptr<EnergyMeter> meter) {
  const ilp::ExhaustiveSolver solver;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  RealRun run;
  RunHooks hooks;
  hooks.status = [&](const RunStatus& status) { run.shown.push_back(status); };
  hooks.status_interval = std::chrono::milliseconds(10);
  auto shell = RealShell::open(
      config, std::make_shared<SimulatedBackend>(), *policy, hooks,
      [](const SourceConfig&, const Regions&, const NetworkInputs&,
         const std::vector<std::string>&) -> Result<std::unique_ptr<FrameSource>> {
        return std::unique_ptr<FrameSource>(std::make_unique<test::KnownFrames>());
      },
      std::move(meter));
  if (!shell) ADD_FAILURE() << to_string(shell.errors());
  run.summary = shell.value()->run(std::chrono::milliseconds(200));
  return run;
}

TEST_F(Device, ARealRunTellsWhatItsMeterSays) {
  count(3e6);
  const RealRun run = run_real(config_of(powered()), meter());
  ASSERT_TRUE(run.summary.energy);
  EXPECT_EQ(run.summary.energy->source, EnergySource::measured);
  EXPECT_EQ(run.summary.energy->meter, "rapl package-0");
  EXPECT_EQ(run.summary.energy->total, Joules(0.0)) << "the counter stood still";
}

TEST_F(Device, ARealRunWithoutAMeterTellsWhatTheProfilesSay) {
  const RealRun run = run_real(config_of(powered()), nullptr);
  ASSERT_TRUE(run.summary.energy);
  EXPECT_EQ(run.summary.energy->source, EnergySource::modelled);
  EXPECT_NEAR(run.summary.energy->total.value(), modelled_sum(run.summary), 1e-9);
  ASSERT_FALSE(run.shown.empty());
  ASSERT_TRUE(run.shown.back().energy);
  EXPECT_EQ(run.shown.back().energy->source, EnergySource::modelled);
  EXPECT_LE(run.shown.back().energy->total, run.summary.energy->total);
}

TEST_F(Device, WithoutAMeterAndWithoutAProfiledEnergyThereIsNone) {
  const RealRun run = run_real(config_of(test::two_variants()), nullptr);
  EXPECT_FALSE(run.summary.energy);
  for (const RunStatus& status : run.shown) EXPECT_FALSE(status.energy);
}

TEST_F(Device, ASimulatedRunIsModelledWithTheIdlePower) {
  RunConfig config = config_of(powered());
  config.timeline.front().snapshot.idle_power = Watts(3.0);
  const ilp::ExhaustiveSolver solver;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  SimulationOptions options;
  options.duration = std::chrono::seconds(10);
  auto shell = SimulatedShell::open(config, *policy, options, {});
  ASSERT_TRUE(shell.ok());
  const RunSummary summary = shell.value()->run().summary;
  ASSERT_TRUE(summary.energy);
  EXPECT_EQ(summary.energy->source, EnergySource::modelled);
  EXPECT_NEAR(summary.energy->total.value(), modelled_sum(summary) + 3.0 * summary.seconds.value(), 1e-6);
}

}  // namespace
}  // namespace saccade::runtime::run_energy_test
