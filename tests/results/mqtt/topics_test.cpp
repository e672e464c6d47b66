#include "results/mqtt/topics.hpp"

#include <gtest/gtest.h>

#include "results/mqtt/control_gate.hpp"

namespace saccade::results {
namespace {

TEST(MqttTopics, WhatCannotStandInATopicBecomesAnUnderscore) {
  EXPECT_EQ(topic_word("traffic light"), "traffic_light");
  EXPECT_EQ(topic_word("a/b+c#d"), "a_b_c_d");
  EXPECT_EQ(topic_word("T-shirt_2"), "T-shirt_2");
  EXPECT_EQ(topic_word("\xc3\xa4"), "__");  // one letter of two bytes
  EXPECT_EQ(topic_word(""), "");
}

TEST(MqttTopics, TwoLabelsThatFallTogetherAreFound) {
  const auto pair = labels_with_one_topic({"person", "fire truck", "car", "fire_truck", "fire/truck"});
  ASSERT_TRUE(pair);
  EXPECT_EQ(*pair, (std::pair<std::string, std::string>("fire truck", "fire_truck")));
  EXPECT_FALSE(labels_with_one_topic({"person", "car", "person"}));
  EXPECT_FALSE(labels_with_one_topic({}));
}

TEST(MqttTopics, AreThoseOfTheDocumentation) {
  const Topics topics("saccade/yard-box");
  EXPECT_EQ(topics.available(), "saccade/yard-box/available");
  EXPECT_EQ(topics.state("gate"), "saccade/yard-box/task/gate/state");
  EXPECT_EQ(topics.result("gate"), "saccade/yard-box/task/gate/result");
  EXPECT_EQ(topics.snapshot("gate.2"), "saccade/yard-box/task/gate.2/snapshot");
  EXPECT_EQ(topics.presence("gate", "traffic light"), "saccade/yard-box/task/gate/presence/traffic_light");
  EXPECT_EQ(topics.count("gate", "person"), "saccade/yard-box/task/gate/count/person");
}

TEST(MqttTopics, AreReadBack) {
  const Topics topics("saccade/yard-box");
  const auto presence = topics.read(topics.presence("gate", "person"));
  ASSERT_TRUE(presence);
  EXPECT_EQ(presence->task, "gate");
  EXPECT_EQ(presence->leaf, "presence");
  EXPECT_EQ(presence->label, "person");
  EXPECT_TRUE(topics.read(topics.snapshot("gate")));
  for (const char* other :
       {"saccade/yard-box/available", "saccade/yard-box/task/gate/result", "saccade/yard-box/task/gate",
        "saccade/yard-box/task/gate/presence", "saccade/yard-box/task/gate/presence/a/b",
        "saccade/other/task/gate/state", "saccade/yard-box/task/gate/state/x"})
    EXPECT_FALSE(topics.read(other)) << other;
}

TEST(Topics, ChangesOfTasksAreReadBack) {
  const Topics topics("saccade/yard-box");
  EXPECT_EQ(topics.changed_task(topics.change("gate.2")), "gate.2");
  for (const std::string& topic :
       {topics.change_answer("gate"), topics.state("gate"), topics.change(""),
        std::string("saccade/other/task/gate/set"), std::string("saccade/yard-box/set")})
    EXPECT_EQ(topics.changed_task(topic), std::nullopt) << topic;
}

// Eight at once, then two a second; a pause lets the next eight in.
TEST(ControlGate, LetsFewRequestsIn) {
  ControlGate gate;
  const auto let_in = [&](double from, double to, double step) {
    int count = 0;
    for (double now = from; now < to; now += step)
      count += gate.refuse(2, false, TimePoint(to_duration(Seconds(now)))) ? 0 : 1;
    return count;
  };
  EXPECT_EQ(let_in(100.0, 100.1, 0.001), 8);
  EXPECT_EQ(let_in(100.1, 110.1, 0.001), 20);
  EXPECT_EQ(let_in(200.0, 200.1, 0.001), 8);
  const TimePoint later(to_duration(Seconds(300.0)));
  EXPECT_NE(gate.refuse(2, true, later)->find("400"), std::string::npos);
  EXPECT_NE(gate.refuse(ControlGate::kMostBytes + 1, false, later)->find("413"), std::string::npos);
  EXPECT_EQ(gate.refuse(ControlGate::kMostBytes, false, later), std::nullopt);
}

}  // namespace
}  // namespace saccade::results
