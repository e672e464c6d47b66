// Controller and dispatcher together, in virtual time: loads, warm-ups, inferences and solves that fail.
#include <gtest/gtest.h>

#include "tests/support/simulated_run.hpp"

namespace saccade::test {
namespace {

using namespace runtime;

TEST(Failures, AModelThatDoesNotLoadKeepsTheOldEngineServingAndIsPlannedAround) {
  const auto three = network(
      {{"bad", 0.95, 20.0, 40.0, 20.0}, {"good", 0.90, 18.0, 30.0, 20.0}, {"small", 0.80, 4.0, 10.0, 10.0}});
  const auto base = scene({camera("a", 20, three)}, 1.0, 15);
  SimulatedRun run(base);
  run.faults.load = [](TaskIndex, std::size_t variant) {
    return variant == 0 ? LoadFate::fails : LoadFate::good;
  };
  run.run_until(at_ms(1000));
  ASSERT_EQ(run.controller().serving(0), 2U);
  const std::int64_t dropped = run.frames(0).dropped_total();
  run.change(at_ms(1000), with_memory(base, 200));
  run.run_until(at_ms(1240));  // before the first back-off ends
  EXPECT_EQ(run.controller().serving(0), 1U);
  EXPECT_EQ(run.reports("exclude", "is corrupt"), 1U);
  run.run_until(at_ms(31'000));
  EXPECT_EQ(run.controller().serving(0), 1U) << "it goes on without the bad one";
  EXPECT_EQ(run.frames(0).dropped_total(), dropped);
  // 0.25 + 0.5 + 1 + 2 + 4 + 5 + 5 + ... : back-off is capped and retries are few.
  EXPECT_GE(run.reports("exclude"), 9U);
  EXPECT_LE(run.reports("exclude"), 11U);
  EXPECT_EQ(run.controller().switch_totals()->failed, static_cast<std::int64_t>(run.reports("exclude")));
  run.shut_down();
}

TEST(Failures, AnEngineThatDoesNotWarmUpIsDestroyedAndPlannedAround) {
  const auto base = scene({camera("a", 20, ladder())});
  SimulatedRun run(base);
  run.faults.warm_fails = [](TaskIndex, std::size_t variant) { return variant == 0; };
  run.run_until(at_ms(200));
  EXPECT_EQ(run.controller().serving(0), 1U);
  EXPECT_EQ(run.reports("exclude", "does not warm up"), 1U);
  EXPECT_EQ(run.controller().switch_totals()->failed, 1);
  EXPECT_LE(run.controller().reserved().value(), 10e6) << "the failed one gave its memory back";
  run.shut_down();
}

TEST(Failures, AHungLoadIsAbandonedWithItsReservationAndASecondLoaderTakesOver) {
  ControllerOptions options;
  options.runtime.load_timeout = Seconds(1.0);
  const auto base = scene({camera("a", 20, ladder())}, 1.0, 100);
  SimulatedRun run(base, options);
  bool hang = true;
  run.faults.load = [&](TaskIndex, std::size_t variant) {
    return hang && variant == 0 ? LoadFate::hangs : LoadFate::good;
  };
  run.run_until(at_ms(1200));
  EXPECT_EQ(run.controller().serving(0), 1U);
  EXPECT_EQ(run.reports("fault", "hangs"), 1U);
  EXPECT_EQ(run.controller().switch_totals()->failed, 1);
  EXPECT_EQ(run.controller().reserved().value(), 50e6);
  hang = false;
  ASSERT_EQ(run.hung().size(), 1U);
  run.at(at_ms(1500), [&] { run.come_back_late(*run.hung().begin()); });
  run.run_until(at_ms(3000));
  EXPECT_EQ(run.controller().serving(0), 0U);
  EXPECT_EQ(run.controller().reserved().value(), 40e6) << "what came too late was thrown away";
  run.shut_down();
}

TEST(Failures, TwoHungLoadsLeaveWhatRunsRunning) {
  ControllerOptions options;
  options.runtime.load_timeout = Seconds(1.0);
  const auto base = scene({camera("a", 20, ladder()), camera("b", 20, ladder())});
  SimulatedRun run(base, options);
  run.faults.load = [](TaskIndex task, std::size_t) { return task == 1 ? LoadFate::hangs : LoadFate::good; };
  run.run_until(at_ms(10'000));
  EXPECT_EQ(run.hung().size(), 2U);
  EXPECT_EQ(run.reports("fault", "no loader is left"), 1U);
  EXPECT_EQ(run.controller().serving(0), 0U);
  EXPECT_GT(run.frames(0).processed, 190);
  run.shut_down();
}

TEST(Failures, FiveInferenceErrorsInARowExcludeTheVariant) {
  const auto base = scene({camera("a", 20, ladder())});
  SimulatedRun run(base);
  bool broken = false;
  run.faults.inference_fails = [&](TaskIndex, std::size_t variant) { return broken && variant == 0; };
  run.run_until(at_ms(1000));
  broken = true;
  run.run_until(at_ms(1420));
  EXPECT_EQ(run.controller().serving(0), 1U);
  EXPECT_GE(run.dropped(0, DropReason::engine_error), 5);
  EXPECT_LE(run.dropped(0, DropReason::engine_error), 7);
  broken = false;
  run.run_until(at_ms(4000));
  EXPECT_EQ(run.controller().serving(0), 0U) << "the back-off ended and a fresh engine was loaded";
  run.shut_down();
}

TEST(Failures, ASolverThatGivesNothingIsAskedAgainAfterAPause) {
  const auto base = scene({camera("a", 10, ladder())});
  SimulatedRun run(base);
  int refusals = 3;
  run.faults.solver_gives_nothing = [&] { return refusals-- > 0; };
  run.run_until(at_ms(5000));
  EXPECT_EQ(run.solves(), 4U);
  EXPECT_EQ(run.controller().serving(0), 0U);
  run.shut_down();
}

}  // namespace
}  // namespace saccade::test
