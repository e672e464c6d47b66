#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "runtime/control/memory_ledger.hpp"
#include "runtime/frames/frame_ledger.hpp"
#include "runtime/frames/tick_schedule.hpp"
#include "tests/support/milliseconds.hpp"

namespace saccade::runtime {
namespace {

using test::at_ms;

constexpr Duration kPeriod = std::chrono::milliseconds(100);

TEST(FrameLedger, ReceivedIsProcessedPlusDroppedPlusInFlightWhateverHappens) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    FrameLedger ledger(2);
    std::vector<std::pair<TaskIndex, FrameNumber>> open;
    FrameNumber next = 0;
    for (int i = 0; i < 1000; ++i) {
      if (open.empty() || random() % 2 == 0) {
        open.emplace_back(random() % 2, ++next);
        ledger.received(open.back().first, open.back().second, kPeriod);
      } else {
        std::swap(open[random() % open.size()], open.back());
        const auto [task, frame] = open.back();
        open.pop_back();
        if (random() % 2 == 0) {
          ledger.processed(task, frame, at_ms(i), at_ms(i + 3), Duration(0), random() % 4, {2, 1});
        } else {
          ledger.dropped({task, frame, static_cast<DropReason>(random() % kDropReasons),
                          static_cast<LossCause>(random() % kLossCauses)});
        }
      }
      for (TaskIndex task = 0; task < 2; ++task) {
        const TaskFrames& frames = ledger.task(task);
        ASSERT_EQ(frames.received, frames.processed + frames.dropped_total() + frames.in_flight);
      }
    }
    EXPECT_EQ(ledger.task(0).in_flight + ledger.task(1).in_flight, static_cast<std::int64_t>(open.size()));
  }
}

TEST(FrameLedgerDeathTest, AFrameEndsOnlyOnce) {
  FrameLedger ledger(1);
  ledger.received(0, 7, kPeriod);
  ledger.dropped({0, 7, DropReason::stale, LossCause::other});
  EXPECT_DEATH(ledger.processed(0, 7, at_ms(0), at_ms(1), Duration(0), 0, {}), "check failed");
}

TEST(FrameLedger, GrantedIsTheIntegralOfTheGrantedRateInWholeFrames) {
  FrameLedger ledger(1);
  TickSchedule ticks;
  ticks.set_demand(Fps(25.0), at_ms(0));
  ledger.set_granted(0, Fps(25.0), at_ms(0));
  while (*ticks.next() < at_ms(4000)) ledger.tick(0, ticks.take());
  EXPECT_EQ(ledger.task(0).demanded, 100);
  EXPECT_EQ(ledger.task(0).granted, 100);
  ledger.set_granted(0, Fps(10.0), at_ms(4000));
  while (*ticks.next() < at_ms(8000)) ledger.tick(0, ticks.take());
  EXPECT_EQ(ledger.task(0).demanded, 200);
  EXPECT_NEAR(static_cast<double>(ledger.task(0).granted), 140.0, 2.0);
}

TEST(FrameLedger, OverheadIsWhatSwitchesAndSolvesCostOfWhatWasGranted) {
  FrameLedger ledger(2);
  EXPECT_EQ(overhead_share(ledger), 0.0);
  for (TaskIndex task = 0; task < 2; ++task) {
    ledger.set_granted(task, Fps(10.0), at_ms(0));
    for (int k = 0; k < 50; ++k) {
      ledger.tick(task, at_ms(100 * k));
      const auto frame = static_cast<FrameNumber>(100 * task) + static_cast<FrameNumber>(k);
      ledger.received(task, frame, kPeriod);
      const auto cause = static_cast<LossCause>(k % 3);
      if (k < 6) {
        ledger.dropped({task, frame, DropReason::over_quota, cause});
      } else {
        ledger.processed(task, frame, at_ms(100 * k), at_ms(100 * k + 5), Duration(0), 1, {});
      }
    }
  }
  EXPECT_DOUBLE_EQ(overhead_share(ledger), 8.0 / 100.0);
  EXPECT_EQ(ledger.task(0).variants.at(1).frames, 44);
}

TEST(FrameLedger, LatencyIsAlsoCountedInTheFramesOwnPeriods) {
  FrameLedger ledger(1);
  ledger.received(0, 1, Duration(std::chrono::milliseconds(100)));
  ledger.received(0, 2, Duration(std::chrono::milliseconds(20)));
  ledger.processed(0, 1, at_ms(0), at_ms(50), Duration(0), 0, {});
  ledger.processed(0, 2, at_ms(10), at_ms(40), Duration(0), 0, {});
  EXPECT_EQ(ledger.task(0).latency.max(), Duration(std::chrono::milliseconds(50)));
  EXPECT_NEAR(to_seconds(*ledger.task(0).in_periods.max()).value(), 1.5, 1e-9);
  EXPECT_NEAR(to_seconds(*ledger.task(0).in_periods.quantile(0.5)).value(), 0.5, 0.01);
}

TEST(FrameLedger, TheAgeIsCountedWhereItIsKnown) {
  FrameLedger ledger(1);
  for (FrameNumber frame = 1; frame <= 3; ++frame) ledger.received(0, frame, kPeriod);
  ledger.processed(0, 1, at_ms(0), at_ms(50), Duration(0), 0, {}, std::chrono::milliseconds(70));
  ledger.processed(0, 2, at_ms(10), at_ms(40), Duration(0), 0, {});
  ledger.processed(0, 3, at_ms(20), at_ms(60), Duration(0), 0, {}, std::chrono::milliseconds(90));
  EXPECT_EQ(ledger.task(0).latency.count(), 3);
  EXPECT_EQ(ledger.task(0).age.count(), 2);
  EXPECT_EQ(ledger.task(0).age.max(), Duration(std::chrono::milliseconds(90)));
}

TEST(FrameLedger, TheLargestGapCountsOnlyWhileTheTaskIsActive) {
  FrameLedger ledger(1);
  const auto process = [&](FrameNumber frame, double end_ms) {
    ledger.received(0, frame, kPeriod);
    ledger.processed(0, frame, at_ms(end_ms), at_ms(end_ms), Duration(0), 0, {});
  };
  ledger.set_active(0, true, at_ms(100));
  process(1, 130);
  process(2, 170);
  ledger.set_active(0, false, at_ms(200));
  EXPECT_EQ(ledger.largest_gap(0, at_ms(9000)), Duration(40'000'000));
  ledger.set_active(0, true, at_ms(9000));
  EXPECT_EQ(ledger.largest_gap(0, at_ms(9070)), Duration(70'000'000)) << "a gap that is still open counts";
}

TEST(LatencyHistogram, QuantilesLieAtMostOneBucketAboveTheTrueOnes) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    LatencyHistogram histogram;
    std::vector<std::int64_t> all;
    for (int i = 0; i < 999; ++i) {
      all.push_back(static_cast<std::int64_t>(random() >> (random() % 60 + 2)));
      histogram.add(Duration(all.back()));
    }
    std::sort(all.begin(), all.end());
    for (const double share : {0.5, 0.99, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(share * 999.0)) - 1;
      const auto got = static_cast<double>(histogram.quantile(share)->count());
      EXPECT_GE(got, static_cast<double>(all[rank]));
      EXPECT_LE(got, static_cast<double>(all[rank]) * (1.0 + 1.0 / 64.0) + 1.0);
    }
    EXPECT_EQ(histogram.max()->count(), all.back());
  }
}

TEST(LatencyHistogram, AnEmptyOneHasNoFigures) {
  EXPECT_EQ(LatencyHistogram().quantile(0.5), std::nullopt);
  EXPECT_EQ(LatencyHistogram().max(), std::nullopt);
}

TEST(MemoryLedger, NeverAdmitsAboveTheLimitAndGivesBackExactly) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    MemoryLedger ledger;
    ledger.set_limits({Bytes(1000.0), {}});
    std::vector<std::pair<EngineKey, double>> held;
    double sum = 0.0;
    for (EngineKey key = 1; key <= 300; ++key) {
      const auto amount = static_cast<double>(random() % 500);
      const bool fits = sum + amount <= 1000.0;
      ASSERT_EQ(ledger.fits(Bytes(amount)), fits);
      ASSERT_EQ(ledger.reserve(key, Bytes(amount)), fits);
      if (fits) {
        held.emplace_back(key, amount);
        sum += amount;
      }
      if (!held.empty() && random() % 2 == 0) {
        if (random() % 2 == 0) {
          ledger.release(held.back().first);
          sum -= held.back().second;
          held.pop_back();
        } else {
          const double less = std::floor(held.back().second / 2.0);
          ledger.shrink(held.back().first, Bytes(less));
          sum += less - held.back().second;
          held.back().second = less;
        }
      }
      ASSERT_EQ(ledger.used().total().value(), sum);
      ASSERT_LE(ledger.peak().total().value(), 1000.0);
    }
  }
}

TEST(MemoryLedger, ALimitBelowUseTakesNothingBackButRefuses) {
  MemoryLedger ledger;
  EXPECT_TRUE(ledger.reserve(1, Bytes(80.0)));
  ledger.set_limits({Bytes(50.0), {}});
  EXPECT_TRUE(ledger.over_limit());
  EXPECT_FALSE(ledger.fits(Bytes(0.0)));
  EXPECT_FALSE(ledger.reserve(2, Bytes(1.0)));
}

TEST(MemoryLedger, LoadingTakesTheLargerOfMemoryAndPeakAndWhatIsNotMeasuredCountsAsNothing) {
  profiles::Variant variant;
  EXPECT_EQ(memory_loading(variant).host().value(), 0.0);
  variant.memory = Bytes(10.5);
  EXPECT_EQ(memory_loading(variant).host().value(), 11.0);
  variant.load_peak = Bytes(20.0);
  EXPECT_EQ(memory_loading(variant).host().value(), 20.0);
  EXPECT_EQ(memory_serving(variant).host().value(), 11.0);
}

TEST(MemoryLedger, DeviceMemoryIsNotChargedToTheHostNorTheHostsToTheDevice) {
  profiles::Variant variant;
  variant.memory = Bytes(10.0);
  variant.load_peak = Bytes(15.0);
  variant.device_memory = Bytes(300.0);
  variant.device_load_peak = Bytes(500.5);
  EXPECT_EQ(memory_loading(variant).of(0), Bytes(15.0)) << "on a processor of the host";
  EXPECT_EQ(memory_loading(variant).of(1), Bytes(0.0));
  const MemoryAmounts loading = memory_loading(variant, {1});
  EXPECT_EQ(loading.of(0), Bytes(15.0));
  EXPECT_EQ(loading.of(1), Bytes(0.0)) << "another device's";
  EXPECT_EQ(loading.of(2), Bytes(501.0));
  EXPECT_EQ(memory_serving(variant, {1}).of(2), Bytes(300.0));
}

TEST(MemoryLedger, EveryMemoryHasItsOwnLimitAndContextsCountOnce) {
  MemoryLedger ledger;
  MemoryAmounts contexts(Bytes(20.0));
  contexts.set(1, Bytes(100.0));
  ledger.set_contexts(contexts);
  ledger.set_limits({Bytes(50.0), {Bytes(400.0), std::nullopt}});
  MemoryAmounts engine(Bytes(10.0));
  engine.set(1, Bytes(150.0));
  EXPECT_TRUE(ledger.reserve(1, engine));
  EXPECT_TRUE(ledger.reserve(2, engine));
  EXPECT_FALSE(ledger.fits(engine)) << "the device's memory is full, the host's is not";
  EXPECT_TRUE(ledger.fits(Bytes(10.0)));
  MemoryAmounts elsewhere(Bytes(10.0));
  elsewhere.set(2, Bytes(1e12));
  EXPECT_TRUE(ledger.fits(elsewhere)) << "the second device has no limit";
  EXPECT_EQ(ledger.used().of(1), Bytes(400.0));
  EXPECT_EQ(ledger.peak().host(), Bytes(40.0));
  ledger.release(1);
  ledger.release(2);
  EXPECT_EQ(ledger.used(), contexts) << "the process keeps its contexts";
  ledger.set_limits({Bytes(10.0), {}});
  EXPECT_EQ(ledger.exceeded(ledger.used()), std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace saccade::runtime
