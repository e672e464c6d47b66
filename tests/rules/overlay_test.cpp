#include <gtest/gtest.h>

#include "rules/overlay.hpp"
#include "tests/rules/support.hpp"

namespace saccade::rules {
namespace {

scheduler::Snapshot two_tasks() {
  scheduler::Snapshot state;
  for (const char* id : {"gate", "dock"}) {
    scheduler::Task task;
    task.id = TaskId(id);
    task.demand = Fps(5);
    task.min_accuracy = 0.4;
    state.tasks.push_back(task);
  }
  return state;
}

TEST(Overlay, ALaterRuleWinsKeyByKey) {
  Rule first = presence_rule("first", {"gate"}, {}, fps_of(15));
  first.set.weight = 3.0;
  const Rule later = presence_rule("later", {"gate", "dock"}, {}, fps_of(2));
  scheduler::Snapshot state = two_tasks();
  lay_over(overlay_of({first, later}), state);
  EXPECT_EQ(state.tasks[0].demand, Fps(2));
  EXPECT_EQ(state.tasks[0].weight, 3.0);
  EXPECT_EQ(state.tasks[0].min_accuracy, 0.4) << "what no rule sets stays";
  EXPECT_EQ(state.tasks[1].demand, Fps(2));
}

TEST(Overlay, EveryKeyArrives) {
  Settings all;
  all.fps = Fps(9);
  all.weight = 2.0;
  all.priority = 7;
  all.min_fps = Fps(3);
  all.min_accuracy = 0.6;
  all.min_relative_accuracy = 0.8;
  all.max_frame_time = Seconds(0.05);
  all.max_latency = Seconds(0.07);
  Overlay overlay;
  lay("dock", all, overlay);
  lay("nobody", all, overlay);
  scheduler::Snapshot state = two_tasks();
  lay_over(overlay, state);
  const scheduler::Task& dock = state.tasks[1];
  EXPECT_EQ(dock.demand, Fps(9));
  EXPECT_EQ(dock.weight, 2.0);
  EXPECT_EQ(dock.priority, 7);
  EXPECT_EQ(dock.min_fps, Fps(3));
  EXPECT_EQ(dock.min_accuracy, 0.6);
  EXPECT_EQ(dock.min_relative_accuracy, 0.8);
  EXPECT_EQ(dock.max_frame_time, Seconds(0.05));
  EXPECT_EQ(dock.max_latency, Seconds(0.07));
  EXPECT_EQ(state.tasks[0].demand, Fps(5));
}

TEST(Overlay, OfAChangeKeepsTheRulesThatHoldAndStayAsTheyAre) {
  const Rule kept = presence_rule("kept", {"gate", "dock"}, {}, fps_of(15));
  const Rule gone = presence_rule("gone", {"gate"}, {}, fps_of(9));
  const Rule before = presence_rule("changed", {"dock"}, {}, fps_of(12));
  Rule after = before;
  after.set = fps_of(13);
  const std::vector<Holding> holding = {{"kept", "gate"}, {"gone", "gate"}, {"changed", "dock"}};
  EXPECT_EQ(overlay_of({after, kept}, {kept, gone, before}, holding), (Overlay{{"gate", fps_of(15)}}));
}

TEST(Overlay, TheWorstCaseIsTheMostOfEveryKeyAndNeverLessThanTheConfiguration) {
  Rule low = presence_rule("low", {"gate"}, {}, fps_of(2));
  low.set.min_accuracy = 0.7;
  low.set.max_frame_time = Seconds(0.03);
  low.set.max_latency = Seconds(0.08);
  Rule high = presence_rule("high", {"gate"}, {}, fps_of(15));
  high.set.min_accuracy = 0.5;
  high.set.max_frame_time = Seconds(0.05);
  high.set.max_latency = Seconds(0.06);
  const scheduler::Snapshot worst = worst_case({high, low}, two_tasks());
  EXPECT_EQ(worst.tasks[0].demand, Fps(15));
  EXPECT_EQ(worst.tasks[0].min_accuracy, 0.7);
  EXPECT_EQ(worst.tasks[0].max_frame_time, Seconds(0.03));
  EXPECT_EQ(worst.tasks[0].max_latency, Seconds(0.06));
  EXPECT_EQ(worst.tasks[1].demand, Fps(5));
  const scheduler::Snapshot unchanged = worst_case({low}, two_tasks());
  EXPECT_EQ(unchanged.tasks[0].demand, Fps(5)) << "a rule that lowers is not counted";
}

}  // namespace
}  // namespace saccade::rules
