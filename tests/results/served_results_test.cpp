// From a real engine to a file: a detector and a classifier of the zoo over drawn pictures, served as
// `saccade run` does. Nothing is asserted about how fast anything was.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "service/live/service_run.hpp"
#include "tests/results/sightings.hpp"
#include "tests/support/mqtt_broker.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::results {
namespace {

using nlohmann::json;
using service::ServiceConfig;
using service::ServiceRun;

class ServedResults : public testing::Test {
 protected:
  void configure(const json& sinks, double fps = 10) {
    const std::string zoo = std::string(SACCADE_SOURCE_DIR) + "/profiles/zoo/";
    const auto task = [&](const std::string& id, const std::string& profiles, const std::string& data_set) {
      return json{{"id", id},
                  {"profiles", zoo + profiles},
                  {"fps", fps},
                  {"source", {{"type", "synthetic"}, {"data_set", data_set}}}};
    };
    const json config = {
        {"version", 1},
        {"node", "yard-box"},
        {"processors", {{{"name", "cpu"}}}},
        {"engine", {{"backend", "onnxruntime"}, {"graph_cache", "off"}}},
        {"tasks",
         {task("yard", "yard-detector.json", "yard"), task("glyphs", "mobilenet_v2-glyphs.json", "glyphs")}},
        {"results", sinks}};
    std::filesystem::create_directory(folder_ / "gone");
    std::ofstream(folder_ / "config.json") << config.dump();
    auto start = service::start_from(folder_ / "config.json", nullptr);
    ASSERT_TRUE(start.ok()) << to_string(start.errors());
    std::filesystem::remove(folder_ / "gone");  // as a disk that goes after a check
    config_ = std::make_unique<ServiceConfig>(folder_ / "config.json", std::move(start).value(), nullptr);
  }
  void configure_files() {
    configure(
        {{{"id", "log"}, {"type", "file"}, {"path", "all.jsonl"}, {"queue", 4096}},
         {{"id", "yard"}, {"type", "file"}, {"path", "yard.jsonl"}, {"tasks", {"yard"}}, {"when", "objects"}},
         {{"id", "broken"}, {"type", "file"}, {"path", "gone/x.jsonl"}}});
  }
  [[nodiscard]] std::vector<json> records(const std::string& name) const {
    std::ifstream in(folder_.path() / name);
    std::vector<json> all;
    for (std::string line; std::getline(in, line);) all.push_back(json::parse(line));
    return all;
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<ServiceConfig> config_;
};

void expect_objects_in_the_frame(const json& record) {
  double before = 1.0;
  for (const json& object : record.at("objects")) {
    const json& box = object.at("box");
    EXPECT_GE(box.at(0), 0.0) << record;
    EXPECT_GE(box.at(1), 0.0) << record;
    EXPECT_GT(box.at(2), 0.0) << record;
    EXPECT_GT(box.at(3), 0.0) << record;
    EXPECT_LE(box.at(0).get<double>() + box.at(2).get<double>(), record.at("size").at(0).get<double>() + 0.1);
    EXPECT_LE(box.at(1).get<double>() + box.at(3).get<double>(), record.at("size").at(1).get<double>() + 0.1);
    EXPECT_LE(object.at("score"), before);
    before = object.at("score");
  }
}

TEST_F(ServedResults, EveryProcessedFrameIsALineWithItsObjects) {
  configure_files();
  std::vector<service::SinkNews> news;
  service::ServiceRunOptions options;
  options.sinks = [&](const service::SinkNews& each) { news.push_back(each); };
  auto run = ServiceRun::open(*config_, {}, std::move(options));
  ASSERT_TRUE(run.ok()) << to_string(run.errors());
  runtime::RunSummary summary;
  std::thread thread([&] { summary = run.value()->run(std::nullopt); });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  std::vector<DeliveryAccount> accounts = run.value()->deliveries();
  while (accounts.at(0).sent < 40 || accounts.at(1).sent < 10) {
    if (std::chrono::steady_clock::now() > end) break;
    std::this_thread::yield();
    accounts = run.value()->deliveries();
    for (const DeliveryAccount& account : accounts) ASSERT_EQ(unaccounted(account), 0);
  }
  EXPECT_TRUE(accounts.at(0).connected);
  EXPECT_FALSE(accounts.at(2).connected);
  EXPECT_NE(accounts.at(2).fault, "");
  EXPECT_EQ(accounts.at(2).sent, 0);
  run.value()->stop();
  thread.join();
  ASSERT_EQ(news.size(), 1U) << "a sink that fails is told once";
  EXPECT_EQ(news[0].sink, "broken");
  EXPECT_TRUE(news[0].fails);

  std::int64_t processed = 0;
  for (const runtime::TaskSummary& task : summary.tasks) processed += task.processed;
  const std::vector<json> all = records("all.jsonl");
  EXPECT_EQ(static_cast<std::int64_t>(all.size()), processed);
  std::map<std::string, std::int64_t> last;
  std::size_t objects = 0;
  for (const json& record : all) {
    const std::string task = record.at("task");
    EXPECT_EQ(record.at("node"), "yard-box");
    EXPECT_EQ(record.at("processor"), "cpu");
    EXPECT_GT(record.at("frame").get<std::int64_t>(), last[task]);
    last[task] = record.at("frame");
    EXPECT_GT(record.at("generation"), 0);
    EXPECT_GT(record.at("accuracy"), 0.0);
    EXPECT_GT(record.at("latency_seconds"), 0.0);
    EXPECT_GE(record.at("age_seconds"), record.at("latency_seconds"));
    EXPECT_GT(record.at("captured_monotonic_seconds"), 0.0);
    EXPECT_EQ(record.at("captured_by"), "arrival");
    if (task == "yard") expect_objects_in_the_frame(record);
    if (task == "yard") objects += record.at("objects").size();
    if (task == "glyphs") {
      ASSERT_EQ(record.at("regions").size(), 1U);  // the whole frame
      EXPECT_GT(record.at("regions").at(0).at("score"), 0.0);
    }
  }
  EXPECT_EQ(last.size(), 2U);
  EXPECT_GT(objects, 0U);
  for (const json& record : records("yard.jsonl")) {
    EXPECT_EQ(record.at("task"), "yard");
    EXPECT_FALSE(record.at("objects").empty());
  }
}

TEST_F(ServedResults, BoxesPresenceAndTheTasksStateArriveAtABroker) {
  test::MqttBroker broker;
  broker.start();
  test::MqttListener all(broker, "#");
  // Few frames: on a machine that is busy with other things many of them would be more than the plan can
  // grant.
  constexpr double kFew = 3;
  configure({{{"id", "ha"},
              {"type", "mqtt"},
              {"url", "mqtt://127.0.0.1:" + std::to_string(broker.port())},
              {"home_assistant", "homeassistant"},
              {"tasks", {"yard"}},
              {"snapshots", true},
              {"queue", 4096}}},
            kFew);
  auto run = ServiceRun::open(*config_, {}, {});
  ASSERT_TRUE(run.ok()) << to_string(run.errors());
  std::thread thread([&] { static_cast<void>(run.value()->run(std::nullopt)); });
  const std::string prefix = "saccade/yard-box/task/yard/";
  std::set<std::string> missing = {"discovery", "presence", "objects", "state", "picture"};
  while (!missing.empty()) {
    const auto message = all.next();
    if (!message) break;
    const std::string& topic = message->topic;
    EXPECT_EQ(topic.find("glyphs"), std::string::npos) << "the sink is of the other task: " << topic;
    if (topic == "homeassistant/device/saccade_yard-box_yard/config") missing.erase("discovery");
    if (topic.starts_with(prefix + "presence/") && message->payload == "ON") missing.erase("presence");
    if (topic == prefix + "snapshot" && message->payload.starts_with("\xff\xd8")) missing.erase("picture");
    if (topic == prefix + "state" && json::parse(message->payload).at("variant") != "")
      missing.erase("state");
    if (topic != prefix + "result") continue;
    const json record = json::parse(message->payload);
    expect_objects_in_the_frame(record);
    if (!record.at("objects").empty()) missing.erase("objects");
  }
  EXPECT_TRUE(missing.empty()) << "never came: " << json(missing);
  for (const DeliveryAccount& account : run.value()->deliveries()) EXPECT_EQ(unaccounted(account), 0);
  run.value()->stop();
  thread.join();
  run.value().reset();
  EXPECT_TRUE(all.sees({{"saccade/yard-box/available", "stopped"}}));
}

// As PATCH /v1/tasks/ID, but only what the task demands, and only of the sink's tasks.
TEST_F(ServedResults, WhatATaskDemandsIsChangedThroughTheBroker) {
  test::MqttBroker broker;
  broker.start();
  const std::string tasks = "saccade/yard-box/task/";
  test::MqttListener answers(broker, tasks + "+/set/answer");
  ASSERT_TRUE(test::mqtt_publish(broker, tasks + "yard/set", R"({"fps": 9})", true));
  configure({{{"id", "home"},
              {"type", "mqtt"},
              {"url", "mqtt://127.0.0.1:" + std::to_string(broker.port())},
              {"tasks", {"yard"}},
              {"control", true}}},
            3);
  auto run = ServiceRun::open(*config_, {}, {});
  ASSERT_TRUE(run.ok()) << to_string(run.errors());
  std::thread thread([&] { static_cast<void>(run.value()->run(std::nullopt)); });
  const auto answer = [&] {
    const auto message = answers.next();
    return message ? json::parse(message->payload) : json::object();
  };
  EXPECT_EQ(answer().value("status", 0), 400) << "a retained message changes nothing";
  const auto ask = [&](const std::string& task, const std::string& patch) {
    EXPECT_TRUE(test::mqtt_publish(broker, tasks + task + "/set", patch));
    return answer();
  };
  const auto configured = [&] { return json::parse(config_->document().text).at("tasks").at(0); };
  json changed = ask("yard", R"({"fps": 2, "weight": 3})");
  while (changed.value("status", 0) == 503) changed = ask("yard", R"({"fps": 2, "weight": 3})");  // it starts
  EXPECT_EQ(changed.value("status", 0), 202) << changed;
  EXPECT_GT(changed.value("generation", 0), 0);
  EXPECT_EQ(configured().at("fps"), 2);
  EXPECT_EQ(configured().at("weight"), 3);
  const json refused = ask("yard", R"({"fps": -1})");
  EXPECT_EQ(refused.value("status", 0), 422) << refused;
  EXPECT_TRUE(refused.at("errors").at(0).at("pointer").get<std::string>().ends_with("/fps")) << refused;
  const json other = ask("yard", R"({"fps": 1, "source": {"type": "video", "path": "/etc/passwd"}})");
  EXPECT_EQ(other.value("status", 0), 403) << other;
  EXPECT_EQ(ask("glyphs", R"({"fps": 1})").value("status", 0), 404) << "the sink is of the other task";
  EXPECT_EQ(ask("yard", "fps").value("status", 0), 400);
  EXPECT_EQ(configured().at("fps"), 2) << "nothing else was changed";
  run.value()->stop();
  thread.join();
}

// The sinks are made at the start.
TEST_F(ServedResults, WhereResultsGoCannotChangeWhileItRuns) {
  configure_files();
  config_->look([&](const service::LiveConfig& live, Duration) {
    json wanted = json::parse(live.text());
    wanted["results"].erase(2);
    wanted["node"] = "other";
    const auto candidate = live.replaced(wanted.dump());
    ASSERT_FALSE(candidate.ok());
    EXPECT_EQ(
        to_string(candidate.errors()),
        "#/results: where results go cannot change while the service runs (restart the service to change "
        "it)\n#/node: the name cannot change while the service runs (restart the service to change it)");
  });
}

}  // namespace
}  // namespace saccade::results
