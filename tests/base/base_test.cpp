#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

#include "base/clock.hpp"
#include "base/id.hpp"
#include "base/quantity.hpp"
#include "base/result.hpp"
#include "base/short_vector.hpp"

namespace saccade {
namespace {

TEST(Quantity, HasNoImplicitWayInOrOut) {
  static_assert(!std::is_convertible_v<double, Seconds>);
  static_assert(!std::is_convertible_v<Seconds, double>);
  static_assert(!std::is_convertible_v<Seconds, Watts>);
  static_assert(!std::is_convertible_v<TaskId, VariantId>);
}

TEST(Quantity, TimeTimesRateIsAShareAndEnergyTimesRateIsPower) {
  EXPECT_DOUBLE_EQ(Seconds(0.02) * Fps(25), 0.5);
  EXPECT_EQ(Joules(0.5) * Fps(10), Watts(5));
  EXPECT_EQ(Watts(4) * Seconds(0.25), Joules(1));
  EXPECT_DOUBLE_EQ(Seconds(3) / Seconds(2), 1.5);
}

TEST(ShortVector, IsAVectorWhetherItsValuesAreNearOrFar) {
  ShortVector<int, 3> values;
  std::vector<int> expected;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(std::vector<int>(values.begin(), values.end()), expected);
    EXPECT_EQ(values.size(), expected.size());
    EXPECT_EQ(values.empty(), expected.empty());
    const ShortVector<int, 3> copy = values;
    EXPECT_TRUE(copy == values);
    values.push_back(i);
    expected.push_back(i);
    EXPECT_FALSE(copy == values);
    EXPECT_EQ(values[expected.size() - 1], i);
  }
  for (int i = 0; i < 4; ++i) {
    values.push_front(-i);
    expected.insert(expected.begin(), -i);
    values.back() += 1;
    expected.back() += 1;
    EXPECT_TRUE((values == ShortVector<int, 3>(expected)));
    EXPECT_EQ(values.front(), -i);
  }
  for (const std::size_t count : {2U, 5U}) {
    values.assign(count, 9);
    EXPECT_EQ(std::vector<int>(values.begin(), values.end()), std::vector<int>(count, 9));
  }
  values.clear();
  EXPECT_TRUE(values.empty());
  values.push_front(6);
  values.clear();
  values.push_back(7);
  EXPECT_TRUE((values == ShortVector<int, 3>{7}));
}

TEST(Result, IsAValueOrEveryError) {
  const Result<int> good = 3;
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(good.value(), 3);
  const Result<int> bad = Errors{{"/tasks/0", "is wrong", "try 1"}, {"", "also wrong", ""}};
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(to_string(bad.errors()), "/tasks/0: is wrong (try 1)\nalso wrong");
}

TEST(ResultDeathTest, ReadingAValueThatIsNotThereStopsTheProgram) {
  const Result<int> bad = Error{"here", "no", ""};
  EXPECT_DEATH((void)bad.value(), "check failed: ok\\(\\)");
}

TEST(ManualClock, MovesOnlyWhenTold) {
  ManualClock clock;
  EXPECT_EQ(clock.now(), TimePoint{});
  clock.advance(to_duration(Seconds(1.5)));
  EXPECT_EQ(clock.now().time_since_epoch(), std::chrono::milliseconds(1500));
  EXPECT_DOUBLE_EQ(since_start(clock.now()).value(), 1.5);
}

TEST(Duration, RoundsToTheNearestNanosecond) {
  EXPECT_EQ(to_duration(Seconds(1e-9 * 0.6)).count(), 1);
  EXPECT_EQ(to_duration(Seconds(-1e-9 * 0.6)).count(), -1);
}

}  // namespace
}  // namespace saccade
