// The sink against a real broker.
#include "results/mqtt/mqtt_sink.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <csignal>
#include <fstream>

#include "tests/support/certificate.hpp"
#include "tests/support/mqtt_broker.hpp"

namespace saccade::results {
namespace {

using Kept = std::map<std::string, std::string>;
using test::MqttBroker;
using test::MqttListener;

const std::string kPrefix = "saccade/yard-box";
const std::string kTask = kPrefix + "/task/gate/";
const std::vector<std::string> kLabels = {"person", "car", "fire truck"};

MqttSettings settings_for(const MqttBroker& broker) {
  MqttSettings settings;
  settings.id = "ha";
  settings.host = "127.0.0.1";
  settings.port = broker.port();
  settings.home_assistant = "homeassistant";
  return settings;
}

// A fast one: what is waited for is what happens, not the time between attempts.
MqttContext context() {
  MqttContext context;
  context.node = "yard-box";
  context.version = "0.2";
  context.record = [](const Result& result) { return "frame " + std::to_string(result.frame); };
  context.labels = [](const std::string&) { return kLabels; };
  context.retry.least = std::chrono::milliseconds(20);
  context.retry.most = std::chrono::milliseconds(100);
  context.retry.refused = std::chrono::milliseconds(50);
  context.grace = std::chrono::milliseconds(1);
  return context;
}

std::shared_ptr<const Result> result_of(std::int64_t frame) {
  Result result;
  result.task = "gate";
  result.frame = frame;
  return std::make_shared<const Result>(result);
}

bool eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

bool connects(const MqttSink& sink) {
  return eventually([&] { return sink.account().connected; });
}

void expect_account_holds(const SinkAccount& account) {
  EXPECT_EQ(account.taken, account.sent + account.dropped + account.failed + account.waiting);
}

// Breaks this process's connections to the broker as the end of the process would.
int cut_connections_to(std::uint16_t port) {
  int cut = 0;
  for (int file = 3; file < 1024; ++file) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (getpeername(file, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (peer.sin_family != AF_INET || ntohs(peer.sin_port) != port) continue;
    cut += shutdown(file, SHUT_RDWR) == 0 ? 1 : 0;
  }
  return cut;
}

TEST(MqttSink, ResultsAndPresenceArriveAndTheEndIsOrderly) {
  for (const std::string version : {"3.1.1", "5"}) {
    for (const int qos : {0, 1}) {
      MqttBroker broker;
      broker.start();
      MqttListener all(broker, kPrefix + "/#");
      MqttSettings settings = settings_for(broker);
      settings.version = version;
      settings.qos = qos;
      {
        MqttSink sink(settings, context());
        sink.task_is_there("gate");
        sink.take(PresenceChange{"gate", "person", 2});
        sink.tell(TaskState{"gate", true, 5, 5, 4.5, "n-320", 0.4, 1});
        for (int frame = 1; frame <= 100; ++frame) sink.take(result_of(frame));
        EXPECT_TRUE(all.sees({{kPrefix + "/available", "online"},
                              {kTask + "presence/person", "ON"},
                              {kTask + "count/person", "2"},
                              {kTask + "presence/fire_truck", "OFF"},
                              {kTask + "result", "frame 100"}}));
        EXPECT_TRUE(eventually([&] { return sink.account().sent == 100; }));
        expect_account_holds(sink.account());
        EXPECT_EQ(sink.account().fault, "");
      }
      EXPECT_TRUE(all.sees({{kPrefix + "/available", "stopped"}}));
      MqttListener late(broker, "#");
      EXPECT_TRUE(late.sees({{kPrefix + "/available", "stopped"}, {kTask + "presence/person", "ON"}}));
      EXPECT_FALSE(late.newest().contains(kTask + "result"));  // not retained
    }
  }
}

TEST(MqttSink, AResultIsSentAtOnceThoughNothingElseHappens) {
  MqttBroker broker;
  broker.start();
  MqttSettings settings = settings_for(broker);
  settings.qos = 0;  // no packet of the broker's says that it is sent
  MqttContext idle = context();
  idle.between_looks = std::chrono::minutes(10);
  MqttSink sink(settings, idle);
  for (int frame = 1; frame <= 20; ++frame) {  // the first ones with what else a new connection brings
    sink.take(result_of(frame));
    ASSERT_TRUE(eventually([&] { return sink.account().sent == frame; }));
  }
}

TEST(MqttSink, ABrokerThatIsKilledGetsAllStatesWhenItIsBack) {
  MqttBroker broker;
  broker.start();
  MqttSink sink(settings_for(broker), context());
  sink.task_is_there("gate");
  ASSERT_TRUE(connects(sink));
  for (int round = 0; round < 3; ++round) {
    broker.kill();
    ASSERT_TRUE(eventually([&] { return !sink.account().fault.empty(); }));
    const bool is_on = round % 2 == 0;
    sink.take(PresenceChange{"gate", "car", 1});
    sink.take(PresenceChange{"gate", "car", is_on ? 3 : 0});
    sink.take(PresenceChange{"gate", "person", is_on ? 0 : 1});
    for (int frame = 0; frame < 400; ++frame) sink.take(result_of(frame));
    EXPECT_EQ(sink.account().waiting, 256);
    broker.start();
    MqttListener listener(broker, "#");
    EXPECT_TRUE(listener.sees({{kPrefix + "/available", "online"},
                               {kTask + "presence/car", is_on ? "ON" : "OFF"},
                               {kTask + "count/car", is_on ? "3" : "0"},
                               {kTask + "presence/person", is_on ? "OFF" : "ON"},
                               {kTask + "presence/fire_truck", "OFF"}}));
    EXPECT_TRUE(eventually([&] { return sink.account().waiting == 0; }));
    expect_account_holds(sink.account());
    EXPECT_EQ(sink.account().fault, "");
  }
}

TEST(MqttSink, ABrokerMayComeLater) {
  MqttBroker broker;
  MqttSink sink(settings_for(broker), context());
  sink.task_is_there("gate");
  sink.take(PresenceChange{"gate", "person", 1});
  sink.take(result_of(7));
  ASSERT_TRUE(eventually([&] { return !sink.account().fault.empty(); }));
  EXPECT_EQ(sink.account().fault,
            "no connection to 127.0.0.1:" + std::to_string(broker.port()) + ": Connection refused");
  broker.start();
  MqttListener listener(broker, kPrefix + "/#");
  EXPECT_TRUE(listener.sees({{kPrefix + "/available", "online"}, {kTask + "presence/person", "ON"}}));
  EXPECT_TRUE(eventually([&] { return sink.account().sent == 1; }));
}

TEST(MqttSink, AWrongPasswordIsAFaultWithTheBrokersWordsUntilItIsRight) {
  for (const std::string version : {"3.1.1", "5"}) {
    const test::TemporaryFolder folder;
    const std::string users = folder / "users";
    test::ChildProcess made({"/usr/bin/mosquitto_passwd", "-b", "-c", users, "saccade", "right one"},
                            folder / "out");
    ASSERT_EQ(made.wait(), 0);
    MqttBroker broker({"allow_anonymous false", "password_file " + users});
    broker.start();
    MqttSettings settings = settings_for(broker);
    settings.version = version;
    settings.username = "saccade";
    settings.password_file = folder / "password";
    MqttSink sink(settings, context());
    ASSERT_TRUE(eventually([&] { return !sink.account().fault.empty(); }));
    EXPECT_NE(sink.account().fault.find(settings.password_file), std::string::npos);  // it is not there
    std::ofstream(settings.password_file) << "wrong one\n";
    const std::string where = "127.0.0.1:" + std::to_string(broker.port());
    const std::string words = version == "5" ? "Not authorized" : "Connection Refused: not authorised";
    EXPECT_TRUE(eventually([&] { return sink.account().fault == where + " refuses this client: " + words; }))
        << sink.account().fault;
    EXPECT_FALSE(sink.account().connected);
    std::ofstream(settings.password_file) << "right one\n";
    EXPECT_TRUE(connects(sink));
    EXPECT_EQ(sink.account().fault, "");
  }
}

TEST(MqttSink, TheBrokerSaysOfflineWhenTheConnectionBreaksAndOnlineWhenItIsBack) {
  MqttBroker broker;
  broker.start();
  MqttListener listener(broker, kPrefix + "/available");
  MqttSink sink(settings_for(broker), context());
  ASSERT_TRUE(listener.sees({{kPrefix + "/available", "online"}}));
  EXPECT_EQ(cut_connections_to(broker.port()), 1);
  ASSERT_TRUE(listener.sees({{kPrefix + "/available", "offline"}}));
  ASSERT_TRUE(listener.sees({{kPrefix + "/available", "online"}}));
}

TEST(MqttSink, WhatAnEarlierRunLeftOnIsOffOrGone) {
  MqttBroker broker;
  broker.start();
  const std::string old_device = "homeassistant/device/saccade_yard-box_attic/config";
  const std::string other_device = "homeassistant/device/lamp/config";
  ASSERT_TRUE(test::mqtt_publish(broker, kTask + "presence/person", "ON", true));
  ASSERT_TRUE(test::mqtt_publish(broker, kTask + "presence/cat", "ON", true));
  ASSERT_TRUE(test::mqtt_publish(broker, kPrefix + "/task/attic/presence/person", "ON", true));
  ASSERT_TRUE(test::mqtt_publish(broker, kPrefix + "/task/attic/snapshot", "picture", true));
  ASSERT_TRUE(test::mqtt_publish(
      broker, old_device, R"({"o":{"name":"saccade"},"availability_topic":"saccade/yard-box/available"})",
      true));
  ASSERT_TRUE(test::mqtt_publish(broker, other_device, R"({"o":{"name":"lamp"}})", true));
  MqttListener listener(broker, "#");
  MqttSink sink(settings_for(broker), context());
  sink.task_is_there("gate");
  EXPECT_TRUE(listener.sees({{kTask + "presence/person", "OFF"},
                             {kTask + "presence/cat", ""},
                             {kPrefix + "/task/attic/presence/person", ""},
                             {kPrefix + "/task/attic/snapshot", ""},
                             {old_device, ""},
                             {other_device, R"({"o":{"name":"lamp"}})"}}));
}

TEST(MqttSink, ATaskThatGoesIsForgottenByTheBroker) {
  MqttBroker broker;
  broker.start();
  MqttSink sink(settings_for(broker), context());
  sink.task_is_there("gate");
  sink.take_snapshot("gate", [] { return std::string("\xff\xd8\x00picture", 10); });
  MqttListener listener(broker, "#");
  const std::string device = "homeassistant/device/saccade_yard-box_gate/config";
  ASSERT_TRUE(listener.sees({{kTask + "presence/person", "OFF"}}));
  while (!listener.newest().contains(device)) ASSERT_TRUE(listener.next());
  sink.task_is_gone("gate");
  EXPECT_TRUE(listener.sees({{kTask + "presence/person", ""}, {kTask + "snapshot", ""}, {device, ""}}));
}

TEST(MqttSink, HomeAssistantThatStartsIsToldOfItsDevicesAgain) {
  MqttBroker broker;
  broker.start();
  MqttSink sink(settings_for(broker), context());
  sink.task_is_there("gate");
  MqttListener listener(broker, "homeassistant/device/+/config");
  ASSERT_TRUE(listener.next());
  // The sink listens for it shortly after it has connected.
  bool is_told = false;
  for (int attempt = 0; attempt < 50 && !is_told; ++attempt) {
    ASSERT_TRUE(test::mqtt_publish(broker, "homeassistant/status", "online"));
    ASSERT_TRUE(test::mqtt_publish(broker, "homeassistant/device/end/config", std::to_string(attempt)));
    while (const auto message = listener.next()) {
      is_told =
          is_told || (message->topic.find("saccade_yard-box_gate") != std::string::npos && !message->kept);
      if (message->topic == "homeassistant/device/end/config") break;
    }
  }
  EXPECT_TRUE(is_told);
}

TEST(MqttSink, ABrokerThatStandsStillHoldsNobodyUp) {
  MqttBroker broker;
  broker.start();
  MqttSettings settings = settings_for(broker);
  settings.qos = 1;
  MqttSink sink(settings, context());
  sink.task_is_there("gate");
  ASSERT_TRUE(connects(sink));
  broker.signal(SIGSTOP);
  for (int frame = 0; frame < 20'000; ++frame) {
    sink.take(result_of(frame));
    const SinkAccount account = sink.account();
    expect_account_holds(account);
    ASSERT_LE(account.waiting, 256 + 64);
  }
  sink.take(PresenceChange{"gate", "car", 1});
  broker.signal(SIGCONT);
  MqttListener listener(broker, kPrefix + "/#");
  EXPECT_TRUE(listener.sees({{kTask + "presence/car", "ON"}}));
  EXPECT_TRUE(eventually([&] { return sink.account().waiting == 0; }));
  const SinkAccount account = sink.account();
  EXPECT_EQ(account.taken, 20'000);
  expect_account_holds(account);
}

TEST(MqttSink, WhatABrokerOfVersionFiveDoesNotTakeHasFailed) {
  MqttBroker broker;
  const std::string rules = broker.folder() / "rules";
  std::ofstream(rules) << "topic readwrite " << kPrefix << "/available\ntopic readwrite " << kTask
                       << "presence/#\n";
  MqttBroker strict({"allow_anonymous true", "acl_file " + rules});
  strict.start();
  MqttSettings settings = settings_for(strict);
  settings.version = "5";
  settings.qos = 1;
  MqttSink sink(settings, context());
  sink.task_is_there("gate");
  ASSERT_TRUE(connects(sink));
  for (int frame = 0; frame < 5; ++frame) sink.take(result_of(frame));
  EXPECT_TRUE(eventually([&] { return sink.account().failed == 5; }));
  EXPECT_EQ(sink.account().fault,
            "127.0.0.1:" + std::to_string(strict.port()) + " does not take a result: Not authorized");
  MqttListener listener(strict, kPrefix + "/#");
  EXPECT_TRUE(listener.sees({{kTask + "presence/car", "OFF"}}));
}

TEST(MqttSink, TheBrokersCertificateIsChecked) {
  const test::TemporaryFolder folder;
  const std::string certificate = folder / "certificate.pem";
  const std::string key = folder / "key.pem";
  ASSERT_TRUE(test::write_certificate(certificate, key, "DNS:localhost,IP:127.0.0.1"));
  const std::string other = folder / "other.pem";
  ASSERT_TRUE(test::write_certificate(other, folder / "other.key", "DNS:localhost,IP:127.0.0.1"));
  MqttBroker broker({"allow_anonymous true", "certfile " + certificate, "keyfile " + key});
  broker.start();
  MqttSettings settings = settings_for(broker);
  settings.tls = true;
  settings.host = "localhost";
  settings.ca_file = other;
  {
    MqttSink sink(settings, context());
    EXPECT_TRUE(eventually([&] {
      return sink.account().fault.find("certificate verify failed") != std::string::npos;
    })) << sink.account().fault;
  }
  settings.ca_file = certificate;
  MqttSink sink(settings, context());
  sink.task_is_there("gate");
  EXPECT_TRUE(connects(sink));
  for (int round = 0; round < 3; ++round) {
    broker.kill();
    for (int frame = 0; frame < 100; ++frame) sink.take(result_of(frame));
    broker.start();
    MqttListener listener(broker, kPrefix + "/#", {"--cafile", certificate, "--insecure"});
    EXPECT_TRUE(listener.sees({{kTask + "presence/car", "OFF"}}));
    EXPECT_TRUE(eventually([&] { return sink.account().waiting == 0; }));
  }
}

TEST(MqttSink, TheSubscribersOfTheExamplesUnderstandIt) {
  MqttBroker broker;
  broker.start();
  const test::TemporaryFolder folder;
  const auto run = [&](const std::string& example) {
    const std::string command = std::string("exec timeout 100 ") + SACCADE_SOURCE_DIR +
                                "/examples/subscribers/" + example + " 127.0.0.1 " +
                                std::to_string(broker.port()) + " >&2";
    return std::make_unique<test::ChildProcess>(std::vector<std::string>{"/bin/sh", "-c", command},
                                                folder / "out");
  };
  MqttContext speaking = context();
  speaking.record = [](const Result&) {
    return R"({"format":"saccade-result/1","task":"gate","frame":7,"captured_at":"2026-11-22T17:41:03.412Z",)"
           R"("objects":[{"label":"person","score":0.875}]})";
  };
  MqttSettings settings = settings_for(broker);
  settings.qos = 1;
  MqttSink sink(settings, speaking);
  sink.task_is_there("gate");
  ASSERT_TRUE(connects(sink));
  const auto presence = run("presence.sh");
  EXPECT_TRUE(presence->line_with("saccade/yard-box is online"));
  EXPECT_TRUE(presence->line_with("gate: no person"));
  sink.take(PresenceChange{"gate", "person", 1});
  EXPECT_TRUE(presence->line_with("gate: person is there"));

  const auto results = run("results.py");
  std::atomic<bool> is_heard = false;
  std::thread speaker([&] {  // until it has subscribed
    for (std::int64_t frame = 1; !is_heard; ++frame) {
      sink.take(result_of(frame));
      eventually([&] { return sink.account().waiting == 0; });
    }
  });
  EXPECT_TRUE(results->line_with("2026-11-22T17:41:03.412Z gate 7: person 0.88"));
  is_heard = true;
  speaker.join();
  // `timeout` ends what the shell has started, too.
  for (const auto& example : {&presence, &results}) {
    (*example)->signal(SIGTERM);
    (*example)->wait();
  }
  EXPECT_EQ(sink.account().fault, "");
}

}  // namespace
}  // namespace saccade::results
