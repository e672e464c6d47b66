// Changes of a fleet's configuration as a whole, one transaction against what was read; and orders for one
// camera.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "service/fleet/fleet_application.hpp"
#include "tests/service/fleet/planner_on_a_store.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = FleetOutcome::Kind;

class FleetApply : public PlannerOnAStore {
 protected:
  [[nodiscard]] json named(const std::string& id, double fps = 5) const {
    json one = camera(fps);
    one["id"] = id;
    one["network"] = network_;
    return one;
  }
  [[nodiscard]] static FleetChange all(const json& document, bool dry = false) {
    FleetChange change{FleetKind::all, "", document.dump()};
    change.dry_run = dry;
    return change;
  }
  [[nodiscard]] static json shown(const FleetOutcome& outcome) {
    return json::parse(outcome.show(outcome.revision));
  }
  [[nodiscard]] std::int64_t revision() { return store_.history().entries().at(keys_.configured()).changed; }
};

TEST_F(FleetApply, IsOneTransaction) {
  const std::int64_t before = store_.history().revision();
  const json file = {{"cameras", {named("gate"), named("yard")}},
                     {"boxes", {{{"id", "a"}, {"kind", "post"}, {"reserve", 0.1}}}},
                     {"policy", {{"moving_cost", 0.1}}},
                     {"kinds", json::object()}};
  const FleetOutcome applied = change(all(file));
  ASSERT_EQ(applied.kind, Kind::accepted);
  const auto& entries = store_.history().entries();
  for (const std::string& key :
       {keys_.camera("gate"), keys_.camera("yard"), keys_.box("a"), keys_.policy(), keys_.configured()}) {
    EXPECT_EQ(entries.at(key).changed, applied.revision) << key;
  }
  EXPECT_GT(applied.revision, before);
  EXPECT_EQ(json::parse(entries.at(keys_.box("a")).value),
            (json{{"format", 1}, {"id", "a"}, {"reserve", 0.1}}));
  EXPECT_EQ(shown(applied).at("documents").size(), 4U);
  pass(seconds(2));
  EXPECT_EQ(assigned().size(), 2U);
  const FleetOutcome again = change(all(file));
  EXPECT_EQ(again.kind, Kind::accepted);
  EXPECT_EQ(shown(again).at("same"), 4);
  EXPECT_TRUE(shown(again).at("documents").empty());
  EXPECT_EQ(revision(), applied.revision);  // nothing was written
}

TEST_F(FleetApply, AllMistakesAreFoundAtOnceAndNothingIsWritten) {
  json wrong = named("gate");
  wrong["fps"] = -1;
  json pinned = named("yard");
  pinned["where"] = {{"boxes", {"nowhere"}}};
  const FleetOutcome refused = change(all({{"cameras", {wrong, named("fine"), wrong, 3}},
                                           {"boxes", {{{"id", "a"}, {"sate", "draining"}}}},
                                           {"polcy", json::object()}}));
  EXPECT_EQ(refused.kind, Kind::invalid);
  std::string where;
  for (const Error& error : refused.errors) where += error.where + "\n";
  EXPECT_EQ(where, "#/cameras/2/id\n#/cameras/3\n#/polcy\n#/boxes/0/sate\n#/cameras/0/fps\n") << where;
  const FleetOutcome later = change(all({{"cameras", {wrong, named("fine"), pinned}}}));
  ASSERT_EQ(later.kind, Kind::invalid);
  EXPECT_EQ(later.errors[0].where.substr(0, 14), "#/cameras/0/fp");
  const FleetOutcome last = change(all({{"cameras", {named("fine"), pinned}}}));
  ASSERT_EQ(last.kind, Kind::invalid);
  EXPECT_EQ(last.errors[0].where.substr(0, 17), "#/cameras/1/where");
  EXPECT_FALSE(store_.history().entries().contains(keys_.camera("fine")));
  for (const char* text : {"", "[]", "{", R"({"cameras": {}})", R"({"cameras": [], "cameras": []})"}) {
    EXPECT_EQ(change({FleetKind::all, "", text}).kind, Kind::invalid) << text;
  }
}

TEST_F(FleetApply, AChangeBySomebodyElseIsAConflict) {
  ASSERT_EQ(change(all({{"cameras", {named("gate")}}})).kind, Kind::accepted);
  pass(seconds(1));
  FleetChange next = all({{"cameras", {named("yard")}}});
  next.only_if = "\"" + std::to_string(revision()) + "\"";
  ASSERT_EQ(change(put_change("dock", camera())).kind, Kind::accepted);  // another operator
  pass(seconds(1));
  EXPECT_EQ(change(next).kind, Kind::stale);
  EXPECT_FALSE(store_.history().entries().contains(keys_.camera("yard")));
  // One that this planner has not heard of yet, at a document that it changes.
  operator_.submit(++number_, fleet_store::request::Commit{{}, {{keys_.camera("gate"), "{}"}}, {}});
  FleetChange late = all({{"cameras", {named("gate", 7), named("yard")}}});
  EXPECT_EQ(change(late).kind, Kind::stale);
  EXPECT_FALSE(store_.history().entries().contains(keys_.camera("yard")));
  pass(seconds(1));
  EXPECT_EQ(change(late).kind, Kind::accepted);
}

TEST_F(FleetApply, MoreThanAStoreTakesInOneIsAChainThatNobodyComesBetween) {
  json cameras = json::array();
  for (int i = 0; i < 150; ++i) cameras.push_back(named("c" + std::to_string(i), 0));
  FleetChange many = all({{"cameras", cameras}});
  const auto application = application_of(*many.text, {}, keys_);
  ASSERT_TRUE(application.ok());
  EXPECT_EQ(transactions_of(application.value(), {}, keys_).size(), 3U);
  ASSERT_EQ(change(many).kind, Kind::accepted);
  EXPECT_TRUE(store_.history().entries().contains(keys_.camera("c149")));
  for (json& each : cameras) each["fps"] = 1;
  std::optional<FleetOutcome> outcome;
  pass(seconds(1));
  desk_->change(
      all({{"cameras", cameras}}), [&](FleetOutcome done) { outcome = std::move(done); }, now_);
  pass(milliseconds(20));  // the first has reached the store
  operator_.submit(++number_, fleet_store::request::Commit{{}, {{keys_.configured(), "{}"}}, {}});
  pass(seconds(1));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->kind, Kind::stale);
  EXPECT_GT(outcome->written, 0U);
  EXPECT_LT(outcome->written, 150U);
}

TEST_F(FleetApply, ADryRunSaysWhatWouldMoveAndWritesNothing) {
  ASSERT_EQ(change(all({{"cameras", {named("gate"), named("yard")}}})).kind, Kind::accepted);
  pass(seconds(3));
  const std::string from = assigned().at("gate");
  const std::int64_t before = store_.history().revision();
  const json drained = {{"boxes", {{{"id", from}, {"state", "draining"}}}}, {"cameras", {named("dock")}}};
  const FleetOutcome tried = change(all(drained, true));
  ASSERT_EQ(tried.kind, Kind::accepted);
  EXPECT_EQ(tried.revision, revision());
  const json preview = shown(tried);
  EXPECT_EQ(preview.at("documents").size(), 2U);
  EXPECT_EQ(preview.at("before").at("cameras"), 2);
  EXPECT_EQ(preview.at("before").at("served"), 2);
  EXPECT_EQ(preview.at("after").at("cameras"), 3);
  EXPECT_EQ(preview.at("after").at("served"), 3);
  EXPECT_GE(preview.at("before").at("bound").get<double>(),
            preview.at("before").at("value").get<double>() - 1e-9);
  EXPECT_GT(preview.at("before").at("relative_accuracy").get<double>(), 0.0);
  std::map<std::string, json> moved;
  for (const json& each : preview.at("moved")) moved[each.at("camera")] = each;
  const std::string to = from == "a" ? "b" : "a";
  EXPECT_EQ(moved.at("gate").at("from"), from);
  EXPECT_EQ(moved.at("gate").at("to"), to);
  EXPECT_EQ(moved.at("dock").at("from"), nullptr);
  EXPECT_EQ(moved.at("dock").at("to"), to);
  EXPECT_EQ(store_.history().revision(), before);
  EXPECT_FALSE(store_.history().entries().contains(keys_.box(from)));
}

TEST_F(FleetApply, ThePolicyIsPatchedAndCompared) {
  FleetChange patch{FleetKind::policy, "", R"({"survive": "require"})"};
  patch.patch = true;
  ASSERT_EQ(change(patch).kind, Kind::accepted);
  pass(seconds(1));
  patch.text = R"({"moving_cost": 0.2, "survive": null})";
  ASSERT_EQ(change(patch).kind, Kind::accepted);
  pass(seconds(1));
  EXPECT_EQ(json::parse(store_.history().entries().at(keys_.policy()).value),
            (json{{"format", 1}, {"moving_cost", 0.2}}));
  const FleetShown shown = desk_->picture("", now_).policy;
  EXPECT_EQ(json::parse(shown.text).at("moving_cost"), 0.2);
  EXPECT_EQ(json::parse(shown.text).at("survive"), "report");
  patch.text = R"({"objective": "fastest"})";
  const FleetOutcome refused = change(patch);
  ASSERT_EQ(refused.kind, Kind::invalid);
  EXPECT_EQ(refused.errors[0].where, "#/objective");
  patch.text = R"({"moving_cost": 0.3})";
  patch.only_if = "\"1\"";
  EXPECT_EQ(change(patch).kind, Kind::stale);
  patch.only_if = shown.etag;
  EXPECT_EQ(change(patch).kind, Kind::accepted);
  pass(seconds(1));
  EXPECT_EQ(change({FleetKind::policy, "", std::nullopt}).kind, Kind::accepted);
}

TEST_F(FleetApply, AnOrderedMoveLastsUntilItIsTakenBack) {
  put_camera("gate");
  const std::string from = assigned().at("gate");
  const std::string to = from == "a" ? "b" : "a";
  EXPECT_EQ(change({FleetKind::pin, "gate", R"({"box": "nowhere"})"}).kind, Kind::invalid);
  EXPECT_EQ(change({FleetKind::pin, "nowhere", R"({"box": "a"})"}).kind, Kind::invalid);
  EXPECT_EQ(change({FleetKind::pin, "gate", R"({"bix": "a"})"}).kind, Kind::invalid);
  EXPECT_EQ(change({FleetKind::pin, "gate", R"({"box": "a", "seconds": -1})"}).kind, Kind::invalid);
  ASSERT_EQ(change({FleetKind::pin, "gate", json{{"box", to}}.dump()}).kind, Kind::accepted);
  pass(seconds(3));
  const auto taken = fleet_store::read_assign(store_.history().entries().at(keys_.assign(to)).value).value();
  ASSERT_EQ(taken.cameras.size(), 1U);
  EXPECT_EQ(taken.cameras[0].role, fleet::Role::take_over);
  EXPECT_EQ(taken.cameras[0].cause, fleet::Cause::order);
  EXPECT_EQ(json::parse(desk_->picture("", now_).cameras).at("cameras")[0].at("pinned_to"), to);
  EXPECT_EQ(change({FleetKind::pin, "gate", std::nullopt}).kind, Kind::accepted);
  pass(seconds(1));
  EXPECT_EQ(json::parse(desk_->picture("", now_).cameras).at("cameras")[0].at("pinned_to"), nullptr);
}

TEST_F(FleetApply, AnOrderedMoveForATimeEndsByTheStoresClock) {
  put_camera("gate");
  const std::string to = assigned().at("gate") == "a" ? "b" : "a";
  ASSERT_EQ(change({FleetKind::pin, "gate", json{{"box", to}, {"seconds", 30}}.dump()}).kind, Kind::accepted);
  pass(seconds(20));
  EXPECT_TRUE(store_.history().entries().contains(keys_.pin("gate")));
  pass(seconds(15));
  EXPECT_FALSE(store_.history().entries().contains(keys_.pin("gate")));
  EXPECT_EQ(json::parse(desk_->picture("", now_).cameras).at("cameras")[0].at("pinned_to"), nullptr);
}

TEST_F(FleetApply, MovesAndEventsSayWhatHappenedAndWhy) {
  EXPECT_TRUE(desk_->look(now_, 100.0).empty());
  put_camera("gate");
  const std::string from = assigned().at("gate");
  std::vector<FleetEvent> events = desk_->look(now_, 200.0);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, "move");
  EXPECT_EQ(json::parse(events[0].json), (json{{"at", 200.0},
                                               {"camera", "gate"},
                                               {"from", nullptr},
                                               {"to", from},
                                               {"reason", "placed"},
                                               {"result", "done"}}));
  EXPECT_EQ(json::parse(desk_->picture("", now_).cameras).at("cameras")[0].at("since"), 200.0);
  ASSERT_EQ(change({FleetKind::box, from, R"({"state": "draining"})"}).kind, Kind::accepted);
  pass(seconds(3));
  events = desk_->look(now_, 300.0);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(json::parse(events[0].json).at("reason"), "drain");
  EXPECT_EQ(json::parse(events[0].json).at("result"), "begun");
  pass(seconds(20));  // nobody serves it: it stays
  events = desk_->look(now_, 400.0);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(json::parse(events[0].json).at("result"), "withdrawn");
  store_.lose_majority();
  pass(seconds(10));
  bool away = false;
  for (const FleetEvent& event : desk_->look(now_, 500.0)) away = away || event.kind == "store";
  EXPECT_TRUE(away);
  EXPECT_EQ(json::parse(desk_->picture("", now_).moves).at("moves").size(), 3U);
}

}  // namespace
}  // namespace saccade::service
