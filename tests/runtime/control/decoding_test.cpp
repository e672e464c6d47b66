// Decoding of cameras on a processor's CPUs: plans get what it leaves of the processor's time, once.
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/simulated_run.hpp"

namespace saccade::test {
namespace {

using namespace runtime;

// Room for one large network of two: 0.6 and 0.2 of the processor, of which 0.95 are planned with.
scheduler::Snapshot two_cameras() {
  const auto variants = network({{"small", 0.8, 10.0, 5, 20}, {"large", 0.95, 30.0, 10, 20}});
  return scene({camera("a", 20, variants), camera("b", 20, variants)});
}

class Decoding : public ::testing::Test {
 protected:
  Decoding() : run(two_cameras()) {
    run.planner = [this, plain = run.planner](const scheduler::Snapshot& snapshot) {
      capacities.push_back(snapshot.processors[0].capacity);
      return plain(snapshot);
    };
    run.run_until(at_ms(1000));
  }
  [[nodiscard]] std::size_t large() const {
    return run.controller().serving(0).value_or(0) + run.controller().serving(1).value_or(0);
  }
  SimulatedRun run;
  std::vector<double> capacities;  // of each snapshot that was solved
};

TEST_F(Decoding, TakesItsShareOffThePlansAndGivesItBack) {
  ASSERT_EQ(large(), 1U);
  EXPECT_EQ(capacities.back(), 1.0);
  run.send(at_ms(1000), event::Decoding{{{0, 0.3}}});
  run.run_until(at_ms(2000));
  EXPECT_NEAR(capacities.back(), 0.7, 1e-12);
  EXPECT_EQ(large(), 0U) << "0.8 do not fit into 0.65";
  EXPECT_EQ(run.controller().decoding(), std::vector<double>{0.3});
  EXPECT_EQ(run.reports("plan", "decoding of cameras takes 30 % of cpu"), 1U);
  run.send(at_ms(2000), event::Decoding{{{0, 0.0}}});
  run.run_until(at_ms(3000));
  EXPECT_EQ(capacities.back(), 1.0);
  EXPECT_EQ(large(), 1U);
}

TEST_F(Decoding, IsNotChargedTwiceWhereTheCorrectionHoldsIt) {
  run.send(at_ms(1000), event::Decoding{{{0, 0.3}}});
  run.run_until(at_ms(2000));
  const auto corrected = [this] { return run.controller().processors().front().correction; };
  double slowness = 1.3;
  run.processor_slowness = [&](ProcessorIndex) { return slowness; };
  run.run_until(at_ms(10000));
  ASSERT_NEAR(corrected(), 1.3, 0.05);
  EXPECT_NEAR((capacities.back() - 0.05) / corrected(), 0.65, 1e-9) << "as before the correction";
  slowness = 1.9;
  run.run_until(at_ms(20000));
  ASSERT_NEAR(corrected(), 1.9, 0.05);
  EXPECT_EQ(capacities.back(), 1.0) << "the correction alone leaves less";
  slowness = 1.0;
  run.run_until(at_ms(30000));
  ASSERT_NEAR(corrected(), 1.0, 0.05);
  EXPECT_NEAR((capacities.back() - 0.05) / corrected(), 0.65, 1e-9);
}

TEST_F(Decoding, AChangeOfWhatIsWantedKeepsIt) {
  run.send(at_ms(1000), event::Decoding{{{0, 0.3}}});
  run.change(at_ms(2000), with_demand(two_cameras(), 0, 10));
  run.run_until(at_ms(3000));
  EXPECT_NEAR(capacities.back(), 0.7, 1e-12);
}

TEST_F(Decoding, LeavesRoomBesideALargerGuard) {
  run.send(at_ms(1000), event::Decoding{{{0, 5.0}}});
  run.run_until(at_ms(2000));
  EXPECT_NEAR(capacities.back() - 0.05, 0.095, 1e-12) << "a tenth of what the guard leaves";
}

}  // namespace
}  // namespace saccade::test
