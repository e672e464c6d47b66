// Plans that take longer than the time from one change of what is measured to the next.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "tests/support/simulated_run.hpp"

namespace saccade::test {
namespace {

using namespace runtime;

// One camera; its processor is slower by half in every other 3.7 s, which is a new correction each time. A
// plan takes 4 s.
class SlowPlans : public ::testing::Test {
 protected:
  static constexpr int kStep = 3700;
  static constexpr int kSteps = 20;

  SlowPlans() {
    run.solve_time = ms(4000);
    run.processor_slowness = [this](auto) { return slowness; };
    run.planner = [this, policy = run.planner](const scheduler::Snapshot& snapshot) {
      planned.insert(snapshot.generation);
      newest = newest && snapshot.generation == run.controller().generation();
      return policy(snapshot);
    };
    for (int i = 0; i < kSteps; ++i)
      run.at(at_ms(5000 + kStep * i), [this, i] { slowness = i % 2 == 0 ? 1.5 : 1.0; });
  }

  double slowness = 1.0;
  std::set<std::uint64_t> planned;  // generations
  bool newest = true;               // each of them, when its plan was made
  SimulatedRun run{scene({camera("a", 50, ladder(8.0))})};
};

TEST_F(SlowPlans, AreAdoptedThoughTheProcessorChangesFasterThanTheyAreMade) {
  run.run_until(at_ms(5000 + kStep * kSteps));
  EXPECT_GT(planned.size(), 5U);
  EXPECT_TRUE(newest) << "no plan is outdated by what was measured while it was made";
  ASSERT_TRUE(run.controller().plan());
  EXPECT_EQ(run.controller().plan()->generation, *planned.rbegin());
  EXPECT_EQ(run.reports("plan", "outdated"), 0U);
  run.shut_down();
}

TEST_F(SlowPlans, AreFollowedByOneThatKnowsWhatWasMeasuredMeanwhile) {
  run.run_until(at_ms(5000 + kStep * kSteps));
  run.at(at_ms(5000 + kStep * kSteps), [this] { slowness = 2.0; });
  run.run_until(at_ms(5000 + kStep * kSteps + 15'000));
  EXPECT_NEAR(run.controller().processors()[0].correction, 2.0, 1e-6);
  EXPECT_EQ(run.controller().plan()->generation, run.controller().generation());
  EXPECT_TRUE(run.controller().settled());
  run.shut_down();
}

}  // namespace
}  // namespace saccade::test
