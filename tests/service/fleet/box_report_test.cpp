// What a box offers its fleet: its capacities less what the tasks of its own configuration take.
#include "service/fleet/box_report.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "config/config.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;

json report_of(const json& tasks, const json& limits = json::object(), const std::string& livez = {},
               const std::string& api = {}, double correction = 1.0) {
  const json document = {{"version", 1},
                         {"processors", {{{"name", "cpu"}, {"guard_seconds", 0.1}}}},
                         {"engine", {{"backend", "simulated"}}},
                         {"limits", limits},
                         {"tasks", tasks}};
  auto loaded = config::parse_config(document.dump(), "box", SACCADE_SOURCE_DIR "/tests/support/profiles");
  EXPECT_TRUE(loaded.ok()) << to_string(loaded.errors());
  runtime::RunConfig run = loaded.value().run;
  run.timeline.front().snapshot.processors.front().correction = correction;
  config::FleetSettings fleet;
  fleet.name = "t";
  fleet.box = "a";
  return json::parse(box_report(fleet, run, "1", livez, api).value().text);
}

json task(const std::string& id, double fps) {
  return {{"id", id},
          {"profiles", "powered.json"},
          {"fps", fps},
          {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}};
}

TEST(FleetBoxReport, NamesTheAddressesThatOthersReach) {
  const json tasks = json::array({task("gate", 1)});
  EXPECT_FALSE(report_of(tasks).contains("livez"));
  EXPECT_FALSE(report_of(tasks).contains("api"));
  const json reached = report_of(tasks, json::object(), "http://b/livez", "http://b:8080");
  EXPECT_EQ(reached.at("livez"), "http://b/livez");
  EXPECT_EQ(reached.at("api"), "http://b:8080");
}

TEST(FleetBoxReport, SaysWhatOfAPlannersDocumentsItUnderstands) {
  const json report = report_of(json::array({task("gate", 1)}));
  EXPECT_EQ(report.at("features"), (json{"max_latency_seconds", "standby"}));
}

TEST(FleetBoxReport, OffersWhatItsOwnTasksLeave) {
  const json limits = {{"memory_bytes", 9e7}, {"energy_joules_per_second", 50.0}};
  const json idle = report_of(json::array({task("gate", 0)}), limits);
  EXPECT_EQ(idle.at("processors")[0].at("capacity"), 1.0);
  EXPECT_EQ(idle.at("processors")[0].at("guard_seconds"), 0.1);
  EXPECT_EQ(idle.at("limits").at("memory_bytes"), 9e7);
  const json busy = report_of(json::array({task("gate", 1)}), limits);
  const json busier = report_of(json::array({task("gate", 1), task("yard", 1)}), limits);
  const auto capacity = [](const json& report) {
    return report.at("processors")[0].at("capacity").get<double>();
  };
  const auto limit = [](const json& report, const char* key) {
    return report.at("limits").at(key).get<double>();
  };
  EXPECT_LT(capacity(busy), 1.0);
  EXPECT_LT(capacity(busier), capacity(busy));
  for (const char* key : {"memory_bytes", "energy_joules_per_second"}) {
    EXPECT_LT(limit(busy, key), limit(idle, key)) << key;
    EXPECT_LT(limit(busier, key), limit(busy, key)) << key;
  }
}

// Planners count in profiled time.
TEST(FleetBoxReport, AProcessorWhoseFramesTakeLongerOffersSoMuchLess) {
  const json none = json::array({task("gate", 0)});
  const json slow = report_of(none, json::object(), "", "", 1.5);
  EXPECT_DOUBLE_EQ(slow.at("processors")[0].at("capacity"), 0.9 / 1.5 + 0.1);
  EXPECT_EQ(slow.at("processors")[0].at("guard_seconds"), 0.1);
  EXPECT_EQ(slow.at("corrections").at("cpu"), 1.5);
  EXPECT_FALSE(report_of(none).contains("corrections"));
  const auto offered = [&](double correction) {
    const json report = report_of(json::array({task("gate", 1)}), json::object(), "", "", correction);
    return report.at("processors")[0].at("capacity").get<double>() - 0.1;
  };
  const double used = 0.9 - offered(1.0);  // of its own task, which takes longer as well
  ASSERT_GT(used, 0.0);
  EXPECT_NEAR(offered(1.5), (0.9 - 1.5 * used) / 1.5, 1e-9);
}

// A planner that did not know these would place cameras on a box that cannot hold them.
TEST(FleetBoxReport, TellsKindsOfProcessorsAndMemoriesOfDevices) {
  const test::TemporaryFolder folder;
  std::ifstream file(SACCADE_SOURCE_DIR "/tests/support/profiles/shapes.json");
  json set = json::parse(file);
  for (json& variant : set.at("variants")) variant["device_memory_bytes"] = 1e8;
  std::ofstream(folder.path() / "set.json") << set;
  json document = {
      {"version", 1},
      {"processors",
       {{{"name", "first"},
         {"kind", "cpu"},
         {"memory", "card"},
         {"context_memory_bytes", 2e6},
         {"context_device_memory_bytes", 3e8}},
        {{"name", "second"}, {"kind", "cpu"}, {"memory", "card"}, {"context_memory_bytes", 1e6}}}},
      {"engine", {{"backend", "simulated"}}},
      {"limits", {{"memory_bytes", 1e9}, {"memories", {{"card", 1e9}}}}},
      {"tasks", json::array()}};
  const auto report = [&](double fps) {
    json own = task("own", fps);
    own["profiles"] = "set.json";
    document["tasks"] = json::array({own});
    auto loaded = config::parse_config(document.dump(), "box", folder.path());
    EXPECT_TRUE(loaded.ok()) << to_string(loaded.errors());
    config::FleetSettings fleet;
    fleet.name = "t";
    fleet.box = "a";
    return json::parse(box_report(fleet, loaded.value().run, "1", "").value().text);
  };
  const json idle = report(0);
  const json& first = idle.at("processors").at(0);
  EXPECT_EQ(first.at("name"), "first");
  EXPECT_EQ(first.at("kind"), "cpu");
  EXPECT_EQ(first.at("memory"), "card");
  EXPECT_EQ(first.at("context_memory_bytes"), 2e6);
  EXPECT_EQ(first.at("context_device_memory_bytes"), 3e8);
  EXPECT_FALSE(idle.at("processors").at(1).contains("context_device_memory_bytes"));
  EXPECT_EQ(idle.at("limits").at("memories").at("card"), 1e9);
  EXPECT_EQ(idle.at("limits").at("memory_bytes"), 1e9);
  const json busy = report(1);  // an engine; the context is told with the processor
  EXPECT_EQ(busy.at("limits").at("memories").at("card"), 9e8);
  EXPECT_LT(busy.at("limits").at("memory_bytes"), 1e9);
  EXPECT_GE(busy.at("limits").at("memory_bytes"), 1e9 - 2e7);
}

TEST(FleetBoxReport, ABoxThatItsOwnTasksFillOffersNextToNothingAndStays) {
  const json full = report_of(json::array({task("gate", 10000)}));
  const double capacity = full.at("processors")[0].at("capacity");
  EXPECT_GT(capacity, 0.1);  // the guard
  EXPECT_LT(capacity, 0.15);
}

}  // namespace
}  // namespace saccade::service
