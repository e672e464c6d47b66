// A planner's desk on a simulated store, with two boxes that have reported.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "fleet_store/documents.hpp"
#include "fleet_store/simulated_store.hpp"
#include "service/fleet/box_report.hpp"
#include "service/fleet/planner_desk.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::service {

inline nlohmann::json camera(double fps = 5) {
  return {{"format", 1},
          {"network", "tinynet-shapes"},
          {"fps", fps},
          {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}};
}

class PlannerOnAStore : public testing::Test {
 protected:
  using json = nlohmann::json;
  using SimulatedStore = fleet_store::SimulatedStore;
  using milliseconds = std::chrono::milliseconds;
  using seconds = std::chrono::seconds;

  void SetUp() override {
    config::FleetSettings fleet;
    fleet.name = "t";
    fleet.labels = {{"site", "north"}};
    const std::string file = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/shapes.json";
    const json document = {{"version", 1},
                           {"processors", {{{"name", "cpu"}}}},
                           {"engine", {{"backend", "simulated"}}},
                           {"tasks",
                            {{{"id", "own"},
                              {"profiles", file},
                              {"fps", 1},
                              {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}}}}};
    const auto loaded = config::parse_config(document.dump(), "box", "/");
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.errors());
    network_ = loaded.value().run.timeline.front().snapshot.tasks.front().profiles->network;
    fleet.networks[network_] = file;
    for (const char* box : {"a", "b"}) {
      fleet.box = box;
      const auto report = box_report(fleet, loaded.value().run, "1", "http://10.0.0.1/livez");
      ASSERT_TRUE(report.ok());
      put(keys_.report(box), report.value().text);
      for (const auto& [digest, text] : report.value().profiles) put(keys_.profiles(digest), text);
      put(keys_.alive(box), "here");
    }
    start();
    pass(seconds(2));
  }
  void start() {
    fleet_store::PlannerLinkSettings settings;
    settings.fleet = "t";
    settings.planner = "p";
    desk_ = std::make_unique<PlannerDesk>(settings, folder_.path());
  }
  void pass(Duration time) {
    for (const TimePoint until = now_ + time; now_ < until; now_ += milliseconds(20)) {
      store_.run_until(now_);
      for (const fleet_store::Event& event : client_.take()) desk_->on(event, now_);
      desk_->step(now_);
      for (fleet_store::Numbered& request : desk_->take_requests(now_)) {
        client_.submit(request.number, std::move(request.request));
      }
    }
  }
  void put(const std::string& key, const std::string& value) {
    operator_.submit(++number_, fleet_store::request::Commit{{}, {{key, value}}, {}});
    store_.run_until(now_ += milliseconds(50));
    (void)operator_.take();
  }
  void put_camera(const std::string& id, json document = camera()) {
    document["network"] = network_;
    put(keys_.camera(id), document.dump());
    pass(seconds(2));
  }
  FleetOutcome change(const FleetChange& change) {
    std::optional<FleetOutcome> outcome;
    desk_->change(
        change, [&](FleetOutcome done) { outcome = std::move(done); }, now_);
    pass(milliseconds(200));
    EXPECT_TRUE(outcome);
    return outcome.value_or(FleetOutcome{FleetOutcome::Kind::unknown});
  }
  FleetChange put_change(const std::string& id, const json& document) {
    json named = document;
    named["network"] = network_;
    return {FleetKind::camera, id, named.dump(), {}};
  }
  // By camera: its box.
  std::map<std::string, std::string> assigned() {
    std::map<std::string, std::string> found;
    for (const char* box : {"a", "b"}) {
      const auto& entries = store_.history().entries();
      const auto entry = entries.find(keys_.assign(box));
      if (entry == entries.end()) continue;
      const fleet::AssignDocument document = fleet_store::read_assign(entry->second.value).value();
      for (const fleet::AssignedCamera& each : document.cameras) {
        found[each.id.str()] = box;
        tasks_[each.id.str()] = each.task;
      }
    }
    return found;
  }
  json status() { return json::parse(desk_->picture("", now_).status); }

  test::TemporaryFolder folder_;
  SimulatedStore store_{[] { return milliseconds(2); }};
  SimulatedStore::Client& operator_ = store_.open();
  SimulatedStore::Client& client_ = store_.open();
  const fleet_store::Keys keys_{"t"};
  std::unique_ptr<PlannerDesk> desk_;
  TimePoint now_{};
  std::uint64_t number_ = 0;
  std::string network_;
  std::map<std::string, std::string> tasks_;
};

}  // namespace saccade::service
