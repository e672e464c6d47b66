// What slows the controller's hand: exclusions, the solve gate, the drift filter.
#include <gtest/gtest.h>

#include <random>

#include "runtime/control/exclusions.hpp"
#include "runtime/control/solve_gate.hpp"
#include "runtime/frames/drift_filter.hpp"
#include "tests/support/milliseconds.hpp"

namespace saccade::runtime {
namespace {

using test::at_ms;
using test::ms;

TEST(Exclusions, BackOffDoublesUpToItsCapAndForgettingStartsAnew) {
  Exclusions exclusions(ms(250), ms(5000));
  TimePoint now = at_ms(0);
  for (const double expected : {250.0, 500.0, 1000.0, 2000.0, 4000.0, 5000.0, 5000.0}) {
    EXPECT_EQ(exclusions.exclude(1, 2, now), ms(expected));
    EXPECT_TRUE(exclusions.excluded(1, 2));
    EXPECT_FALSE(exclusions.excluded(1, 3));
    EXPECT_FALSE(exclusions.expire(now + ms(expected) - Duration(1)));
    now += ms(expected);
    EXPECT_EQ(exclusions.next_expiry(), now);
    EXPECT_TRUE(exclusions.expire(now));
    EXPECT_FALSE(exclusions.excluded(1, 2));
    EXPECT_EQ(exclusions.next_expiry(), std::nullopt);
  }
  exclusions.forgive(1, 2);
  EXPECT_EQ(exclusions.exclude(1, 2, now), ms(250));
}

TEST(Exclusions, ATaskThatIsOffHasTheVariantThatWouldReturnFirstBackEarlier) {
  Exclusions exclusions(ms(60'000), ms(600'000));
  exclusions.exclude(1, 0, at_ms(0));
  exclusions.exclude(1, 1, at_ms(10));
  exclusions.exclude(2, 0, at_ms(0));
  exclusions.retry_by(1, at_ms(90'000));
  EXPECT_EQ(exclusions.next_expiry(), at_ms(60'000)) << "what ends in time is left alone";
  exclusions.retry_by(1, at_ms(5000));
  EXPECT_EQ(exclusions.next_expiry(), at_ms(5000));
  EXPECT_TRUE(exclusions.expire(at_ms(5000)));
  EXPECT_FALSE(exclusions.excluded(1, 0));
  EXPECT_TRUE(exclusions.excluded(1, 1));
  EXPECT_TRUE(exclusions.excluded(2, 0));
}

TEST(SolveGate, TheFirstIsSolvedAtOnceAndFollowersTogether) {
  SolveGate gate(ms(50), ms(250), ms(5000));
  EXPECT_FALSE(gate.start(at_ms(0)));
  gate.wanted();
  EXPECT_TRUE(gate.start(at_ms(10)));
  gate.wanted();
  gate.wanted();
  EXPECT_FALSE(gate.start(at_ms(11))) << "one is in flight";
  gate.came_back();
  EXPECT_FALSE(gate.start(at_ms(20)));
  EXPECT_EQ(gate.next_start(), at_ms(60));
  EXPECT_TRUE(gate.start(at_ms(60)));
  gate.came_back();
  EXPECT_FALSE(gate.pending());
  gate.wanted();
  EXPECT_TRUE(gate.start(at_ms(500))) << "after a pause the next one is a first again";
}

TEST(SolveGate, ASolveThatBroughtNothingIsTriedAgainLaterAndLater) {
  SolveGate gate(ms(50), ms(250), ms(5000));
  gate.wanted();
  TimePoint now = at_ms(0);
  for (const double pause : {250.0, 500.0, 1000.0, 2000.0, 4000.0, 5000.0, 5000.0}) {
    ASSERT_TRUE(gate.start(now));
    gate.came_back_empty(now);
    EXPECT_EQ(gate.next_start(), now + ms(pause));
    now += ms(pause);
  }
}

// Feeds an engine that takes `factor` times its profile, ten frames per 100 ms, and tells when a new
// correction came.
class Drift : public ::testing::Test {
 protected:
  std::optional<double> feed(double factor, double from_ms, double to_ms, EngineKey engine = 1) {
    std::optional<double> changed;
    for (double t = from_ms; t < to_ms; t += 100) {
      for (int i = 0; i < 10; ++i) filter.sample(0, engine, ms(10.0 * factor), ms(10.0), at_ms(t));
      if (const auto update = filter.update(0, {}, 1.0, at_ms(t))) changed = update;
    }
    return changed;
  }
  DriftFilter filter{1};
};

TEST_F(Drift, ASteadyStateInsideTheBandNeverChangesAnything) {
  EXPECT_EQ(feed(1.14, 0, 60'000), std::nullopt);
  EXPECT_EQ(feed(0.86, 60'000, 120'000), std::nullopt);
  EXPECT_EQ(filter.correction(0), 1.0);
}

TEST_F(Drift, ALastingSlownessIsCorrectedOnceAfterThreeSeconds) {
  EXPECT_EQ(feed(1.3, 0, 3000), std::nullopt);
  const auto changed = feed(1.3, 3000, 3200);
  ASSERT_TRUE(changed);
  EXPECT_DOUBLE_EQ(*changed, 1.3);
  EXPECT_EQ(feed(1.3, 3200, 60'000), std::nullopt);
  EXPECT_EQ(feed(1.2, 60'000, 120'000), std::nullopt) << "inside the band around the new factor";
  EXPECT_TRUE(feed(1.0, 120'000, 130'000));
}

TEST_F(Drift, AShortBurstChangesNothing) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(feed(1.5, i * 4000.0, i * 4000.0 + 2500), std::nullopt);
    EXPECT_EQ(feed(1.0, i * 4000.0 + 2500, i * 4000.0 + 4000), std::nullopt);
  }
}

TEST_F(Drift, OneOutlierAmongTheEnginesDoesNotMoveTheProcessor) {
  for (double t = 0; t < 10'000; t += 100) {
    for (EngineKey engine = 1; engine <= 3; ++engine) {
      for (int i = 0; i < 10; ++i)
        filter.sample(0, engine, ms(engine == 2 ? 30.0 : 10.0), ms(10.0), at_ms(t));
    }
    EXPECT_EQ(filter.update(0, {}, 1.0, at_ms(t)), std::nullopt);
  }
  EXPECT_DOUBLE_EQ(filter.residual(2).value(), 3.0);
  EXPECT_DOUBLE_EQ(filter.residual(1).value(), 1.0);
  filter.forget(2);
  EXPECT_EQ(filter.residual(2), std::nullopt);
}

// Two engines that are asked for `share` of the processor each and take `factor` times their profile.
class Overload : public Drift {
 protected:
  std::vector<double> feed_both(double share, double first, double second, double from_ms, double to_ms) {
    const std::vector<DriftFilter::Asked> asked{{1, share}, {2, share}};
    std::vector<double> changes;
    for (double t = from_ms; t < to_ms; t += 100) {
      for (int i = 0; i < 4; ++i) {
        filter.sample(0, 1, ms(10.0 * first), ms(10.0), at_ms(t));
        filter.sample(0, 2, ms(10.0 * second), ms(10.0), at_ms(t));
      }
      if (const auto update = filter.update(0, asked, 1.0, at_ms(t))) changes.push_back(*update);
    }
    return changes;
  }
};

TEST_F(Overload, ALittleSlownessIsCorrectedWhereThePlanLeavesNoRoomForItAndOnlyThere) {
  EXPECT_TRUE(feed_both(0.46, 1.08, 1.08, 0, 60'000).empty()) << "0.99 of 1: there is room";
  const auto changes = feed_both(0.475, 1.08, 1.08, 60'000, 120'000);
  ASSERT_EQ(changes.size(), 1U) << "0.95 x 1.08 is more than there is, and correcting it once is enough";
  EXPECT_NEAR(changes[0], 1.08, 1e-12);
  EXPECT_TRUE(feed_both(0.475 / 1.08, 1.08, 1.08, 120'000, 180'000).empty());
  EXPECT_TRUE(feed_both(0.475 / 1.08, 1.0, 1.0, 180'000, 240'000).empty()) << "inside the band";
}

TEST_F(Overload, AnEngineOutOfLineRaisesTheFactorNoFurtherThanTheBandAroundTheOthers) {
  const auto feed_three = [&](double share, double third, double from_ms, double to_ms) {
    const std::vector<DriftFilter::Asked> asked{{1, share}, {2, share}, {3, share}};
    std::vector<double> changes;
    for (double t = from_ms; t < to_ms; t += 100) {
      for (EngineKey engine = 1; engine <= 3; ++engine) {
        filter.sample(0, engine, ms(engine == 3 ? 10.0 * third : 10.0), ms(10.0), at_ms(t));
      }
      if (const auto update = filter.update(0, asked, 1.0, at_ms(t))) changes.push_back(*update);
    }
    return changes;
  };
  EXPECT_EQ(feed_three(0.31, 3.0, 0, 60'000), (std::vector<double>{1.0 + DriftFilter::kBand}));
  EXPECT_TRUE(feed_three(0.27, 3.0, 60'000, 120'000).empty());
  filter.forget(3);
  EXPECT_TRUE(feed_three(0.27, 1.0, 120'000, 180'000).empty()) << "no plan follows the engine that left";
}

TEST_F(Overload, OneFrameThatAStallHitIsForgottenBeforeItCounts) {
  const std::vector<DriftFilter::Asked> asked{{1, 0.9}};
  for (double t = 0; t < 60'000; t += 100) {
    const bool stalled = static_cast<int>(t) % 7000 == 0;
    filter.sample(0, 1, ms(stalled ? 400.0 : 10.0), ms(10.0), at_ms(t));
    EXPECT_EQ(filter.update(0, asked, 1.0, at_ms(t)), std::nullopt) << t;
  }
}

TEST_F(Overload, IsCorrectedWithinTwoSecondsAndAHalf) {
  EXPECT_TRUE(feed_both(0.475, 1.1, 1.1, 0, 2000).empty());
  EXPECT_EQ(feed_both(0.475, 1.1, 1.1, 2000, 2500).size(), 1U);
}

TEST_F(Overload, AStepIsCorrectedAsAWholeOrNotAtAll) {
  const std::vector<DriftFilter::Asked> asked{{1, 0.9}};
  const auto feed = [&](double factor, int frames, double from_ms) {  // 50 frames/s
    for (int i = 0; i < frames; ++i)
      filter.sample(0, 1, ms(10.0 * factor), ms(10.0), at_ms(from_ms + 20 * i));
  };
  const auto revise = [&](double now_ms) {
    return filter.revise(0, asked, DriftFilter::Direction::up, at_ms(now_ms));
  };
  feed(1.0, 150, 0);
  feed(1.4, 5, 3000);
  const auto few = revise(3100);
  EXPECT_LT(few.value_or(1.0), 1.1) << "a few frames are no step, and say as much as a mean of all";
  feed(1.4, 14, 3100);
  EXPECT_EQ(revise(3380), std::nullopt) << "half of it is seen";
  feed(1.4, 1, 3380);
  EXPECT_NEAR(revise(3400).value(), 1.4, 1e-12);
  feed(1.4, 100, 3400);
  EXPECT_EQ(revise(5400), std::nullopt) << "and nothing follows";
}

// Three engines, of which the one with most of the load is the slow one.
TEST_F(Overload, APlanThatIsMadeAnywayTakesWhatTheLoadAsAWholeShowsNow) {
  const std::vector<DriftFilter::Asked> asked{{1, 0.1}, {2, 0.1}, {3, 0.4}};
  EXPECT_EQ(filter.revise(0, asked, DriftFilter::Direction::any, at_ms(0)), std::nullopt)
      << "nothing was measured";
  const auto feed_all = [&](double third, double from_ms, double to_ms) {
    for (double t = from_ms; t < to_ms; t += 100) {
      for (EngineKey engine = 1; engine <= 3; ++engine) {
        filter.sample(0, engine, ms(engine == 3 ? 10.0 * third : 10.0), ms(10.0), at_ms(t));
      }
      EXPECT_EQ(filter.update(0, asked, 1.0, at_ms(t)), std::nullopt) << "there is room";
    }
  };
  feed_all(1.12, 0, 2000);
  const double expected = filter.revised(0, asked, at_ms(2000));
  const auto revised = filter.revise(0, asked, DriftFilter::Direction::any, at_ms(2000));
  ASSERT_TRUE(revised);
  EXPECT_NEAR(*revised, (0.2 + 0.4 * 1.12) / 0.6, 1e-12);
  EXPECT_EQ(filter.correction(0), *revised);
  EXPECT_EQ(expected, *revised) << "looking tells the same";
  EXPECT_EQ(filter.revise(0, asked, DriftFilter::Direction::any, at_ms(2000)), std::nullopt) << "nothing new";
  feed_all(1.0, 2000, 5000);
  EXPECT_NEAR(filter.revise(0, asked, DriftFilter::Direction::any, at_ms(5000)).value(), 1.0, 1e-12)
      << "down as well as up";
  feed_all(0.9, 5000, 8000);
  EXPECT_EQ(filter.revise(0, asked, DriftFilter::Direction::up, at_ms(8000)), std::nullopt);
  feed_all(3.0, 8000, 11'000);
  EXPECT_NEAR(filter.revise(0, asked, DriftFilter::Direction::any, at_ms(11'000)).value(),
              1.0 + DriftFilter::kBand, 1e-12)
      << "no further from the median than the band";
}

TEST_F(Overload, AFrameThatAStallHitCountsAtMostTwiceTheMedian) {
  const std::vector<DriftFilter::Asked> asked{{1, 0.9}};
  for (double t = 0; t < 2000; t += 100)
    filter.sample(0, 1, ms(t == 1500 ? 400.0 : 10.0), ms(10.0), at_ms(t));
  EXPECT_NEAR(filter.revise(0, asked, DriftFilter::Direction::any, at_ms(2000)).value(), 11.0 / 10.0, 1e-12);
}

TEST_F(Drift, TooFewFramesSayNothing) {
  for (std::size_t i = 0; i + 1 < DriftFilter::kAtLeast; ++i) filter.sample(0, 1, ms(50), ms(10), at_ms(0));
  EXPECT_EQ(filter.update(0, {}, 1.0, at_ms(0)), std::nullopt);
  EXPECT_EQ(filter.update(0, {}, 1.0, at_ms(9000)), std::nullopt);
  EXPECT_EQ(filter.residual(1), std::nullopt);
}

}  // namespace
}  // namespace saccade::runtime
