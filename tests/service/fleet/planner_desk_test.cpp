// A planner on a simulated store: documents of operators and reports of boxes become assignments, and a
// document that cannot be read takes nothing else with it.
#include "service/fleet/planner_desk.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fleet_store/documents.hpp"
#include "tests/service/fleet/planner_on_a_store.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

using FleetPlannerDesk = PlannerOnAStore;

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

TEST_F(FleetPlannerDesk, ACameraWithStandbyIsShownWithTheBoxThatStandsBy) {
  json asks = camera(1);
  asks["where"] = {{"standby", true}};
  put_camera("gate", asks);
  put_camera("yard", camera(1));
  pass(seconds(65));
  const std::string home = assigned().at("gate");
  const std::string other = home == "a" ? "b" : "a";
  const auto shown = [&] { return json::parse(desk_->picture("", now_).cameras).at("cameras"); };
  EXPECT_EQ(shown()[0].at("standby"), (json{{"box", other}, {"ready", false}}));
  EXPECT_EQ(shown()[1].at("standby"), nullptr);
  EXPECT_EQ(status().at("standby"), (json{{"waiting", 1}}));
  const fleet::StateDocument ready{1, {}, {TaskId("gate")}};
  put(keys_.state(other), fleet_store::to_text(ready));
  pass(seconds(1));
  EXPECT_EQ(shown()[0].at("standby"), (json{{"box", other}, {"ready", true}}));
  EXPECT_EQ(status().at("standby"), (json{{"ready", 1}}));
  const json boxes = json::parse(desk_->picture("", now_).boxes).at("boxes");
  EXPECT_EQ(boxes[other == "a" ? 0 : 1].at("standby"), 1);
  EXPECT_EQ(boxes[other == "a" ? 0 : 1].at("ready"), 1);
  const std::string metrics = desk_->picture("", now_).metrics;
  EXPECT_NE(metrics.find("saccade_fleet_standby_cameras{state=\"ready\"} 1"), std::string::npos) << metrics;
}

TEST_F(FleetPlannerDesk, ABoxGetsWhatItSaysThatItUnderstands) {
  json fast = camera();
  fast["max_latency_seconds"] = 10.0;
  for (const char* box : {"a", "b"}) {
    json report = json::parse(store_.history().entries().at(keys_.report(box)).value);
    report["features"] =
        box == std::string("a") ? json::array() : json{"max_latency_seconds", "of-a-later-version"};
    put(keys_.report(box), report.dump());
  }
  for (const char* id : {"gate", "lane", "yard"}) put_camera(id, fast);
  EXPECT_EQ(assigned(), (std::map<std::string, std::string>{{"gate", "b"}, {"lane", "b"}, {"yard", "b"}}));
  for (const char* id : {"door", "hall", "roof", "shed"}) put_camera(id);
  EXPECT_EQ(assigned().size(), 7U);
  json report = json::parse(store_.history().entries().at(keys_.report("b")).value);
  report.erase("features");  // of a version that does not say
  put(keys_.report("b"), report.dump());
  put_camera("later", fast);
  EXPECT_EQ(assigned().at("later"), "b");
}

// A later version may write what this one cannot read: the box stays in the fleet.
TEST_F(FleetPlannerDesk, FeaturesThatAreNoWordsAreIgnored) {
  json report = json::parse(store_.history().entries().at(keys_.report("a")).value);
  report["features"] = {"max_latency_seconds", {{"of", "a later version"}}, "not a word: this", 7};
  put(keys_.report("a"), report.dump());
  pass(seconds(2));
  EXPECT_EQ(status().at("boxes").at("alive"), 2);
  json fast = camera();
  fast["max_latency_seconds"] = 10.0;
  fast["where"] = {{"boxes", {"a"}}};
  put_camera("gate", fast);
  EXPECT_EQ(assigned().at("gate"), "a");
}

TEST_F(FleetPlannerDesk, CountsTheSecondsThatCamerasAreNotServed) {
  const auto unserved = [&] {
    const std::string metrics = desk_->picture("", now_).metrics;
    const std::string name = "\nsaccade_fleet_unserved_seconds_total ";
    const std::size_t at = metrics.find(name);
    return at == std::string::npos ? -1.0 : std::stod(metrics.substr(at + name.size()));
  };
  put_camera("gate");
  EXPECT_EQ(unserved(), 0.0);
  pass(seconds(3));  // it is assigned, and starting
  EXPECT_NEAR(unserved(), 3.0, 1e-6);
  const std::string home = assigned().at("gate");
  const auto read = fleet_store::read_assign(store_.history().entries().at(keys_.assign(home)).value);
  const fleet::StateDocument serves{
      1, {{TaskId("gate"), read.value().cameras.at(0).epoch, fleet::CameraStatus::serving, ""}}};
  put(keys_.state(home), fleet_store::to_text(serves));
  pass(milliseconds(100));
  const double before = unserved();
  pass(seconds(5));
  EXPECT_EQ(unserved(), before);
}

TEST_F(FleetPlannerDesk, RequestsToTheStoreAreTimedAndAWatchIsNone) {
  // Of requests that have been answered: how many, and their sum.
  const auto requests = [&] {
    const std::string metrics = desk_->picture("", now_).metrics;
    const auto value = [&](const std::string& name) {
      const std::size_t at = metrics.find("\nsaccade_fleet_store_request_seconds_" + name + " ");
      EXPECT_NE(at, std::string::npos) << metrics;
      return std::stod(metrics.substr(metrics.find(' ', at + 1)));
    };
    EXPECT_EQ(value("bucket{le=\"+Inf\"}"), value("count"));
    return std::pair(value("count"), value("sum"));
  };
  const auto [count, sum] = requests();
  EXPECT_GE(count, 3.0);           // a lease, a claim, a list
  EXPECT_LE(sum, count * 0.0401);  // 2 ms each way, looked for every 20 ms
  store_.lose_majority();
  pass(seconds(10));
  const auto [later, more] = requests();
  EXPECT_GT(later, count);
  EXPECT_GE(more - sum, 2.0);  // one that failed took as long as it may
}

TEST_F(FleetPlannerDesk, ThePolicyGivesBoxesTheirLease) {
  put_camera("gate");
  put(keys_.policy(), R"({"format": 1, "lease_seconds": 30})");
  pass(seconds(2));
  const std::string home = assigned().at("gate");
  const auto read = fleet_store::read_assign(store_.history().entries().at(keys_.assign(home)).value);
  EXPECT_EQ(read.value().lease, seconds(30));
  EXPECT_EQ(json::parse(desk_->picture("", now_).policy.text).at("lease_seconds"), 30.0);
}

TEST_F(FleetPlannerDesk, ABoxWithoutAProcessorOfTheKindOrTheMemoryGetsNoCamera) {
  json report = json::parse(store_.history().entries().at(keys_.report("b")).value);
  report["processors"] = {{{"name", "one"}, {"kind", "card"}, {"capacity", 1.0}, {"guard_seconds", 0.05}}};
  put(keys_.report("b"), report.dump());
  json pinned = camera(1);
  pinned["where"] = {{"boxes", {"b"}}};
  put_camera("gate", pinned);
  put_camera("yard", camera(1));
  EXPECT_EQ(assigned(), (std::map<std::string, std::string>{{"yard", "a"}}));  // measured on `cpu`
  report["processors"][0]["kind"] = "cpu";
  report["limits"]["memory_bytes"] = 1000.0;
  put(keys_.report("b"), report.dump());
  pass(seconds(2));
  EXPECT_FALSE(assigned().contains("gate"));
  report["limits"]["memory_bytes"] = 1e9;
  report["processors"][0]["context_memory_bytes"] = 1e9 - 1000.0;  // leaves as little
  put(keys_.report("b"), report.dump());
  pass(seconds(2));
  EXPECT_FALSE(assigned().contains("gate"));
  report["processors"][0]["context_memory_bytes"] = 1e6;
  put(keys_.report("b"), report.dump());
  pass(seconds(2));
  EXPECT_EQ(assigned().at("gate"), "b");
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

TEST_F(FleetPlannerDesk, WhateverCannotBeReadLeavesInForceWhatWasReadBefore) {
  put_camera("gate");
  put(keys_.box("b"), R"({"format": 1, "state": "cordoned", "labels": {"site": "south"}})");
  put(keys_.policy(), R"({"format": 1, "survive": "require"})");
  pass(seconds(2));
  const auto before = assigned();
  const std::string deep = "{\"x\": " + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  for (const std::string& bad : {std::string("{"), deep, std::string(R"({"format": 2})")}) {
    for (const std::string& key : {keys_.box("b"), keys_.policy(), keys_.report("a"), keys_.report("b")})
      put(key, bad);
    put(keys_.camera("\xff\xfe"), R"({"network": "x"})");
    put(keys_.pin("gate"), bad);
    pass(seconds(3));
    EXPECT_EQ(assigned(), before);
    EXPECT_EQ(status().at("complaints").size(), 6U) << status().at("complaints").dump(1);
    const json shown = json::parse(desk_->picture("", now_).boxes).at("boxes");
    ASSERT_EQ(shown.size(), 2U);
    EXPECT_EQ(shown[1].at("state"), "cordoned");
    EXPECT_EQ(shown[1].at("labels").at("site"), "south");
    EXPECT_EQ(json::parse(desk_->picture("", now_).policy.text).at("survive"), "require");
  }
  put(keys_.box("b"), R"({"format": 1})");  // and what can be read again is
  pass(seconds(2));
  EXPECT_EQ(json::parse(desk_->picture("", now_).boxes).at("boxes")[1].at("state"), "active");
  EXPECT_EQ(status().at("complaints").size(), 5U);
}

TEST_F(FleetPlannerDesk, ABoxWithNothingButABadProfileSetTakesNoOtherWithIt) {
  put_camera("gate");
  const std::string bad = R"({"network": "x"})";
  put(keys_.profiles(digest_of(bad)), bad);
  put(keys_.report("c"),
      R"({"format": 1, "processors": [{"name": "cpu"}], "networks": {"x": ")" + digest_of(bad) + R"("}})");
  put_camera("yard");
  EXPECT_EQ(assigned().size(), 2U);
  EXPECT_EQ(json::parse(desk_->picture("", now_).boxes).at("boxes").size(), 3U);
  EXPECT_EQ(status().at("complaints").size(), 1U) << status().at("complaints").dump(1);
}

// As folders for temporary files are tidied up: of a planner that has run for weeks.
TEST_F(FleetPlannerDesk, ProfileSetsAreLaidAgainIfTheirFilesAreGone) {
  put_camera("gate");
  for (const auto& each : std::filesystem::directory_iterator(folder_.path())) {
    std::ofstream(each.path()) << "{";
  }
  put_camera("yard");
  EXPECT_EQ(assigned().size(), 2U);
  std::filesystem::remove_all(folder_.path());
  put_camera("dock");
  EXPECT_EQ(assigned().size(), 3U);
  EXPECT_TRUE(status().at("complaints").empty()) << status().at("complaints").dump(1);
}

TEST_F(FleetPlannerDesk, WhyAProfileSetCannotBeLaidIsSaid) {
  std::filesystem::remove_all(folder_.path());
  std::ofstream(folder_.path()) << "no folder";
  put_camera("gate");
  const std::string complaints = status().at("complaints").dump();
  EXPECT_NE(complaints.find(folder_.path().string()), std::string::npos) << complaints;
  std::filesystem::remove(folder_.path());
  put_camera("yard");
  EXPECT_EQ(assigned().size(), 2U);
  EXPECT_TRUE(status().at("complaints").empty()) << status().at("complaints").dump(1);
}

TEST_F(FleetPlannerDesk, AProfileSetThatIsNotWhatItsNameSaysIsRefused) {
  const json report = json::parse(store_.history().entries().at(keys_.report("a")).value);
  const std::string digest = report.at("networks").begin().value().get<std::string>();
  const std::string text = store_.history().entries().at(keys_.profiles(digest)).value;
  const std::string other = digest_of(text + " ");
  put(keys_.profiles(other), text);
  json claims = report;
  claims["networks"].begin().value() = other;
  put(keys_.report("c"), claims.dump());
  put(keys_.alive("c"), "here");
  json pinned = camera();
  pinned["where"] = {{"boxes", {"c"}}};
  put_camera("gate", pinned);
  put_camera("yard");
  EXPECT_TRUE(assigned().contains("yard"));
  EXPECT_FALSE(assigned().contains("gate"));
  const std::string complaints = status().at("complaints").dump();
  EXPECT_NE(complaints.find("is not what its name says"), std::string::npos) << complaints;
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
  const std::string metrics = desk_->picture("", now_).metrics;
  EXPECT_NE(metrics.find("saccade_fleet_move_seconds_bucket{le=\"2.5\"} 0.0\n"), std::string::npos)
      << metrics;
  EXPECT_NE(metrics.find("saccade_fleet_move_seconds_bucket{le=\"5.0\"} 1.0\n"), std::string::npos)
      << metrics;
  EXPECT_NE(metrics.find("saccade_fleet_failover_seconds_count 0.0\n"), std::string::npos) << metrics;
}

TEST_F(FleetPlannerDesk, WhereClientsReachABoxIsShownAndToldToTheBoxThatHadACamera) {
  const auto apis = [&] {
    std::map<std::string, json> found;
    const json shown = json::parse(desk_->picture("", now_).boxes);
    for (const json& box : shown.at("boxes")) found[box.at("id")] = box.at("api");
    return found;
  };
  EXPECT_EQ(apis(), (std::map<std::string, json>{{"a", nullptr}, {"b", nullptr}}));
  for (const char* box : {"a", "b"}) {
    json report = json::parse(store_.history().entries().at(keys_.report(box)).value);
    report["api"] = std::string(box) == "a" ? "http://10.0.0.1:8080" : "not an address";
    put(keys_.report(box), report.dump());
  }
  pass(seconds(1));
  EXPECT_EQ(apis(), (std::map<std::string, json>{{"a", "http://10.0.0.1:8080"}, {"b", nullptr}}));
  json pinned = camera(1);
  pinned["where"] = {{"boxes", {"b"}}};
  put_camera("gate", pinned);
  ASSERT_EQ(assigned().at("gate"), "b");
  operator_.submit(++number_, fleet_store::request::Commit{{}, {}, {keys_.alive("b")}});
  pinned["where"] = {{"boxes", {"a", "b"}}};
  put_camera("gate", pinned);
  for (int i = 0; i < 100 && assigned().at("gate") == "b"; ++i) {
    pass(milliseconds(500));
    for (const Probe& probe : desk_->take_probes()) desk_->probed(probe.box, {}, now_);
  }
  ASSERT_EQ(assigned().at("gate"), "a");
  const auto left = fleet_store::read_assign(store_.history().entries().at(keys_.assign("b")).value).value();
  ASSERT_EQ(left.moved.size(), 1U);
  EXPECT_EQ(left.moved[0].id, TaskId("gate"));
  EXPECT_EQ(left.moved[0].box, fleet::BoxId("a"));
  EXPECT_EQ(left.moved[0].api, "http://10.0.0.1:8080");
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
