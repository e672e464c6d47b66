#include "runtime/frames/regulator.hpp"

#include <gtest/gtest.h>

#include <random>

#include "runtime/frames/tick_schedule.hpp"

namespace saccade::runtime {
namespace {

TimePoint at(std::int64_t ns) { return TimePoint(Duration(ns)); }

TEST(Regulator, NeverRefusesAFrameOfATaskWhoseDemandIsItsRate) {
  // Rates whose period is no whole number of nanoseconds, over more frames than a day has at 1/s.
  for (const double f : {1.0, 3.0, 7.0, 23.976, 29.97, 30.0, 59.94, 1000.0 / 7.0}) {
    Regulator regulator;
    TickSchedule ticks;
    regulator.set_rate(Fps(f), at(0));
    ticks.set_demand(Fps(f), at(0));
    for (int k = 0; k < 200'000; ++k) ASSERT_TRUE(regulator.admit(ticks.take())) << f << " frame " << k;
  }
}

TEST(Regulator, NeverRefusesAFrameAcrossChangesOfDemandAndRateTogether) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    Regulator regulator;
    TickSchedule ticks;
    std::int64_t now = 0;
    for (int change = 0; change < 50; ++change) {
      const Fps rate(static_cast<double>(1 + random() % 3000) / 50.0);
      ticks.set_demand(rate, at(now));
      regulator.set_rate(rate, at(now));
      now += static_cast<std::int64_t>(random() % 500'000'000);
      while (*ticks.next() <= at(now)) {
        ASSERT_TRUE(regulator.admit(ticks.take())) << "seed " << seed << " change " << change;
      }
    }
  }
}

TEST(Regulator, AdmitsNoMoreThanTheBucketAndTheRateTogether) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    const double rate = static_cast<double>(1 + random() % 100);
    Regulator regulator;
    regulator.set_rate(Fps(rate), at(0));
    std::int64_t now = 0;
    std::int64_t admitted = 0;
    for (int i = 0; i < 2000; ++i) {
      now += static_cast<std::int64_t>(random() % 10'000'000);
      admitted += regulator.admit(at(now)) ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(admitted),
              Regulator::kBurst + rate * static_cast<double>(now) * 1e-9 * (1 + 1e-6));
    EXPECT_GE(static_cast<double>(admitted),
              std::min(2000.0, rate * static_cast<double>(now) * 1e-9 * 0.8) - 2);
  }
}

TEST(Regulator, HalfTheRateAdmitsEveryOtherFrame) {
  Regulator regulator;
  regulator.set_rate(Fps(5.0), at(0));
  int admitted = 0;
  for (int k = 0; k < 1000; ++k) admitted += regulator.admit(at(k * 100'000'000LL)) ? 1 : 0;
  EXPECT_GE(admitted, 500);
  EXPECT_LE(admitted, 502);
}

TEST(Regulator, RateZeroRefusesEverything) {
  Regulator regulator;
  EXPECT_FALSE(regulator.admit(at(0)));
  regulator.set_rate(Fps(10.0), at(0));
  EXPECT_TRUE(regulator.admit(at(0)));
  regulator.set_rate(Fps(0.0), at(1));
  EXPECT_FALSE(regulator.admit(at(10'000'000'000)));
}

TEST(Regulator, LoweringARateDoesNotFillTheBucket) {
  Regulator regulator;
  regulator.set_rate(Fps(100.0), at(0));
  EXPECT_TRUE(regulator.admit(at(0)));
  EXPECT_TRUE(regulator.admit(at(0)));
  for (int i = 1; i <= 20; ++i) {
    regulator.set_rate(Fps(100.0 - i), at(i));
    EXPECT_FALSE(regulator.admit(at(i)));
  }
}

TEST(TickSchedule, TicksDoNotDrift) {
  TickSchedule ticks;
  ticks.set_demand(Fps(3.0), at(1'000));
  for (std::int64_t k = 0; k < 3'000'000; ++k) {
    const std::int64_t due = ticks.take().time_since_epoch().count() - 1'000;
    ASSERT_LE(std::abs(3 * due - k * 1'000'000'000), 3) << k;
  }
  EXPECT_EQ(ticks.demanded(), 3'000'000);
}

TEST(TickSchedule, AChangedDemandKeepsTicksApartByTheNewPeriod) {
  TickSchedule ticks;
  ticks.set_demand(Fps(10.0), at(0));
  EXPECT_EQ(ticks.take(), at(0));
  ticks.set_demand(Fps(20.0), at(10'000'000));  // 40 ms of the new period are left
  EXPECT_EQ(ticks.take(), at(50'000'000));
  ticks.set_demand(Fps(2.0), at(60'000'000));
  EXPECT_EQ(ticks.next(), at(550'000'000));
  ticks.set_demand(Fps(25.0), at(300'000'000));  // the new period has passed: at once
  EXPECT_EQ(ticks.take(), at(300'000'000));
  EXPECT_EQ(ticks.take(), at(340'000'000));
}

TEST(Regulator, ARateThatIsRaisedByRoundingDoesNotFillTheBucketAgain) {
  Regulator regulator;
  double rate = 8.0;
  regulator.set_rate(Fps(rate), at(0));
  int admitted = 0;
  for (int k = 0; k < 24; ++k) {  // 24 frames/s, one second
    const TimePoint due = at(k * 41'666'667LL);
    regulator.set_rate(Fps(rate *= 1.0 + 1e-15), due);
    if (regulator.admit(due)) ++admitted;
  }
  EXPECT_LE(admitted, 8 + Regulator::kBurst);
}

TEST(TickSchedule, TheSameDemandAgainChangesNothingAndNoneMakesNoTicks) {
  TickSchedule ticks;
  EXPECT_EQ(ticks.next(), std::nullopt);
  ticks.set_demand(Fps(10.0), at(5));
  ticks.set_demand(Fps(10.0), at(77));
  EXPECT_EQ(ticks.next(), at(5));
  ticks.set_demand(Fps(0.0), at(100));
  EXPECT_EQ(ticks.next(), std::nullopt);
}

}  // namespace
}  // namespace saccade::runtime
