// What decoding takes of processors: the mean of the readers' times, its hysteresis, and where it is spread.
#include "runtime/frames/decoding_load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "tests/support/milliseconds.hpp"

namespace saccade::runtime {
namespace {

using test::at_ms;
using test::ms;
using Processor = DecodingPlaces::Processor;

// One processor on the only CPU.
DecodingPlaces one_cpu() { return {1, {Processor{.shared = 1.0}}}; }

// Cameras whose readers take what is asked; looked at ten times a second.
class Readers {
 public:
  explicit Readers(DecodingPlaces places, std::size_t cameras = 1)
      : load(std::move(places)), times(cameras, Duration(0)) {}

  void run(double seconds, const std::function<double(double)>& share) {
    for (const TimePoint end = now + ms(seconds * 1e3); now < end; now += ms(100)) {
      for (std::optional<Duration>& time : times) {
        const double each = share(static_cast<double>(now.time_since_epoch().count()) * 1e-9);
        if (time) *time += ms(100.0 * each / static_cast<double>(times.size()));
      }
      for (const DecodingLoad::Change& change : load.look(times, now)) changes.emplace_back(now, change);
    }
  }
  void run(double seconds, double share) {
    run(seconds, [=](double) { return share; });
  }

  DecodingLoad load;
  std::vector<std::optional<Duration>> times;
  TimePoint now = at_ms(0);
  std::vector<std::pair<TimePoint, DecodingLoad::Change>> changes;
};

TEST(DecodingLoad, IsInForceSecondsAfterACameraBegan) {
  Readers readers(one_cpu(), 3);
  readers.run(60.0, 0.3);
  ASSERT_EQ(readers.changes.size(), 1U);
  EXPECT_LE(readers.changes[0].first, at_ms(12'000));
  EXPECT_EQ(readers.changes[0].second, (DecodingLoad::Change{0, 0.3}));
  EXPECT_EQ(readers.load.in_force(), 0.3);
}

TEST(DecodingLoad, WithoutACameraOrWithoutASharedCpuNothingEverChanges) {
  Readers none(one_cpu(), 2);
  none.times = {std::nullopt, std::nullopt};
  none.run(60.0, 0.5);
  EXPECT_TRUE(none.changes.empty());
  Readers elsewhere({4, {Processor{}, Processor{}}});
  EXPECT_FALSE(elsewhere.load.due(at_ms(0)));
  elsewhere.run(60.0, 0.5);
  EXPECT_TRUE(elsewhere.changes.empty());
}

TEST(DecodingLoad, WhatStaysWithinTheBandIsNotFollowed) {
  Readers readers(one_cpu());
  readers.run(20.0, 0.4);
  readers.run(600.0, [](double at) { return 0.4 + (static_cast<int>(at) % 2 == 0 ? 0.1 : -0.1); });
  readers.run(600.0, [](double at) { return 0.4 + (static_cast<int>(at / 60) % 2 == 0 ? 0.05 : -0.05); });
  EXPECT_EQ(readers.changes.size(), 1U);
  Readers little(one_cpu());
  little.run(600.0, 0.019);
  EXPECT_TRUE(little.changes.empty());
}

TEST(DecodingLoad, ASpikeOfASecondChangesNothing) {
  Readers readers(one_cpu());
  readers.run(30.0, 0.2);
  readers.run(1.0, 0.9);
  readers.run(60.0, 0.2);
  EXPECT_EQ(readers.changes.size(), 1U);
}

TEST(DecodingLoad, RisesWithinSecondsAndFallsAfterHalfAMinute) {
  Readers readers(one_cpu());
  readers.run(60.0, 0.1);
  readers.run(30.0, 0.5);
  EXPECT_GT(readers.load.in_force(), 0.4);
  readers.run(25.0, 0.1);
  EXPECT_GT(readers.load.in_force(), 0.4) << "not yet";
  readers.run(30.0, 0.1);
  EXPECT_LT(readers.load.in_force(), 0.2);
}

TEST(DecodingLoad, ACameraThatIsGoneTakesNothingInTheEnd) {
  Readers readers(one_cpu());
  readers.run(20.0, 0.04);
  ASSERT_EQ(readers.load.in_force(), 0.04);
  readers.times[0].reset();
  readers.run(60.0, 0.0);
  EXPECT_EQ(readers.load.in_force(), 0.0);
  EXPECT_EQ(readers.changes.back().second, (DecodingLoad::Change{0, 0.0}));
}

TEST(DecodingLoad, AnotherCameraOfTheTaskIsNoBurst) {
  Readers readers(one_cpu());
  readers.run(60.0, 0.2);
  readers.times[0] = Duration(0);  // its counter begins again
  readers.run(60.0, 0.2);
  EXPECT_EQ(readers.changes.size(), 1U);
}

// A camera that is decoded more cheaply while its task is granted less, which is while more is charged.
TEST(DecodingLoad, ALoadThatFollowsThePlansIsFollowedMoreAndMoreRarely) {
  Readers readers(one_cpu());
  const auto answers = [&](double) { return readers.load.in_force() > 0.2 ? 0.05 : 0.4; };
  readers.run(3600.0, answers);
  const std::size_t in_an_hour = readers.changes.size();
  EXPECT_GT(in_an_hour, 2U);
  EXPECT_LE(in_an_hour, 24U);
  readers.run(3600.0, answers);
  EXPECT_LE(readers.changes.size() - in_an_hour, 14U) << "a change each way in ten minutes";
  readers.run(7200.0, 0.4);  // it stays
  const std::size_t settled = readers.changes.size();
  readers.run(600.0, 0.05);
  readers.run(1500.0, 0.05);
  EXPECT_LT(readers.load.in_force(), 0.1) << "falls all the same";
  EXPECT_EQ(readers.changes.size(), settled + 1);
}

TEST(DecodingLoad, TheSameTimesGiveTheSameChanges) {
  const auto uneven = [](double at) { return 0.2 + 0.15 * ((static_cast<int>(at * 7.0) % 11) / 11.0); };
  Readers first(one_cpu(), 5);
  Readers second(one_cpu(), 5);
  first.run(600.0, uneven);
  second.run(600.0, uneven);
  EXPECT_EQ(first.changes, second.changes);
}

// --- where ----------------------------------------------------------------------------------------

TEST(DecodingPlaces, ProcessorsOnTheCpusOfCapturesShareTheLoadEvenly) {
  const DecodingPlaces places{2, {Processor{.shared = 1.0}, Processor{.shared = 1.0}}};
  EXPECT_TRUE(places.any_shared());
  EXPECT_DOUBLE_EQ(places.load(0, 0.6), 0.3);
  EXPECT_DOUBLE_EQ(places.load(1, 0.6), 0.3);
  const DecodingPlaces half{2, {Processor{.shared = 0.5}, Processor{}}};
  EXPECT_DOUBLE_EQ(half.load(0, 0.6), 0.15) << "one of its two CPUs is free of captures";
  EXPECT_EQ(half.load(1, 0.6), 0.0);
}

TEST(DecodingPlaces, AThreadThatMayMoveGivesWayOnlyWhereNoCpuIsFree) {
  const DecodingPlaces two{2, {Processor{.floating = true}}};
  EXPECT_EQ(two.load(0, 0.9), 0.0) << "the other CPU decodes";
  EXPECT_DOUBLE_EQ(two.load(0, 1.25), 0.25);
  const DecodingPlaces one{1, {Processor{.floating = true}}};
  EXPECT_DOUBLE_EQ(one.load(0, 0.3), 0.3);
  const DecodingPlaces both{2, {Processor{.floating = true}, Processor{.floating = true}}};
  EXPECT_DOUBLE_EQ(both.load(0, 0.6), 0.3);
}

TEST(DecodingPlaces, WhatACapacityLeavesOfTheCpuIsUsedFirst) {
  const DecodingPlaces places{1, {Processor{.shared = 1.0, .capacity = 0.8}}};
  EXPECT_NEAR(places.load(0, 0.2), 0.0, 1e-12);
  EXPECT_NEAR(places.load(0, 0.5), 0.3, 1e-12);
}

// --- what plans leave -----------------------------------------------------------------------------

TEST(DecodingCharge, OfDecodingAndCorrectionTheLargerCounts) {
  for (const double guard : {0.01, 0.05, 0.4}) {
    for (const double measured : {0.0, 0.1, 0.3, 0.55}) {
      const double free = 1.0 - guard;
      for (const double correction : {0.7, 1.0, 1.05, 1.2, 1.5, 3.0}) {
        const double charge = decoding_charge(1.0, Seconds(guard), correction, measured);
        const double profiled = (free - charge) / correction;  // time that plans may use, as profiled
        const double least = std::min(measured, 0.9 * free);
        if (correction > 1.0) {
          EXPECT_NEAR(profiled, std::min(free / correction, free - least), 1e-12);
        } else {
          EXPECT_NEAR(charge, least, 1e-12);
        }
      }
    }
  }
}

TEST(DecodingCharge, IsExactlyNothingWhereNothingIsMeasured) {
  EXPECT_EQ(decoding_charge(1.0, Seconds(0.05), 1.0, 0.0), 0.0);
  EXPECT_EQ(decoding_charge(1.0, Seconds(0.05), 1.7, 0.0), 0.0);
}

TEST(DecodingCharge, LeavesSomethingToServeWith) {
  EXPECT_NEAR(decoding_charge(1.0, Seconds(0.5), 1.0, 4.0), 0.45, 1e-12);
}

}  // namespace
}  // namespace saccade::runtime
