// Where results go, as configurations say it.
#include <gtest/gtest.h>

#include <filesystem>

#include "config/config.hpp"

namespace saccade::config::results_config_test {
namespace {

const std::filesystem::path kCorpus =
    std::filesystem::path(SACCADE_SOURCE_DIR) / "tests" / "config" / "corpus";

TEST(Configurations, SayWhereResultsGo) {
  const Result<LoadedConfig> config = read_config(kCorpus / "good" / "everything.json");
  ASSERT_TRUE(config.ok()) << to_string(config.errors());
  const results::ResultsSettings& settings = config.value().results;
  EXPECT_EQ(settings.node, "yard-box");
  ASSERT_EQ(settings.sinks.size(), 4u);
  const results::SinkSettings& log = settings.sinks[0];
  EXPECT_EQ(log.id, "log");
  EXPECT_EQ(log.filter, (results::FilterRule{{"video", "made"}, {{"a"}, 0.5}, results::When::objects, 2.0}));
  EXPECT_EQ(std::get<results::FileSettings>(log.kind),
            (results::FileSettings{kCorpus / "good/results.jsonl", 65'536, 1, Seconds(0.0), 16}));
  EXPECT_EQ(log.presence, (results::PresenceRule{1, std::chrono::milliseconds(500), 0.75}));
  EXPECT_EQ(settings.sinks[1].presence, results::PresenceRule{});
  EXPECT_EQ(std::get<results::WebhookSettings>(settings.sinks[2].kind),
            (results::WebhookSettings{"alarm", "https://hub.lan:8443/saccade?from=yard", "/etc/saccade/hub",
                                      "/etc/saccade/hub.key", (kCorpus / "good/hub.pem").string(),
                                      Seconds(2.5), Seconds(60.0), 16, 1024}));
  EXPECT_EQ(std::get<results::SocketSettings>(settings.sinks[3].kind),
            (results::SocketSettings{kCorpus / "good/results.sock", 0600, 2, 64}));
  const auto& mqtt = std::get<results::MqttSettings>(settings.sinks[1].kind);
  EXPECT_EQ(settings.sinks[1].filter.when, results::When::change);
  EXPECT_EQ(mqtt.id, "ha");
  EXPECT_EQ(mqtt.host, "broker.lan");
  EXPECT_EQ(mqtt.port, 8884);
  EXPECT_TRUE(mqtt.tls);
  EXPECT_EQ(mqtt.version, "5");
  EXPECT_EQ(mqtt.client_id, "yard");
  EXPECT_EQ(mqtt.username, "saccade");
  EXPECT_EQ(mqtt.password_file, "/etc/saccade/mqtt");
  EXPECT_EQ(mqtt.ca_file, (kCorpus / "good/broker.pem").string());
  EXPECT_EQ(mqtt.prefix, "saccade/yard");
  EXPECT_EQ(mqtt.qos, 1);
  EXPECT_EQ(mqtt.home_assistant, "homeassistant");
  EXPECT_TRUE(mqtt.snapshots);
  EXPECT_TRUE(mqtt.control);
  EXPECT_FALSE(results::MqttSettings{}.control) << "nobody changes tasks unless it is written";
}

// Host, port and TLS of addresses of brokers; what is not written is made of the node's name and the id.
TEST(Configurations, BrokersHaveAddresses) {
  const std::string rest =
      R"(, "processors": [{"name": "cpu"}], "engine": {"backend": "simulated"}, "node": "n",
          "tasks": [{"id": "a", "profiles": "../../../support/profiles/shapes.json", "fps": 1,
                     "source": {"type": "synthetic", "data_set": "glyphs"}}]})";
  const auto broker = [&](const std::string& url) {
    const Result<LoadedConfig> config = parse_config(
        R"({"version": 1, "results": [{"id": "b", "type": "mqtt", "url": ")" + url + "\"}]" + rest, "f.json",
        kCorpus / "good");
    return config ? std::get<results::MqttSettings>(config.value().results.sinks.at(0).kind)
                  : results::MqttSettings{};
  };
  EXPECT_EQ(broker("mqtt://broker").port, 1883);
  EXPECT_EQ(broker("mqtts://broker/").port, 8883);
  EXPECT_EQ(broker("mqtts://broker/").host, "broker");
  EXPECT_EQ(broker("mqtt://[::1]:1884").host, "::1");
  EXPECT_EQ(broker("mqtt://[::1]:1884").port, 1884);
  EXPECT_EQ(broker("mqtt://[::1]").port, 1883);
  EXPECT_EQ(broker("mqtt://broker").client_id, "saccade-n-b");
  EXPECT_EQ(broker("mqtt://broker").prefix, "saccade/n");
  EXPECT_EQ(broker("mqtt://broker").home_assistant, std::nullopt);
  for (const char* url : {"mqtt://", "mqtt://:1883", "mqtt://a:0", "mqtt://a:1:2", "mqtt://[::1",
                          "mqtt://a/b", "mqtt://[::1]x", "mqtt://a b", "tcp://a", "broker"}) {
    EXPECT_EQ(broker(url).host, "") << url;
  }
}

// What Home Assistant is told of a task has one topic at a broker, whatever the sink's prefix.
TEST(Configurations, ABrokerAnnouncesATaskToHomeAssistantOnce) {
  const auto errors_of = [](const std::string& first, const std::string& second) {
    const auto task = [](const char* id) {
      return std::string(R"({"id": ")") + id +
             R"(", "fps": 1, "profiles": "../../../support/profiles/shapes.json",
          "source": {"type": "synthetic", "data_set": "glyphs"}})";
    };
    const Result<LoadedConfig> config = parse_config(
        R"({"version": 1, "processors": [{"name": "cpu"}], "engine": {"backend": "simulated"}, "node": "n",
            "tasks": [)" +
            task("gate") + ", " + task("yard") + R"(],
            "results": [{"id": "a", "type": "mqtt", "url": "mqtt://lan", "prefix": "one", )" +
            first + R"(},
                        {"id": "b", "type": "mqtt", "prefix": "two", )" +
            second + "}]}",
        "f.json", kCorpus / "good");
    return config.ok() ? Errors{} : config.errors();
  };
  const std::string devices = R"("home_assistant": "homeassistant")";
  const std::string here = R"("url": "mqtt://lan", )";
  const Errors both = errors_of(devices, here + devices);
  ASSERT_EQ(both.size(), 1U) << to_string(both);
  EXPECT_TRUE(both[0].where.ends_with(" /results/1/home_assistant")) << both[0].where;
  EXPECT_NE(both[0].hint.find("the other is in line "), std::string::npos) << both[0].hint;
  const std::string gate = R"(, "tasks": ["gate"])";
  const std::string yard = R"(, "tasks": ["yard"])";
  EXPECT_EQ(errors_of(devices + gate, here + devices).size(), 1U);
  EXPECT_EQ(errors_of(devices, here + devices + yard).size(), 1U);
  EXPECT_EQ(errors_of(devices + gate, here + devices + gate).size(), 1U);
  EXPECT_TRUE(errors_of(devices + gate, here + devices + yard).empty());
  EXPECT_TRUE(errors_of(devices, here + R"("qos": 1)").empty());
  EXPECT_TRUE(errors_of(devices, here + R"("home_assistant": "other")").empty());
  EXPECT_TRUE(errors_of(devices, R"("url": "mqtt://lan:1884", )" + devices).empty());
}

}  // namespace
}  // namespace saccade::config::results_config_test
