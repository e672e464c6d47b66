// Processors that are emulated to be slower, in virtual time: what the profiles were measured through counts
// once, changes are kept to, and plans learn them by measuring alone.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "ilp/exhaustive_solver.hpp"
#include "runtime/simulation/simulated_shell.hpp"
#include "tests/support/milliseconds.hpp"
#include "tests/support/scenes.hpp"

namespace saccade::test::slowdown_test {
namespace {

using namespace runtime;

constexpr Duration kHalf = std::chrono::seconds(10);

// One camera at 20 frames/s whose network takes 10 ms.
RunConfig one_camera(std::vector<double> first, std::vector<double> then) {
  const auto set = network({{"large", 0.95, 10.0, 10, 20}});
  const scheduler::Snapshot snapshot = scene({camera("gate", 20, set)});
  RunConfig config;
  config.processors = {{.id = ProcessorId("cpu"), .cpus = {}}};
  config.tasks = {{snapshot.tasks[0].id, SyntheticSource{}, WholeFrame{}}};
  config.timeline = {{Duration(0), snapshot, std::move(first)}, {kHalf, snapshot, std::move(then)}};
  return config;
}

// Notes which corrections it is to plan with.
class NotingPolicy final : public scheduler::Policy {
 public:
  NotingPolicy(const scheduler::Policy& plans, std::vector<double>& corrections)
      : plans_(plans), corrections_(corrections) {}
  [[nodiscard]] const char* name() const override { return plans_.name(); }
  [[nodiscard]] scheduler::Plan decide(const scheduler::Snapshot& snapshot,
                                       const scheduler::DecideLimits& limits) const override {
    corrections_.push_back(snapshot.processors[0].correction);
    return plans_.decide(snapshot, limits);
  }

 private:
  const scheduler::Policy& plans_;
  std::vector<double>& corrections_;
};

struct Outcome {
  SimulationResult result;
  std::vector<std::string> told;
  std::vector<double> planned;  // corrections
};

Outcome simulate(const RunConfig& config) {
  Outcome outcome;
  const ilp::ExhaustiveSolver solver;
  const auto policy = scheduler::make_policy(config.policy, solver);
  RunHooks hooks;
  hooks.event = [&](Duration, const action::Report& report) {
    if (report.event == EventKind::fault) outcome.told.push_back(report.detail);
  };
  const NotingPolicy noting(*policy, outcome.planned);
  auto shell = SimulatedShell::open(config, noting, {.duration = 2 * kHalf, .seed = 1, .faults = {}}, hooks);
  SACCADE_CHECK(shell.ok());
  outcome.result = shell.value()->run();
  EXPECT_FALSE(outcome.result.breach) << outcome.result.breach->invariant;
  return outcome;
}

double busy(const Outcome& outcome) { return outcome.result.summary.processors.at(0).busy_share; }

TEST(Slowdown, ThatTheProfilesWereMeasuredThroughIsInTheirTimes) {
  const Outcome plain = simulate(one_camera({}, {}));
  const Outcome emulated = simulate(one_camera({4.0}, {4.0}));
  EXPECT_NEAR(busy(plain), 0.2, 0.01);
  EXPECT_EQ(busy(emulated), busy(plain));
  EXPECT_EQ(emulated.result.summary.processors.at(0).slowdown, 4.0);
  EXPECT_TRUE(emulated.told.empty());
}

TEST(Slowdown, ThatChangesIsKeptToAndLearnedByMeasuring) {
  const Outcome outcome = simulate(one_camera({2.0}, {5.0}));
  EXPECT_NEAR(busy(outcome), (0.2 + 0.5) / 2, 0.01);
  EXPECT_EQ(outcome.told,
            std::vector<std::string>{"emulated: processor cpu takes 5 times its own time (before: 2)"});
  ASSERT_GE(outcome.planned.size(), 3U);
  EXPECT_EQ(outcome.planned[1], 1.0) << "the plan that the entry itself leads to knows nothing";
  EXPECT_NEAR(outcome.planned.back(), 2.5, 1e-6);
  EXPECT_NEAR(outcome.result.summary.processors.at(0).correction, 2.5, 1e-6);
}

TEST(Slowdown, OfAnotherConfigurationAppliesFromThenOn) {
  const ilp::ExhaustiveSolver solver;
  RunConfig config = one_camera({2.0}, {2.0});
  const auto policy = scheduler::make_policy(config.policy, solver);
  auto shell = SimulatedShell::open(config, *policy, {.duration = kHalf, .seed = 1, .faults = {}}, {});
  ASSERT_TRUE(shell.ok());
  shell.value()->begin();
  shell.value()->run_until(kHalf / 2);
  EXPECT_EQ(shell.value()->desk().slowdown(0), 2.0);
  for (TimelineState& state : config.timeline) state.slowdowns = {3.0};
  ASSERT_TRUE(shell.value()->reconfigure(config).ok());
  EXPECT_EQ(shell.value()->desk().slowdown(0), 3.0);
  shell.value()->run_until(kHalf);
  (void)shell.value()->finish();
}

}  // namespace
}  // namespace saccade::test::slowdown_test
