// What a box offers its fleet: its capacities less what the tasks of its own configuration take.
#include "service/fleet/box_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "config/config.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;

json report_of(const json& tasks, const json& limits = json::object()) {
  const json document = {{"version", 1},
                         {"processors", {{{"name", "cpu"}, {"guard_seconds", 0.1}}}},
                         {"engine", {{"backend", "simulated"}}},
                         {"limits", limits},
                         {"tasks", tasks}};
  auto loaded = config::parse_config(document.dump(), "box", SACCADE_SOURCE_DIR "/tests/support/profiles");
  EXPECT_TRUE(loaded.ok()) << to_string(loaded.errors());
  runtime::RunConfig run = loaded.value().run;
  config::FleetSettings fleet;
  fleet.name = "t";
  fleet.box = "a";
  return json::parse(box_report(fleet, run, "1", "").value().text);
}

json task(const std::string& id, double fps) {
  return {{"id", id},
          {"profiles", "powered.json"},
          {"fps", fps},
          {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}};
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

TEST(FleetBoxReport, ABoxThatItsOwnTasksFillOffersNextToNothingAndStays) {
  const json full = report_of(json::array({task("gate", 10000)}));
  const double capacity = full.at("processors")[0].at("capacity");
  EXPECT_GT(capacity, 0.1);  // the guard
  EXPECT_LT(capacity, 0.15);
}

}  // namespace
}  // namespace saccade::service
