// The conductor's own books stay bounded, whatever fails.
#include "runtime/run/conductor.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>
#include <vector>

#include "ilp/core_solver.hpp"
#include "scheduler/policy.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::runtime {
namespace {

// Solves and loads are answered by the test; nothing else needs doing.
class NotedHands final : public Hands {
 public:
  void solve(const action::Solve& solve, TimePoint) override { solves.push_back(solve.snapshot); }
  void load(const action::Load& load, TimePoint) override { loads.push_back(load.engine); }
  void warm(const action::Warm&, TimePoint) override {}
  void unload(EngineKey, TimePoint) override {}
  void set_urgency(bool) override {}
  void swap(const action::Swap&, std::optional<ServingEngine>, TimePoint) override {}
  void with_desk(const UseDesk&) override {}
  void close_source(TaskIndex, TimePoint) override {}
  void renew_task(TaskIndex, TimePoint) override {}
  void add_task(TaskIndex, TimePoint) override {}
  void remove_task(TaskIndex, TimePoint) override {}
  void change_source(TaskIndex, TimePoint) override {}
  [[nodiscard]] bool source_ended(TaskIndex) const override { return true; }

  std::vector<scheduler::Snapshot> solves;
  std::vector<EngineKey> loads;
};

TEST(Conductor, ForgetsEnginesThatDidNotLoad) {
  const auto profiles = std::make_shared<const profiles::ProfileSet>(test::two_variants());
  const RunConfig config = test::run_config({test::state_at(0.0, 1, 10.0, 1e9, profiles)});
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  NotedHands hands;
  Conductor conductor(config, {}, hands);
  TimePoint now{};
  conductor.begin(now);
  std::size_t failed = 0;
  for (int second = 0; second < 60; ++second, now += std::chrono::seconds(1)) {
    conductor.on(event::Tick{}, now);
    for (const scheduler::Snapshot& snapshot : std::exchange(hands.solves, {})) {
      conductor.on(event::PlanReady{policy->decide(snapshot, {}), std::chrono::milliseconds(1)}, now);
    }
    for (const EngineKey engine : std::exchange(hands.loads, {})) {
      EXPECT_EQ(conductor.engines(), 1U) << "it is being loaded";
      conductor.on(event::LoadFinished{engine, {{"test", "does not load", ""}}, Duration(0)}, now);
      ++failed;
    }
  }
  EXPECT_GT(failed, 5U);
  EXPECT_EQ(conductor.engines(), hands.loads.size()) << "only what is being loaded again";
}

}  // namespace
}  // namespace saccade::runtime
