// Presence without flicker: on after two results in a row, off five seconds after the last one.
#include "results/presence.hpp"

#include <gtest/gtest.h>

#include <random>

namespace saccade::results::presence_test {
namespace {

using std::chrono::milliseconds;
using Changes = std::vector<Presence::Change>;

TimePoint at(double seconds) { return TimePoint(to_duration(Seconds(seconds))); }

std::vector<SeenObject> seen(int people, double score = 0.9) {
  SeenObject person;
  person.label = "person";
  person.score = score;
  return std::vector<SeenObject>(static_cast<std::size_t>(people), person);
}

TEST(PresenceTest, BeginsWithTheSecondResultInARow) {
  Presence presence({});
  EXPECT_EQ(presence.see(seen(1), at(0.0)), Changes{});
  EXPECT_EQ(presence.see(seen(0), at(0.1)), Changes{});  // only one
  EXPECT_EQ(presence.see(seen(1), at(0.2)), Changes{});
  EXPECT_EQ(presence.see(seen(1), at(0.3)), (Changes{{"person", 1}}));
  EXPECT_EQ(presence.see(seen(1), at(0.4)), Changes{});
  EXPECT_EQ(presence.counts(), (std::map<std::string, int>{{"person", 1}}));
}

TEST(PresenceTest, EndsWhenTheHoldHasPassedWithoutIt) {
  Presence presence({});
  (void)presence.see(seen(1), at(0.0));
  (void)presence.see(seen(1), at(1.0));
  EXPECT_EQ(presence.next_end(), at(6.0));
  EXPECT_EQ(presence.see(seen(0), at(5.9)), Changes{});
  EXPECT_EQ(presence.see(seen(1), at(5.99)), Changes{});  // once is enough to stay
  EXPECT_EQ(presence.pass(at(10.98)), Changes{});
  EXPECT_EQ(presence.pass(at(10.99)), (Changes{{"person", 0}}));
  EXPECT_EQ(presence.next_end(), std::nullopt);
  EXPECT_EQ(presence.pass(at(20.0)), Changes{});
}

TEST(PresenceTest, CountsFollowTheSameRule) {
  Presence presence({});
  (void)presence.see(seen(3), at(0.0));
  EXPECT_EQ(presence.see(seen(2), at(0.1)), (Changes{{"person", 2}}));  // three were seen once
  EXPECT_EQ(presence.see(seen(3), at(0.2)), Changes{});
  EXPECT_EQ(presence.see(seen(3), at(0.3)), (Changes{{"person", 3}}));
  EXPECT_EQ(presence.see(seen(1), at(3.0)), Changes{});
  EXPECT_EQ(presence.see(seen(1), at(5.3)), (Changes{{"person", 1}}));  // three and two, 5 s after the last
  EXPECT_EQ(presence.see(seen(1), at(7.0)), Changes{});
}

TEST(PresenceTest, WhatScoresTooLowIsNotSeen) {
  Presence presence({.min_score = 0.5});
  (void)presence.see(seen(1, 0.49), at(0.0));
  EXPECT_EQ(presence.see(seen(1, 0.49), at(0.1)), Changes{});
  (void)presence.see(seen(1, 0.5), at(0.2));
  EXPECT_EQ(presence.see(seen(1, 0.5), at(0.3)), (Changes{{"person", 1}}));
}

TEST(PresenceTest, EverythingEndsWithItsTask) {
  Presence presence({});
  (void)presence.see(seen(2), at(0.0));
  (void)presence.see(seen(2), at(0.1));
  EXPECT_EQ(presence.end(), (Changes{{"person", 0}}));
  EXPECT_TRUE(presence.counts().empty());
}

// The rule, spelled out over the whole history.
int naive_count(const std::vector<std::pair<TimePoint, int>>& history, TimePoint now) {
  int count = 0;
  for (int n = 1; n <= 5; ++n) {
    bool on = false;
    TimePoint last{};
    for (std::size_t i = 0; i < history.size(); ++i) {
      const auto& [time, seen_then] = history[i];
      if (on && time - last >= std::chrono::seconds(5)) on = false;
      if (seen_then >= n && (on || (i > 0 && history[i - 1].second >= n))) on = true;
      if (seen_then >= n) last = time;
    }
    if (on && now - last >= std::chrono::seconds(5)) on = false;
    if (on) count = n;
  }
  return count;
}

TEST(PresenceTest, IsTheRuleOverRandomHistories) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 dice(seed);
    Presence presence({});
    std::vector<std::pair<TimePoint, int>> history;
    TimePoint now{};
    int told = 0;
    for (int step = 0; step < 60; ++step) {
      now += milliseconds(std::uniform_int_distribution<>(1, 4000)(dice));
      const bool result = dice() % 4 != 0;
      const int count = static_cast<int>(dice() % 6) * (dice() % 3 == 0 ? 0 : 1);
      if (result) history.emplace_back(now, count);
      for (const auto& change : result ? presence.see(seen(count), now) : presence.pass(now))
        told = change.count;
      ASSERT_EQ(told, naive_count(history, now)) << step;
      const auto counts = presence.counts();
      ASSERT_EQ(counts.contains("person") ? counts.at("person") : 0, told);
    }
  }
}

}  // namespace
}  // namespace saccade::results::presence_test
