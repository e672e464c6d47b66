// What a broker is to keep of the tasks, and what Home Assistant is told of them.
#include "results/mqtt/task_topics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "results/mqtt/discovery.hpp"

namespace saccade::results {
namespace {

using Json = nlohmann::ordered_json;

const std::string kGate = "saccade/yard-box/task/gate/";
const std::string kGateDevice = "homeassistant/device/saccade_yard-box_gate/config";

MqttNames names() { return {"saccade/yard-box", "homeassistant", "yard-box", "0.2", false}; }

// Sends all that is to be sent and returns what a broker has then got, in order.
std::vector<Retained> sent(RetainedBook& book) {
  std::vector<Retained> all;
  while (std::optional<Retained> next = book.next()) {
    book.confirmed(next->topic);
    all.push_back(*next);
  }
  return all;
}

std::map<std::string, std::string> by_topic(const std::vector<Retained>& all) {
  std::map<std::string, std::string> map;
  for (const Retained& one : all) map[one.topic] = one.payload;
  return map;
}

TEST(MqttDiscovery, IsTheDocumentedMessage) {
  EXPECT_EQ(discovery_topic("homeassistant", "yard-box", "gate"), kGateDevice);
  const Json payload = Json::parse(
      discovery_payload({"yard-box", "gate", "0.2", {"person"}, {}, false}, Topics("saccade/yard-box")));
  EXPECT_EQ(payload["dev"].dump(),
            R"({"ids":"saccade_yard-box_gate","name":"gate","mf":"Saccade","sw":"0.2"})");
  EXPECT_EQ(payload["o"].dump(), R"({"name":"saccade","sw":"0.2"})");
  EXPECT_EQ(payload["availability_topic"], "saccade/yard-box/available");
  EXPECT_EQ(payload["cmps"]["person"].dump(),
            R"({"p":"binary_sensor","device_class":"occupancy","name":"person",)"
            R"("unique_id":"saccade_yard-box_gate_person",)"
            R"("state_topic":"saccade/yard-box/task/gate/presence/person",)"
            R"("payload_on":"ON","payload_off":"OFF"})");
  EXPECT_EQ(payload["cmps"]["rate"]["p"], "sensor");
  EXPECT_EQ(payload["cmps"]["rate"]["value_template"], "{{ value_json.achieved_fps }}");
  EXPECT_FALSE(payload["cmps"].contains("snapshot"));
}

// Those that Home Assistant documents, at the root, for the device and the origin, and for each platform; it
// refuses a message in which another one stands at the root or in `dev` and `o`. After
// https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload, of which the source at commit
// a68e488faddf of home-assistant.io was compared on 2026-11-25, and the pages of the platforms beside it
// (integrations/binary_sensor.mqtt, sensor.mqtt, image.mqtt).
TEST(MqttDiscovery, EveryKeyIsADocumentedOne) {
  using Keys = std::set<std::string>;
  const auto keys_of = [](const Json& object) {
    Keys keys;
    for (const auto& [key, value] : object.items()) keys.insert(key);
    return keys;
  };
  const auto are_among = [](const Keys& keys, const Keys& known) {
    return std::includes(known.begin(), known.end(), keys.begin(), keys.end());
  };
  const std::map<std::string, Keys> platforms = {
      {"binary_sensor",
       {"p", "unique_id", "name", "state_topic", "device_class", "payload_on", "payload_off",
        "value_template"}},
      {"sensor", {"p", "unique_id", "name", "state_topic", "value_template", "unit_of_measurement"}},
      {"image", {"p", "unique_id", "name", "image_topic"}}};
  const Json payload = Json::parse(discovery_payload(
      {"yard-box", "gate", "0.2", {"person", "car"}, {"dog"}, true}, Topics("saccade/yard-box")));
  EXPECT_EQ(keys_of(payload), (Keys{"dev", "o", "cmps", "availability_topic", "availability_template"}));
  EXPECT_TRUE(are_among(keys_of(payload["dev"]), {"ids", "name", "mf", "sw"}));
  EXPECT_TRUE(are_among(keys_of(payload["o"]), {"name", "sw", "url"}));
  Keys seen;
  for (const auto& [key, component] : payload["cmps"].items()) {
    const std::string platform = component["p"];
    seen.insert(platform);
    ASSERT_TRUE(platforms.contains(platform)) << key;
    EXPECT_TRUE(are_among(keys_of(component), platforms.at(platform))) << component.dump();
    const bool removed = component.size() == 1;  // of `dog`: the platform alone
    EXPECT_EQ(removed, key == "dog");
    EXPECT_EQ(component.contains("unique_id"), !removed) << "entities have one";
  }
  EXPECT_EQ(seen, (Keys{"binary_sensor", "sensor", "image"}));
}

TEST(MqttDiscovery, EveryTemplateReadsAKeyOfTheState) {
  const Json state = Json::parse(task_state_payload({"gate", true, 5, 4, 3.5, "n-320", 0.4, 7}));
  const Json payload =
      Json::parse(discovery_payload({"yard-box", "gate", "0.2", {}, {}, true}, Topics("saccade/yard-box")));
  std::set<std::string> ids;
  int templates = 0;
  for (const auto& [key, component] : payload["cmps"].items()) {
    EXPECT_TRUE(ids.insert(component["unique_id"].get<std::string>()).second) << key;
    const std::string text = component.value("value_template", "");
    const std::size_t at = text.find("value_json.");
    if (at == std::string::npos) continue;
    const std::size_t begin = at + std::string("value_json.").size();
    EXPECT_TRUE(state.contains(text.substr(begin, text.find(' ', begin) - begin))) << text;
    ++templates;
  }
  EXPECT_EQ(templates, 4);
  EXPECT_EQ(payload["cmps"]["snapshot"]["image_topic"], kGate + "snapshot");
}

TEST(MqttDiscovery, ALabelCalledLikeAnOwnComponentStandsBesideIt) {
  const Json payload = Json::parse(discovery_payload(
      {"yard-box", "gate", "0.2", {"rate", "fire truck"}, {}, false}, Topics("saccade/yard-box")));
  EXPECT_EQ(payload["cmps"]["rate"]["p"], "sensor");
  EXPECT_EQ(payload["cmps"]["rate_seen"]["state_topic"], kGate + "presence/rate");
  EXPECT_EQ(payload["cmps"]["fire_truck"]["name"], "fire truck");
}

TEST(MqttTaskTopics, ATaskBeginsWithEveryLabelOff) {
  RetainedBook book;
  TaskTopics topics(names());
  topics.start(book);
  topics.task_is_there("gate", {"person", "car"}, book);
  const std::vector<Retained> all = sent(book);
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(all[0].topic, "saccade/yard-box/available");
  EXPECT_EQ(all[0].payload, "online");
  EXPECT_EQ(all[1].topic, kGateDevice);
  const auto kept = by_topic(all);
  EXPECT_EQ(kept.at(kGate + "presence/person"), "OFF");
  EXPECT_EQ(kept.at(kGate + "presence/car"), "OFF");
  EXPECT_EQ(kept.at(kGate + "count/car"), "0");
}

TEST(MqttTaskTopics, ChangedLabelsKeepWhatIsPresentAndForgetWhatIsGone) {
  RetainedBook book;
  TaskTopics topics(names());
  topics.task_is_there("gate", {"person", "car"}, book);
  topics.presence({"gate", "person", 2}, book);
  static_cast<void>(sent(book));
  topics.task_is_there("gate", {"person", "dog"}, book);
  const auto kept = by_topic(sent(book));
  EXPECT_FALSE(kept.contains(kGate + "presence/person"));  // ON, and nothing to say
  EXPECT_EQ(kept.at(kGate + "presence/car"), "");
  EXPECT_EQ(kept.at(kGate + "count/car"), "");
  EXPECT_EQ(kept.at(kGate + "presence/dog"), "OFF");
  EXPECT_EQ(Json::parse(kept.at(kGateDevice))["cmps"]["car"].dump(), R"({"p":"binary_sensor"})");
}

TEST(MqttTaskTopics, ATaskThatGoesLeavesNothing) {
  RetainedBook book;
  TaskTopics topics(names());
  topics.task_is_there("gate", {"person"}, book);
  topics.state({"gate", true, 5, 5, 5, "n", 0.5, 1}, book);
  topics.snapshot("gate", "picture", book);
  static_cast<void>(sent(book));
  topics.task_is_gone("gate", book);
  topics.presence({"gate", "person", 1}, book);  // a change that came late
  const auto kept = by_topic(sent(book));
  EXPECT_EQ(kept.size(), 5U);
  for (const auto& [topic, payload] : kept) EXPECT_EQ(payload, "") << topic;
  EXPECT_FALSE(book.has(kGateDevice));
}

TEST(MqttTaskTopics, HomeAssistantIsToldAgainWhenItStarts) {
  RetainedBook book;
  TaskTopics topics(names());
  topics.task_is_there("gate", {"person"}, book);
  static_cast<void>(sent(book));
  topics.found("homeassistant/status", "online", true, {}, book);
  topics.found("homeassistant/status", "offline", false, {}, book);
  EXPECT_TRUE(sent(book).empty());
  topics.found("homeassistant/status", "online", false, {}, book);
  const std::vector<Retained> again = sent(book);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].topic, kGateDevice);
}

TEST(MqttTaskTopics, WhatAnEarlierRunLeftIsTakenAwayAfterAWhile) {
  RetainedBook book;
  TaskTopics topics(names());
  const TimePoint begin{std::chrono::seconds(100)};
  topics.task_is_there("gate", {"person"}, book);
  static_cast<void>(sent(book));
  topics.found(kGate + "presence/person", "ON", true, begin, book);  // ours: what we say counts
  topics.found(kGate + "presence/cat", "ON", false, begin, book);    // not kept
  topics.found("saccade/other/task/gate/presence/cat", "ON", true, begin, book);
  EXPECT_FALSE(topics.alarm());

  topics.found(kGate + "presence/cat", "ON", true, begin, book);
  topics.found("saccade/yard-box/task/yard/state", "{}", true, begin + std::chrono::seconds(1), book);
  topics.found("homeassistant/device/saccade_yard-box_yard/config",
               discovery_payload({"yard-box", "yard", "0.1", {}, {}, false}, Topics("saccade/yard-box")),
               true, begin, book);
  topics.found("homeassistant/device/saccade_attic_gate/config",
               discovery_payload({"attic", "gate", "0.1", {}, {}, false}, Topics("saccade/attic")), true,
               begin, book);
  topics.found("homeassistant/device/saccade_lamp/config", "[1]", true, begin, book);
  const TimePoint end = begin + TaskTopics::kGrace;
  EXPECT_EQ(topics.alarm(), end);
  topics.clear_strangers(end - Duration(1), book);
  EXPECT_TRUE(sent(book).empty()) << "their tasks may be told of yet";
  topics.clear_strangers(end, book);
  EXPECT_FALSE(topics.alarm());
  const auto kept = by_topic(sent(book));
  EXPECT_EQ(kept,
            (std::map<std::string, std::string>{{kGate + "presence/cat", ""},
                                                {"saccade/yard-box/task/yard/state", ""},
                                                {"saccade/yard-box/task/yard/snapshot", ""},
                                                {"homeassistant/device/saccade_yard-box_yard/config", ""}}));
}

// A fleet assigns its tasks after the connection.
TEST(MqttTaskTopics, ATaskThatIsToldOfLateKeepsWhatTheBrokerHasOfIt) {
  RetainedBook book;
  TaskTopics topics(names());
  const TimePoint begin{std::chrono::seconds(100)};
  topics.found(kGateDevice,
               discovery_payload({"yard-box", "gate", "0.1", {}, {}, false}, Topics("saccade/yard-box")),
               true, begin, book);
  topics.found(kGate + "presence/person", "OFF", true, begin, book);
  topics.found(kGate + "state", "{}", true, begin, book);
  EXPECT_TRUE(sent(book).empty());
  topics.task_is_there("gate", {"person"}, book);
  topics.state({"gate", true, 5, 5, 5, "n", 0.5, 1}, book);
  topics.clear_strangers(begin + TaskTopics::kGrace, book);
  const std::vector<Retained> all = sent(book);
  EXPECT_EQ(all.size(), 4U);
  for (const Retained& one : all) EXPECT_NE(one.payload, "") << one.topic;
}

}  // namespace
}  // namespace saccade::results
