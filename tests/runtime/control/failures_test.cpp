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
  run.load_fate = [](TaskIndex, std::size_t variant) {
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
  // 0.25 + 0.5 + 1 + 2 + 4 + 8 + 16 + ...
  EXPECT_EQ(run.reports("exclude"), 7U);
  EXPECT_EQ(run.controller().switch_totals()->failed, static_cast<std::int64_t>(run.reports("exclude")));
  run.shut_down();
}

TEST(Failures, AModelThatNeverLoadsIsTriedAgainEveryTenMinutes) {
  const auto base = scene({camera("a", 1, ladder(5.0))});
  SimulatedRun run(base);
  run.load_fate = [](TaskIndex, std::size_t variant) {
    return variant == 0 ? LoadFate::fails : LoadFate::good;
  };
  run.run_until(at_ms(3'600'000));
  const std::size_t solves = run.solves();
  EXPECT_LE(solves, 40U) << "twelve pauses double up to ten minutes, then five of those";
  run.run_until(at_ms(24 * 3'600'000.0));
  EXPECT_EQ(run.controller().serving(0), 1U);
  EXPECT_LE(run.solves() - solves, 2 * 23 * 6U) << "one without the variant, one with it";
  EXPECT_GE(run.reports("exclude"), 23 * 6U) << "it might have been replaced by a good file";
  run.shut_down();
}

TEST(Failures, AModelThatServesForAWhileIsTrustedAgain) {
  const auto base = scene({camera("a", 20, ladder())});
  SimulatedRun run(base);
  bool corrupt = true;
  run.load_fate = [&](TaskIndex, std::size_t variant) {
    return corrupt && variant == 0 ? LoadFate::fails : LoadFate::good;
  };
  bool broken = false;
  run.frame_fails = [&](TaskIndex, std::size_t variant) { return broken && variant == 0; };
  run.at(at_ms(10'000), [&] { corrupt = false; });
  run.run_until(at_ms(30'000));
  ASSERT_EQ(run.controller().serving(0), 0U);
  run.at(at_ms(40'000), [&] { broken = true; });
  run.at(at_ms(40'400), [&] { broken = false; });
  run.run_until(at_ms(42'000));
  EXPECT_EQ(run.reports("exclude", "for 250 ms"), 2U) << "the pauses start anew";
  EXPECT_EQ(run.controller().serving(0), 0U);
  run.shut_down();
}

TEST(Failures, ATaskWithoutAnyVariantThatLoadsDoesNotWaitTenMinutes) {
  const auto base = scene({camera("a", 20, ladder()), camera("b", 20, ladder())});
  SimulatedRun run(base);
  bool disk_is_there = false;
  run.load_fate = [&](TaskIndex task, std::size_t) {
    return task == 0 && !disk_is_there ? LoadFate::fails : LoadFate::good;
  };
  run.at(at_ms(3'600'000), [&] { disk_is_there = true; });
  run.run_until(at_ms(3'600'000));
  EXPECT_EQ(run.controller().serving(0), std::nullopt);
  EXPECT_LE(run.loads(), 2U + 3'600 / 4)
      << "at most one attempt every five seconds, once it goes on for long";
  run.run_until(at_ms(3'606'000));
  EXPECT_NE(run.controller().serving(0), std::nullopt);
  run.shut_down();
}

TEST(Failures, AnEngineThatDoesNotWarmUpIsDestroyedAndPlannedAround) {
  const auto base = scene({camera("a", 20, ladder())});
  SimulatedRun run(base);
  run.warm_up_fails = [](TaskIndex, std::size_t variant) { return variant == 0; };
  run.run_until(at_ms(200));
  EXPECT_EQ(run.controller().serving(0), 1U);
  EXPECT_EQ(run.reports("exclude", "does not warm up"), 1U);
  EXPECT_EQ(run.controller().switch_totals()->failed, 1);
  EXPECT_LE(run.controller().reserved().value(), 10e6) << "the failed one gave its memory back";
  run.shut_down();
}

TEST(Failures, AHungLoadIsAbandonedWithItsReservationAndASecondLoaderTakesOver) {
  RuntimeOptions options;
  options.load_timeout = Seconds(1.0);
  const auto base = scene({camera("a", 20, ladder())}, 1.0, 100);
  SimulatedRun run(base, options);
  run.hang_time = ms(1498);  // returns at 1500 ms: the load begins after a solve of 2 ms
  bool hang = true;
  run.load_fate = [&](TaskIndex, std::size_t variant) {
    return hang && variant == 0 ? LoadFate::hangs : LoadFate::good;
  };
  run.run_until(at_ms(1200));
  EXPECT_EQ(run.controller().serving(0), 1U);
  EXPECT_EQ(run.reports("fault", "hangs"), 1U);
  EXPECT_EQ(run.controller().switch_totals()->failed, 1);
  EXPECT_EQ(run.controller().reserved().value(), 50e6);
  hang = false;
  ASSERT_EQ(run.hung(), 1U);
  run.run_until(at_ms(3000));
  EXPECT_EQ(run.controller().serving(0), 0U);
  EXPECT_EQ(run.controller().reserved().value(), 40e6) << "what came too late was thrown away";
  run.shut_down();
}

TEST(Failures, TwoHungLoadsLeaveWhatRunsRunning) {
  RuntimeOptions options;
  options.load_timeout = Seconds(1.0);
  const auto base = scene({camera("a", 20, ladder()), camera("b", 20, ladder())});
  SimulatedRun run(base, options);
  run.load_fate = [](TaskIndex task, std::size_t) { return task == 1 ? LoadFate::hangs : LoadFate::good; };
  run.run_until(at_ms(10'000));
  EXPECT_EQ(run.hung(), 2U);
  EXPECT_EQ(run.reports("fault", "no loader is left"), 1U);
  EXPECT_EQ(run.controller().serving(0), 0U);
  EXPECT_GT(run.frames(0).processed, 190);
  run.shut_down();
}

TEST(Failures, AnEngineWhoseInferenceHangsServesNoMoreAndIsPlannedAround) {
  const auto base = scene({camera("a", 20, ladder())});
  SimulatedRun run(base);
  run.run_until(at_ms(1000));
  ASSERT_EQ(run.controller().serving(0), 0U);
  run.send(at_ms(1000), event::InferenceHangs{1});  // the first engine
  run.run_until(at_ms(1001));
  EXPECT_EQ(run.controller().serving(0), std::nullopt) << "at once: it cannot serve until another is ready";
  EXPECT_EQ(run.reports("exclude", "an inference does not return"), 1U);
  run.run_until(at_ms(1200));
  EXPECT_EQ(run.controller().serving(0), 1U);
  run.send(at_ms(1200), event::InferenceHangs{1});  // told again, of an engine that serves no more
  run.run_until(at_ms(5000));
  EXPECT_EQ(run.reports("exclude"), 1U);
  EXPECT_EQ(run.controller().serving(0), 0U) << "another engine of the same variant";
  run.shut_down();
}

TEST(Failures, FiveInferenceErrorsInARowExcludeTheVariant) {
  const auto base = scene({camera("a", 20, ladder())});
  SimulatedRun run(base);
  bool broken = false;
  run.frame_fails = [&](TaskIndex, std::size_t variant) { return broken && variant == 0; };
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
  run.solver_gives_nothing = [&] { return refusals-- > 0; };
  run.run_until(at_ms(5000));
  EXPECT_EQ(run.solves(), 4U);
  EXPECT_EQ(run.controller().serving(0), 0U);
  run.shut_down();
}

}  // namespace
}  // namespace saccade::test
