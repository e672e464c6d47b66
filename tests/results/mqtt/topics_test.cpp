#include "results/mqtt/topics.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace saccade::results
