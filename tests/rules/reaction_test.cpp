// How long it takes from when somebody comes into a view until the first frame at the rate that a rule sets,
// in the simulated shell: one camera at 3 frames/s, at whatever time between two of its frames that is.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "ilp/core_solver.hpp"
#include "tests/rules/in_simulation.hpp"
#include "tests/rules/support.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::rules {
namespace {

constexpr double kWaiting = 3.0;  // frames per second
constexpr double kFull = 15.0;
constexpr int kVisits = 40;
constexpr Duration kStep = std::chrono::milliseconds(5);
constexpr Duration kBetween = std::chrono::seconds(30);
constexpr Duration kLength = std::chrono::seconds(12);

// The ticks begin anew when the rate falls after a visit: so that each visit comes at another time between
// two of them, each is 10 ms further from the one before.
Duration begin_of(int visit) { return visit * kBetween + visit * (visit + 1) / 2 * kStep * 2; }

bool somebody_is_there(Duration at) {
  for (int visit = 1; visit <= kVisits; ++visit) {
    if (at >= begin_of(visit) && at < begin_of(visit) + kLength) return true;
  }
  return false;
}

struct Reactions {
  std::vector<Duration> all;
  Seconds longest_load{0.0};  // of a switch, with warm-up and exchange
  std::size_t switches = 0;
};

class OneCamera {
 public:
  explicit OneCamera(profiles::ProfileSet set)
      : config_(test::run_config({test::state_at(
            0.0, 1, kWaiting, 1e9, std::make_shared<const profiles::ProfileSet>(std::move(set)))})),
        engine_(std::vector<Rule>{presence_rule("somebody", {"task-0"}, {"odd"}, fps_of(kFull))}),
        policy_(scheduler::make_policy(scheduler::PolicyKind::transprecision, solver_)),
        shell_(runtime::SimulatedShell::open(config_, *policy_, {}, {}).value()) {}

  Reactions run() {
    shell_->begin();
    std::int64_t processed = 0;
    Duration came{0};
    bool waits = false;  // somebody came, and there was no frame at the full rate yet
    for (Duration at = kStep; at <= begin_of(kVisits) + kLength; at += kStep) {
      shell_->run_until(at);
      if (somebody_is_there(at) && !somebody_is_there(at - kStep)) {
        came = at;
        waits = true;
      }
      const std::int64_t before = std::exchange(processed, shell_->desk().ledger().task(0).processed);
      const bool full = shell_->desk().view(0).rate >= Fps(kFull);
      if (waits && full_before_ && processed > before) {
        reactions_.all.push_back(at - came);
        waits = false;
      }
      full_before_ = full;
      for (std::int64_t i = before; i < processed; ++i) {
        engine_.see("task-0", objects_of(somebody_is_there(at - kStep) ? names_ : nothing_), TimePoint(at));
      }
      (void)engine_.step({TimePoint(at), 0});
      hand_over_change(engine_, config_, *shell_, at);
    }
    const runtime::SimulationResult result = shell_->finish();
    EXPECT_FALSE(result.breach.has_value());
    for (const runtime::SwitchSummary& each : result.summary.switches) {
      if (each.at.value() < to_seconds(kBetween).value()) continue;  // of the start
      ++reactions_.switches;
      reactions_.longest_load = std::max(reactions_.longest_load, each.load + each.warm + each.swap);
    }
    return reactions_;
  }

 private:
  const std::vector<std::string> names_ = {"odd"};
  const std::vector<std::string> nothing_ = {};
  const runtime::RunConfig config_;
  Engine engine_;
  const ilp::CoreSolver solver_;
  const std::unique_ptr<scheduler::Policy> policy_;
  std::unique_ptr<runtime::SimulatedShell> shell_;
  bool full_before_ = false;  // the full rate was in force when the step began
  Reactions reactions_;
};

void expect_all_within_a_second_and_a_load(const Reactions& reactions) {
  ASSERT_EQ(reactions.all.size(), static_cast<std::size_t>(kVisits));
  const Duration longest = *std::max_element(reactions.all.begin(), reactions.all.end());
  std::cout << "first frame at the new rate after at most " << to_seconds(longest).value() << " s, loads of "
            << reactions.longest_load.value() << " s\n";
  EXPECT_LE(to_seconds(longest).value(), 1.0 + reactions.longest_load.value());
}

TEST(Reaction, ToSomebodyComesWithinASecond) {
  profiles::ProfileSet set = test::two_variants();
  set.variants.resize(1);
  const Reactions reactions = OneCamera(std::move(set)).run();
  EXPECT_EQ(reactions.switches, 0U) << "nothing is to be loaded";
  expect_all_within_a_second_and_a_load(reactions);
}

TEST(Reaction, WithAnotherNetworkComesWithinASecondAndTheLoad) {
  profiles::ProfileSet set = test::two_variants();
  set.variants[0].load_time = Seconds(1.5);
  set.variants[1].frame_time[ProcessorId("cpu")] = Seconds(0.2);  // three a second at most
  const Reactions reactions = OneCamera(std::move(set)).run();
  EXPECT_GE(reactions.switches, static_cast<std::size_t>(kVisits));
  EXPECT_GT(reactions.longest_load.value(), 1.0);
  expect_all_within_a_second_and_a_load(reactions);
}

}  // namespace
}  // namespace saccade::rules
