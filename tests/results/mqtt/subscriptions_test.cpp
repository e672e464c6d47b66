// A real broker that lets a client publish and not subscribe.
#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "results/mqtt/mqtt_connection.hpp"
#include "results/mqtt/mqtt_sink.hpp"
#include "tests/support/mqtt_broker.hpp"

namespace saccade::results::subscriptions_test {
namespace {

// mosquitto's own plug-in; empty: it is not there. A list of an `acl_file` refuses no subscription.
std::string access_plugin() {
  for (const auto& folder : std::filesystem::directory_iterator("/usr/lib")) {
    const std::filesystem::path plugin = folder.path() / "mosquitto_dynamic_security.so";
    if (std::filesystem::exists(plugin)) return plugin;
  }
  return {};
}

// Lines of the broker's configuration.
std::vector<std::string> who_may_not_subscribe(const test::TemporaryFolder& folder,
                                               const std::string& plugin) {
  const std::string access = folder / "access.json";
  std::ofstream(access) << R"({"defaultACLAccess": {"publishClientSend": true, "subscribe": false}})";
  return {"allow_anonymous true", "plugin " + plugin, "plugin_opt_config_file " + access};
}

MqttEvent next_event_of(MqttConnection& connection, MqttEvent::Kind kind) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (connection.socket() >= 0 && std::chrono::steady_clock::now() < end) {
    for (MqttEvent& event : connection.take_events()) {
      if (event.kind == kind) return std::move(event);
    }
    const short wanted = connection.wants_to_write() ? POLLIN | POLLOUT : POLLIN;
    pollfd file{connection.socket(), wanted, 0};
    ::poll(&file, 1, 1000);
    connection.serve((file.revents & POLLIN) != 0, (file.revents & POLLOUT) != 0);
  }
  return {};
}

TEST(MqttConnection, TellsOfASubscriptionThatTheBrokerRefuses) {
  const std::string plugin = access_plugin();
  if (plugin.empty()) GTEST_SKIP() << "needs mosquitto_dynamic_security.so (package mosquitto)";
  const test::TemporaryFolder folder;
  test::MqttBroker broker(who_may_not_subscribe(folder, plugin));
  broker.start();
  for (const std::string version : {"3.1.1", "5"}) {
    MqttSettings settings;
    settings.host = "127.0.0.1";
    settings.port = broker.port();
    settings.client_id = "deaf";
    settings.version = version;
    const auto opened = MqttConnection::open(settings, "deaf/available", MqttConnection::Addresses::any);
    ASSERT_TRUE(opened.ok()) << to_string(opened.errors());
    MqttConnection& connection = *opened.value();
    ASSERT_EQ(next_event_of(connection, MqttEvent::Kind::connected).kind, MqttEvent::Kind::connected);
    connection.subscribe("deaf/task/+/set");
    const MqttEvent refused = next_event_of(connection, MqttEvent::Kind::not_subscribed);
    EXPECT_EQ(refused.kind, MqttEvent::Kind::not_subscribed);
    EXPECT_EQ(refused.topic, "deaf/task/+/set");
    EXPECT_EQ(refused.words, version == "5" ? "Not authorized" : "");
  }
}

TEST(MqttSink, ASubscriptionThatTheBrokerRefusesIsAFaultThoughResultsArrive) {
  const std::string plugin = access_plugin();
  if (plugin.empty()) GTEST_SKIP() << "needs mosquitto_dynamic_security.so (package mosquitto)";
  const test::TemporaryFolder folder;
  test::MqttBroker broker(who_may_not_subscribe(folder, plugin));
  broker.start();
  MqttSettings settings;
  settings.id = "ha";
  settings.host = "127.0.0.1";
  settings.port = broker.port();
  settings.qos = 1;
  MqttContext context;
  context.node = "yard-box";
  context.record = [](const Result&) { return std::string("a result"); };
  context.labels = [](const std::string&) { return std::vector<std::string>(); };
  MqttSink sink(settings, context);
  const std::string topic = "saccade/yard-box/task/+/state";
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (sink.account().fault.find(topic) == std::string::npos && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  sink.take(std::make_shared<const Result>());
  while (sink.account().sent == 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(sink.account().sent, 1);
  const std::string fault = sink.account().fault;
  EXPECT_NE(fault.find(" refuses a subscription to "), std::string::npos) << fault;
  EXPECT_NE(fault.find(topic), std::string::npos) << fault;
  EXPECT_NE(fault.find("(allow this client to subscribe to it)"), std::string::npos) << fault;
}

}  // namespace
}  // namespace saccade::results::subscriptions_test
