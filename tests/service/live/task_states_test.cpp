#include "service/live/task_states.hpp"

#include <gtest/gtest.h>

namespace saccade::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

runtime::RunStatus status_at(Duration at, double granted, std::int64_t processed) {
  runtime::RunStatus status;
  status.at = at;
  runtime::TaskStatus& task = status.tasks.emplace_back();
  task.id = TaskId("gate");
  task.granted = Fps(granted);
  task.frames.processed = processed;
  return status;
}

TEST(TaskStates, AreToldAtFirstThenWhenSomethingChangedAndEveryMinute) {
  TaskStates states;
  EXPECT_EQ(states.news(status_at(seconds(0), 5.0, 0)).size(), 1U);
  EXPECT_TRUE(states.news(status_at(seconds(2), 5.0, 10)).empty());
  EXPECT_EQ(states.news(status_at(seconds(4), 8.0, 20)).size(), 1U) << "the rate changed";
  EXPECT_TRUE(states.news(status_at(milliseconds(4200), 5.0, 21)).empty()) << "too early";
  EXPECT_EQ(states.news(status_at(milliseconds(5200), 5.0, 26)).size(), 1U) << "not forgotten";
  EXPECT_TRUE(states.news(status_at(seconds(60), 5.0, 300)).empty());
  EXPECT_EQ(states.news(status_at(milliseconds(65'200), 5.0, 326)).size(), 1U) << "a minute later";
}

TEST(TaskStates, TheAchievedRateIsThatSinceTheLastTime) {
  TaskStates states;
  EXPECT_EQ(states.news(status_at(seconds(10), 5.0, 40)).at(0).achieved_fps, 0.0);
  EXPECT_DOUBLE_EQ(states.news(status_at(seconds(14), 10.0, 60)).at(0).achieved_fps, 5.0);
  EXPECT_DOUBLE_EQ(states.news(status_at(seconds(74), 10.0, 660)).at(0).achieved_fps, 10.0);
}

TEST(TaskStates, AnotherTaskWithTheSameIdIsNew) {
  TaskStates states;
  static_cast<void>(states.news(status_at(seconds(10), 5.0, 400)));
  runtime::RunStatus other = status_at(seconds(12), 5.0, 0);
  other.tasks[0].index = 7;
  ASSERT_EQ(states.news(other).size(), 1U);
  other.at = seconds(14);
  other.tasks[0].granted = Fps(8.0);
  other.tasks[0].frames.processed = 16;
  EXPECT_DOUBLE_EQ(states.news(other).at(0).achieved_fps, 8.0) << "its counts began anew";
}

TEST(TaskStates, NoRateIsNegative) {
  TaskStates states;
  static_cast<void>(states.news(status_at(seconds(10), 5.0, 400)));
  const auto fewer = states.news(status_at(seconds(12), 8.0, 3));
  ASSERT_EQ(fewer.size(), 1U);
  EXPECT_EQ(fewer[0].achieved_fps, 0.0);
}

TEST(TaskStates, ATaskThatComesBackIsNew) {
  TaskStates states;
  EXPECT_EQ(states.news(status_at(seconds(1), 5.0, 10)).size(), 1U);
  EXPECT_TRUE(states.news(runtime::RunStatus{}).empty());
  EXPECT_EQ(states.news(status_at(seconds(2), 5.0, 12)).size(), 1U);
}

}  // namespace
}  // namespace saccade::service
