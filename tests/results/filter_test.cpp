// Which results a sink gets.
#include "results/filter.hpp"

#include <gtest/gtest.h>

namespace saccade::results::filter_test {
namespace {

TimePoint after(double seconds) { return TimePoint(to_duration(Seconds(seconds))); }

SeenObject object(const std::string& label, double score) {
  SeenObject seen;
  seen.label = label;
  seen.score = score;
  return seen;
}

TEST(FilterTest, TasksLabelsAndScores) {
  const Filter all{FilterRule{}};
  EXPECT_TRUE(all.wants_task("gate"));
  EXPECT_TRUE(all.passes(object("car", 0.0)));
  const Filter some{FilterRule{.tasks = {"gate"}, .objects = {{"person", "dog"}, 0.5}}};
  EXPECT_TRUE(some.wants_task("gate"));
  EXPECT_FALSE(some.wants_task("dock"));
  EXPECT_TRUE(some.passes(object("dog", 0.5)));
  EXPECT_FALSE(some.passes(object("dog", 0.499)));
  EXPECT_FALSE(some.passes(object("car", 0.9)));
}

TEST(FilterTest, ObjectsPassesResultsThatShowOne) {
  Filter filter{FilterRule{.when = When::objects}};
  EXPECT_FALSE(filter.passes("gate", 0, after(0)));
  EXPECT_TRUE(filter.passes("gate", 1, after(0)));
}

TEST(FilterTest, AChangePassesOnce) {
  Filter filter{FilterRule{.when = When::change}};
  EXPECT_FALSE(filter.passes("gate", 3, after(0)));
  filter.changed("gate");
  EXPECT_FALSE(filter.passes("dock", 3, after(1)));
  EXPECT_TRUE(filter.passes("gate", 0, after(1)));  // that nothing is left is a change, too
  EXPECT_FALSE(filter.passes("gate", 0, after(2)));
}

TEST(FilterTest, RatesAreLimitedTaskByTask) {
  Filter filter{FilterRule{.max_per_second = 2.0}};
  EXPECT_TRUE(filter.passes("gate", 0, after(0.0)));
  EXPECT_FALSE(filter.passes("gate", 0, after(0.49)));
  EXPECT_TRUE(filter.passes("dock", 0, after(0.49)));
  EXPECT_TRUE(filter.passes("gate", 0, after(0.5)));
}

TEST(FilterTest, AChangeThatComesTooEarlyIsMadeUpFor) {
  Filter filter{FilterRule{.when = When::change, .max_per_second = 1.0}};
  filter.changed("gate");
  EXPECT_TRUE(filter.passes("gate", 1, after(0.0)));
  filter.changed("gate");
  EXPECT_FALSE(filter.passes("gate", 1, after(0.5)));
  EXPECT_TRUE(filter.passes("gate", 1, after(1.0)));
}

}  // namespace
}  // namespace saccade::results::filter_test
