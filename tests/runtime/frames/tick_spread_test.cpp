#include "runtime/frames/tick_spread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "runtime/frames/tick_schedule.hpp"
#include "tests/support/milliseconds.hpp"
#include "tests/support/scenes.hpp"
#include "tests/support/simulated_run.hpp"

namespace saccade::runtime {
namespace {

using test::at_ms;
using test::ms;

// The first ticks of tasks of these periods, one started after the other at the same moment.
std::vector<Ticks> started_together(const std::vector<double>& periods_ms, TimePoint now = at_ms(40)) {
  std::vector<Ticks> ticks;
  for (const double period : periods_ms)
    ticks.push_back({now + spread_delay(ms(period), now, ticks), ms(period)});
  return ticks;
}

// The least time between two ticks of different tasks from `from` on, for a second.
Duration least_pause(const std::vector<Ticks>& tasks) {
  std::vector<TimePoint> all;
  for (const Ticks& each : tasks) {
    for (TimePoint tick = each.next; tick < tasks.front().next + ms(1000); tick += each.period)
      all.push_back(tick);
  }
  std::sort(all.begin(), all.end());
  Duration least = ms(1000);
  for (std::size_t i = 1; i < all.size(); ++i) least = std::min(least, all[i] - all[i - 1]);
  return least;
}

TEST(TickSpread, TheFirstTaskBeginsAtOnce) { EXPECT_EQ(spread_delay(ms(20), at_ms(7), {}), ms(0)); }

TEST(TickSpread, EqualCamerasDivideThePeriod) {
  EXPECT_EQ(least_pause(started_together({20, 20})), ms(10));
  EXPECT_EQ(least_pause(started_together({20, 20, 20, 20})), ms(5));
  EXPECT_EQ(least_pause(started_together(std::vector<double>(16, 20))), ms(1.25));
}

TEST(TickSpread, MoreTasksThanMomentsShareThemEvenly) {
  std::multiset<Duration> firsts;
  for (const Ticks& each : started_together(std::vector<double>(64, 32))) {
    firsts.insert(each.next.time_since_epoch());
    EXPECT_LT(each.next, at_ms(40) + ms(32));
  }
  for (const Duration first : firsts) EXPECT_EQ(firsts.count(first), 2U);
}

TEST(TickSpread, RatesOfWhichOneIsAMultipleOfTheOtherKeepApart) {
  EXPECT_GE(least_pause(started_together({20, 40, 20, 40})), ms(5));
  EXPECT_GE(least_pause(started_together({40, 20, 80, 20})), ms(2.5));
  EXPECT_GE(least_pause(started_together({20, 30})), ms(5));
}

TEST(TickSpread, OthersThatPassThroughAllDistancesCountForNothing) {
  EXPECT_EQ(spread_delay(ms(20), at_ms(0), {{at_ms(0), ms(20.0 * 1.0123)}}), ms(0));
}

TEST(TickSpread, SlowCamerasDoNotWaitForLong) {
  std::set<TimePoint> different;
  for (const Ticks& each : started_together(std::vector<double>(20, 10'000))) {
    EXPECT_LT(each.next - at_ms(40), kMostSpread);
    different.insert(each.next);
  }
  EXPECT_EQ(different.size(), 20U);
}

TEST(TickSpread, CommonPeriods) {
  EXPECT_EQ(common_period(ms(20), ms(20)), ms(20));
  EXPECT_EQ(common_period(ms(20), ms(40)), ms(20));
  EXPECT_EQ(common_period(ms(30), ms(20)), ms(10));
  EXPECT_EQ(common_period(ms(20), ms(20.3)), ms(0));
  EXPECT_EQ(common_period(ms(180), ms(20)), ms(0));  // the ninefold
}

// Four cameras on a processor that they fill to nine tenths: the last of four frames at once would wait for
// three inferences.
TEST(TickSpread, FramesOfEqualCamerasDoNotWaitForEachOther) {
  const auto set = test::network({{"only", 0.9, 4.5, 10, 5}});
  std::vector<scheduler::Task> tasks;
  for (const char* id : {"north", "east", "south", "west"}) tasks.push_back(test::camera(id, 50, set));
  test::SimulatedRun run(test::scene(tasks));
  run.run_until(at_ms(5000));
  for (TaskIndex task = 0; task < 4; ++task) {
    const LatencyHistogram& latency = run.frames(task).latency;
    ASSERT_GT(latency.count(), 200);
    EXPECT_LE(*latency.quantile(0.5), ms(1.02 * 4.5)) << task;
  }
  run.shut_down();
}

// Ticks that are apart at 25 frames/s would meet at 50; a camera that is asked for more than twice as many
// frames, or for the first ones again, has had its last tick long before.
TEST(TickSpread, AChangeOfAllDemandsKeepsTheTicksApart) {
  const auto set = test::network({{"only", 0.9, 4.5, 10, 5}});
  const auto demand = [&](double fps) {
    std::vector<scheduler::Task> tasks;
    for (const char* id : {"north", "east", "south", "west"}) tasks.push_back(test::camera(id, fps, set));
    return test::scene(tasks);
  };
  for (const double before : {25.0, 10.0, 3.0, 0.0}) {
    test::SimulatedRun run(demand(before));
    run.change(at_ms(1000), demand(50));
    run.run_until(at_ms(10'000));
    for (TaskIndex task = 0; task < 4; ++task) {
      const LatencyHistogram& latency = run.frames(task).latency;
      ASSERT_GT(latency.count(), 440);
      EXPECT_LE(*latency.quantile(0.95), ms(1.1 * 4.5)) << task << " after " << before;
    }
    run.shut_down();
  }
}

TEST(TickSpread, AFlappingDemandIsDelayedByAPeriodAtMost) {
  TickSchedule ticks;
  ticks.set_demand(Fps(10.0), at_ms(0));
  EXPECT_EQ(ticks.take(), at_ms(0));
  for (int i = 1; i <= 30; ++i) ticks.set_demand(Fps(i % 2 == 0 ? 10.0 : 20.0), at_ms(5.0 * i), ms(45));
  EXPECT_EQ(ticks.next(), at_ms(195));
  ticks.set_demand(Fps(20.0), at_ms(180), ms(45));
  EXPECT_EQ(ticks.next(), at_ms(180)) << "it has waited for its period already";
}

TEST(TickSpread, AFlappingDemandHasItsFirstTick) {
  TickSchedule ticks;
  for (int i = 0; i <= 30; ++i) ticks.set_demand(Fps(i % 2 == 0 ? 10.0 : 20.0), at_ms(20.0 * i), ms(90));
  EXPECT_EQ(ticks.next(), at_ms(600)) << "not ever later";
}

}  // namespace
}  // namespace saccade::runtime
