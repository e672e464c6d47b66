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

}  // namespace
}  // namespace saccade::config::results_config_test
