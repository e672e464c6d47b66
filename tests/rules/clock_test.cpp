#include <gtest/gtest.h>

#include "tests/rules/support.hpp"

namespace saccade::rules {
namespace {

constexpr int kMonday = 0;
constexpr int kFriday = 4 * kMinutesPerDay;
constexpr int kSaturday = 5 * kMinutesPerDay;
constexpr int kSunday = 6 * kMinutesPerDay;

TEST(ClockWindow, HoldsFromItsBeginAndNotAtItsEnd) {
  const ClockWindow window{8 * 60, 18 * 60};
  EXPECT_FALSE(covers(window, kMonday + 8 * 60 - 1));
  EXPECT_TRUE(covers(window, kMonday + 8 * 60));
  EXPECT_TRUE(covers(window, kMonday + 18 * 60 - 1));
  EXPECT_FALSE(covers(window, kMonday + 18 * 60));
}

TEST(ClockWindow, BelongsToTheDayOnWhichItBegins) {
  const ClockWindow night{22 * 60, 6 * 60, {true, true, true, true, true, false, false}};
  EXPECT_TRUE(covers(night, kFriday + 23 * 60));
  EXPECT_TRUE(covers(night, kSaturday + 5 * 60)) << "Friday's night";
  EXPECT_FALSE(covers(night, kSaturday + 23 * 60));
  EXPECT_FALSE(covers(night, kSunday + 5 * 60));
  EXPECT_FALSE(covers(night, kMonday + 5 * 60)) << "Sunday's night";
}

// By counting minutes: every window of a week covers as many as it is long, on each of its days.
TEST(ClockWindow, CoversAsManyMinutesAsItIsLong) {
  for (const int from : {0, 1, 479, 1320, 1439}) {
    for (const int to : {0, 2, 480, 1000, 1438}) {
      const ClockWindow window{from, to, {true, false, true, false, false, false, true}};
      int covered = 0;
      for (int minute = 0; minute < kMinutesPerWeek; ++minute) covered += covers(window, minute) ? 1 : 0;
      const int length = to > from ? to - from : to - from + kMinutesPerDay;
      EXPECT_EQ(covered, 3 * length) << from << " to " << to;
    }
  }
}

TEST(RuleWords, SayConditionsAndSettings) {
  Rule rule = presence_rule("p", {"gate"}, {"person", "car"}, fps_of(15));
  EXPECT_EQ(conditions_of(rule, "gate"), "person or car in gate");
  rule.presence->task = "dock";
  rule.clock = ClockWindow{22 * 60, 6 * 60 + 5};
  EXPECT_EQ(conditions_of(rule, "gate"), "person or car in dock, 22:00 to 06:05");
  rule.set.weight = 2.5;
  rule.set.priority = 1;
  rule.set.min_fps = Fps(2);
  rule.set.min_accuracy = 0.5;
  rule.set.min_relative_accuracy = 0.9;
  rule.set.max_frame_time = Seconds(0.02);
  rule.set.max_latency = Seconds(0.03);
  EXPECT_EQ(to_string(rule.set),
            "fps 15, weight 2.5, priority 1, min_fps 2, min_accuracy 0.5, min_relative_accuracy 0.9, "
            "max_frame_time_seconds 0.02, max_latency_seconds 0.03");
}

}  // namespace
}  // namespace saccade::rules
