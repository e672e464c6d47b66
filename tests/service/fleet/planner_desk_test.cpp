// A planner on a simulated store: documents of operators and reports of boxes become assignments, and a
// document that cannot be read takes nothing else with it.
#include "service/fleet/planner_desk.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "fleet_store/documents.hpp"
#include "fleet_store/simulated_store.hpp"
#include "service/fleet/box_report.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::service {
namespace {

using fleet_store::SimulatedStore;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

json camera(double fps = 5) {
  return {{"format", 1},
          {"network", "tinynet-shapes"},
          {"fps", fps},
          {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}};
}

class FleetPlannerDesk : public testing::Test {
 protected:
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
      for (fleet_store::Numbered& request : desk_->take_requests()) {
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

TEST_F(FleetPlannerDesk, CamerasThatArePutAreAssignedWithTheirWholeDocument) {
  EXPECT_TRUE(desk_->leading());
  put_camera("gate");
  json pinned = camera();
  pinned["where"] = {{"boxes", {"b"}}};
  put_camera("yard", pinned);
  EXPECT_EQ(assigned().size(), 2U);
  EXPECT_EQ(assigned().at("yard"), "b");
  EXPECT_EQ(json::parse(tasks_.at("gate")).at("fps"), 5);
  const json shown = json::parse(desk_->picture("", now_).cameras);
  EXPECT_EQ(shown.at("cameras").size(), 2U);
  EXPECT_EQ(shown.at("cameras")[0].at("status"), "starting");
  EXPECT_EQ(status().at("boxes").at("alive"), 2);
}

TEST_F(FleetPlannerDesk, ADocumentThatCannotBeReadTakesNothingWithIt) {
  put_camera("gate");
  put_camera("yard");
  put(keys_.camera("gate"), "{");
  put(keys_.camera("bad"), R"({"format": 2})");
  json worse = camera();
  worse["fsp"] = 3;
  put_camera("worse", worse);
  json later = camera(7);
  put_camera("later", later);
  const auto after = assigned();
  EXPECT_EQ(after.size(), 3U);
  EXPECT_TRUE(after.contains("gate"));  // as it was before
  EXPECT_TRUE(after.contains("later"));
  EXPECT_EQ(status().at("complaints").size(), 3U);
  put_camera("gate", camera(9));
  (void)assigned();
  EXPECT_EQ(json::parse(tasks_.at("gate")).at("fps"), 9);
  put(keys_.policy(), R"({"objective": "fastest"})");
  put(keys_.report("a"), "[]");
  put_camera("last");
  EXPECT_TRUE(assigned().contains("last"));
}

TEST_F(FleetPlannerDesk, ChangesAreCheckedAndCompared) {
  EXPECT_EQ(change(put_change("gate", camera())).kind, FleetOutcome::Kind::accepted);
  pass(seconds(1));
  EXPECT_TRUE(assigned().contains("gate"));
  json wrong = camera();
  wrong["fps"] = -1;
  wrong["where"] = {{"boxes", {"nowhere"}}};
  const FleetOutcome refused = change(put_change("yard", wrong));
  EXPECT_EQ(refused.kind, FleetOutcome::Kind::invalid);
  ASSERT_FALSE(refused.errors.empty());
  EXPECT_EQ(refused.errors[0].where.substr(0, 2), "#/");
  for (const char* text : {"", "[]", "{", R"({"id": "other"})", R"({"id": "yard", "id": "yard"})"}) {
    EXPECT_EQ(change({FleetKind::camera, "yard", text, {}}).kind, FleetOutcome::Kind::invalid) << text;
  }
  EXPECT_EQ(change({FleetKind::box, "a", R"({"sate": "draining"})", {}}).kind, FleetOutcome::Kind::invalid);
  EXPECT_EQ(change({FleetKind::camera, "no id!", put_change("x", camera()).text, {}}).kind,
            FleetOutcome::Kind::invalid);
  FleetChange fresh = put_change("gate", camera(6));
  fresh.only_if = "";  // there is to be none
  EXPECT_EQ(change(fresh).kind, FleetOutcome::Kind::stale);
  fresh.only_if = desk_->picture("", now_).camera.at("gate").etag;
  EXPECT_EQ(change(fresh).kind, FleetOutcome::Kind::accepted);
  EXPECT_EQ(change(fresh).kind, FleetOutcome::Kind::stale);
  EXPECT_EQ(change({FleetKind::camera, "gate", {}, {}}).kind, FleetOutcome::Kind::accepted);
  pass(seconds(2));
  EXPECT_TRUE(assigned().empty());
}

TEST_F(FleetPlannerDesk, ADrainedBoxLosesItsCameras) {
  json pinned = camera();
  put_camera("gate", pinned);
  const std::string from = assigned().at("gate");
  const std::string to = from == "a" ? "b" : "a";
  EXPECT_EQ(change({FleetKind::box, from, R"({"state": "draining"})", {}}).kind,
            FleetOutcome::Kind::accepted);
  pass(seconds(3));
  const auto& entries = store_.history().entries();
  const auto taken = fleet_store::read_assign(entries.at(keys_.assign(to)).value).value();
  ASSERT_EQ(taken.cameras.size(), 1U);
  EXPECT_EQ(taken.cameras[0].role, fleet::Role::take_over);
  fleet::StateDocument state{entries.at(keys_.assign(to)).changed, {}};
  state.cameras.push_back({TaskId("gate"), taken.cameras[0].epoch, fleet::CameraStatus::serving, ""});
  put(keys_.state(to), fleet_store::to_text(state));
  pass(seconds(2));
  EXPECT_EQ(assigned().at("gate"), to);
  EXPECT_TRUE(fleet_store::read_assign(store_.history().entries().at(keys_.assign(from)).value)
                  .value()
                  .cameras.empty());
}

TEST_F(FleetPlannerDesk, ASilentBoxIsAskedWhereItSaidSo) {
  put_camera("gate");
  operator_.submit(++number_, fleet_store::request::Commit{{}, {}, {keys_.alive("a")}});
  std::vector<Probe> probes;
  for (int i = 0; i < 40 && probes.empty(); ++i) {
    pass(milliseconds(500));
    probes = desk_->take_probes();
  }
  ASSERT_FALSE(probes.empty());
  EXPECT_EQ(probes[0].box, fleet::BoxId("a"));
  EXPECT_EQ(probes[0].url, "http://10.0.0.1/livez");
}

TEST_F(FleetPlannerDesk, WithoutTheStoreChangesAreRefusedAndItSaysSo) {
  store_.lose_majority();
  pass(seconds(10));
  EXPECT_EQ(change(put_change("gate", camera())).kind, FleetOutcome::Kind::unavailable);
  EXPECT_FALSE(desk_->picture("", now_).connected);
}

}  // namespace
}  // namespace saccade::service
