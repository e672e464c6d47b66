// What must hold in the second half of a calm, ten seconds after the last fault: that what a fault has left
// behind may still be put right there, and that nothing else costs a frame.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "ilp/exhaustive_solver.hpp"
#include "runtime/simulation/simulated_shell.hpp"
#include "tests/support/milliseconds.hpp"
#include "tests/support/scenes.hpp"

namespace saccade::test {
namespace {

using namespace runtime;

constexpr Duration kCalmFrom = std::chrono::seconds(20);
constexpr Duration kSecondHalf = kCalmFrom + FaultDriver::kCalm / 2;
constexpr std::size_t kLarge = 0;

// A storm and a calm of twenty seconds each. In the storm the large variant does not load: it is excluded for
// 0.25 s and twice as long each further time, the last time for 16 s, which end in the calm's second half.
class Weather final : public FaultSource {
 public:
  int every_frame = 0;  // of so many in the calm's second half one fails; 0: none

  [[nodiscard]] std::optional<Duration> next() const override {
    return calm_ ? std::nullopt : std::optional(kCalmFrom);
  }
  [[nodiscard]] Turn turn(Duration /*now*/, const MemoryAmounts& /*reserved*/) override {
    calm_ = true;
    Turn turn;
    turn.calm = true;
    return turn;
  }
  [[nodiscard]] Fate load(TaskIndex /*task*/, std::size_t variant, Duration now) override {
    Fate fate;
    if (variant == kLarge && now < kCalmFrom) fate.errors.push_back({"engine", "does not load", ""});
    return fate;
  }
  [[nodiscard]] bool inference_fails(TaskIndex /*task*/, std::size_t /*variant*/, Duration now) override {
    return every_frame > 0 && now > kSecondHalf && ++frames_ % every_frame == 0;
  }

 private:
  bool calm_ = false;
  int frames_ = 0;
};

// One camera of 25 frames/s whose large engine takes 600 ms to load.
SimulationResult simulate(Weather& weather, double memory_mb) {
  const auto set = network({{"large", 0.95, 12.0, 40, 600}, {"small", 0.80, 4.0, 10, 10}});
  const scheduler::Snapshot snapshot = scene({camera("gate", 25, set)}, 1.0, memory_mb);
  RunConfig config;
  config.processors = {{.id = ProcessorId("cpu"), .cpus = {}}};
  config.tasks.push_back({TaskId("gate"), SyntheticSource{}, WholeFrame{}});
  config.timeline = {{Duration(0), snapshot}};
  const ilp::ExhaustiveSolver solver;
  const auto policy = scheduler::make_policy(config.policy, solver);
  SimulationOptions options{.duration = kCalmFrom + FaultDriver::kCalm, .seed = 1, .faults = {}};
  options.script = &weather;
  auto shell = SimulatedShell::open(config, *policy, options, {});
  SACCADE_CHECK(shell.ok());
  return shell.value()->run();
}

std::string told(const SimulationResult& result) {
  return result.breach ? result.breach->invariant + ": " + result.breach->found : "";
}

TEST(Calm, AnEngineThatMemoryForcesOutForItsSuccessorIsNoBreach) {
  Weather weather;
  const SimulationResult result = simulate(weather, 45.0);
  EXPECT_EQ(told(result), "");
  ASSERT_FALSE(result.summary.switches.empty());
  const SwitchSummary& last = result.summary.switches.back();
  EXPECT_GT(last.at, to_seconds(kSecondHalf));
  EXPECT_FALSE(last.both_fit);
  EXPECT_GT(last.frames_lost, 5) << "more than one in a hundred, and two";
}

TEST(Calm, WhereBothEnginesFitTheSwitchLosesNothing) {
  Weather weather;
  const SimulationResult result = simulate(weather, 60.0);
  EXPECT_EQ(told(result), "");
  ASSERT_FALSE(result.summary.switches.empty());
  EXPECT_TRUE(result.summary.switches.back().both_fit);
  EXPECT_EQ(result.summary.switches.back().frames_lost, 0);
}

TEST(Calm, FramesThatAreLostToAnythingElseAreABreachWhateverIsSwitched) {
  for (const double memory_mb : {45.0, 60.0}) {
    Weather weather;
    weather.every_frame = 20;
    EXPECT_NE(told(simulate(weather, memory_mb)).find("at least 99 % of the granted frames"),
              std::string::npos)
        << memory_mb;
  }
}

}  // namespace
}  // namespace saccade::test
