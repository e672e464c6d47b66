// The document that is wanted: what may be proposed, what is refused and where the complaint points.
#include "service/live/live_config.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace saccade::service {
namespace {

using nlohmann::json;
using std::chrono::seconds;

json task(const std::string& id, double fps) {
  return {{"id", id},
          {"profiles", "tests/support/profiles/shapes.json"},
          {"fps", fps},
          {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}};
}

json document() {
  return {{"version", 1},
          {"processors", {{{"name", "cpu"}}}},
          {"engine", {{"backend", "simulated"}}},
          {"tasks", {task("gate", 20), task("dock", 10)}}};
}

LiveConfig live(const json& wanted = document()) {
  Result<Candidate> first = read_candidate(wanted.dump(1), "", SACCADE_SOURCE_DIR);
  if (!first) ADD_FAILURE() << to_string(first.errors());
  return {std::move(first).value(), SACCADE_SOURCE_DIR};
}

const scheduler::Snapshot& base(const Candidate& candidate) {
  return candidate.loaded.run.timeline.front().snapshot;
}

std::string said(const Result<Candidate>& refused) {
  return refused.ok() ? "accepted" : to_string(refused.errors());
}

TEST(LiveConfig, APatchOfATaskChangesWhatItNamesAndNothingElse) {
  const LiveConfig config = live();
  const Result<Candidate> next =
      config.task_patched("dock", R"({"fps": 5, "min_accuracy": 0.8})", Duration(0));
  ASSERT_TRUE(next.ok()) << said(next);
  EXPECT_EQ(base(next.value()).tasks[0].demand, Fps(20.0));
  EXPECT_EQ(base(next.value()).tasks[1].demand, Fps(5.0));
  EXPECT_EQ(base(next.value()).tasks[1].min_accuracy, 0.8);
  json expected = document();
  expected["tasks"][1]["fps"] = 5;
  expected["tasks"][1]["min_accuracy"] = 0.8;
  EXPECT_EQ(json::parse(next.value().text), expected);
}

text::JsonValue fleet_task(const std::string& id) {
  text::JsonReport report("");
  json of_fleet = task(id, 3);
  of_fleet["profiles"] = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/signs.json";
  return text::parse_json(of_fleet.dump(), report).value();
}

TEST(LiveConfig, TasksOfAFleetStayWhateverChangesAndAreNoPartOfTheDocument) {
  LiveConfig config = live();
  Result<Candidate> with = config.with_fleet_tasks({fleet_task("yard")});
  ASSERT_TRUE(with.ok()) << said(with);
  config.accept(std::move(with).value());
  EXPECT_EQ(json::parse(config.text()), document());
  EXPECT_EQ(config.loaded().run.tasks.size(), 3U);
  EXPECT_FALSE(config.has_task("yard"));
  EXPECT_TRUE(config.has_fleet_task("yard"));
  json smaller = document();
  smaller["tasks"].erase(1);
  for (const Result<Candidate>& next :
       {config.replaced(smaller.dump()), config.task_patched("gate", R"({"fps": 1})", Duration(0)),
        config.patched(R"({"tasks": {"gate": {"fps": 1}}})", Duration(0))}) {
    ASSERT_TRUE(next.ok()) << said(next);
    EXPECT_EQ(base(next.value()).tasks.back().id, TaskId("yard"));
    EXPECT_EQ(next.value().fleet_tasks.size(), 1U);
  }
  EXPECT_FALSE(config.patched(R"({"tasks": {"yard": {"fps": 1}}})", Duration(0)).ok());
  EXPECT_FALSE(config.with_fleet_tasks({fleet_task("gate")}).ok());  // the document has one of this name
  Result<Candidate> without = config.with_fleet_tasks({});
  ASSERT_TRUE(without.ok());
  EXPECT_EQ(without.value().loaded.run.tasks.size(), 2U);
}

TEST(LiveConfig, NullTakesAKeyBackToItsDefault) {
  json wanted = document();
  wanted["tasks"][0]["min_accuracy"] = 0.5;
  wanted["limits"] = {{"memory_bytes", 9e7}};
  const LiveConfig config = live(wanted);
  const auto task = config.task_patched("gate", R"({"min_accuracy": null})", Duration(0));
  ASSERT_TRUE(task.ok()) << said(task);
  EXPECT_FALSE(base(task.value()).tasks[0].min_accuracy);
  const auto limits = config.limits_patched(R"({"memory_bytes": null})", Duration(0));
  ASSERT_TRUE(limits.ok()) << said(limits);
  EXPECT_FALSE(base(limits.value()).limits.memory);
}

TEST(LiveConfig, LimitsAndObjectiveChangeWhereThereWereNone) {
  const LiveConfig config = live();
  const auto limits = config.limits_patched(R"({"memory_bytes": 50000000})", Duration(0));
  ASSERT_TRUE(limits.ok()) << said(limits);
  EXPECT_EQ(base(limits.value()).limits.memory, Bytes(5e7));
  const auto objective = config.objective_put(R"("min_memory")", Duration(0));
  ASSERT_TRUE(objective.ok()) << said(objective);
  EXPECT_EQ(base(objective.value()).objective, scheduler::Objective::min_memory);
}

TEST(LiveConfig, AProposalChangesNothingUntilItIsAccepted) {
  LiveConfig config = live();
  const std::string before = config.etag();
  auto next = config.task_patched("gate", R"({"fps": 3})", Duration(0));
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(config.etag(), before);
  config.accept(std::move(next).value());
  EXPECT_NE(config.etag(), before);
  EXPECT_EQ(config.loaded().run.timeline.front().snapshot.tasks[0].demand, Fps(3.0));
}

TEST(LiveConfig, TheTagIsThatOfTheText) {
  LiveConfig config = live();
  const std::string first = config.text();
  const std::string tag = config.etag();
  EXPECT_EQ(tag, etag_of(first));
  EXPECT_EQ(tag.front(), '"');
  EXPECT_EQ(tag.back(), '"');
  config.accept(std::move(config.task_patched("gate", R"({"fps": 3})", Duration(0))).value());
  config.accept(std::move(config.replaced(first)).value());
  EXPECT_EQ(config.etag(), tag) << "the same text has the same tag";
}

TEST(LiveConfig, ComplaintsPointIntoWhatWasSentOrIntoTheDocument) {
  json wanted = document();
  wanted["timeline"] = {{{"at_seconds", 5}, {"patch", {{"tasks", {{"dock", {{"fps", 1}}}}}}}}};
  const LiveConfig config = live(wanted);
  const auto first = [](const Result<Candidate>& refused) {
    return refused.ok() ? Error{"accepted", "", ""} : refused.errors().front();
  };
  const Error key = first(config.task_patched("dock", R"({"min_acuracy": 0.5})", Duration(0)));
  EXPECT_EQ(key.where, "#/min_acuracy");
  EXPECT_EQ(key.hint, "did you mean `min_accuracy`?");
  EXPECT_EQ(first(config.limits_patched(R"({"memory": 5})", Duration(0))).where, "#/memory");
  EXPECT_EQ(first(config.objective_put(R"("speed")", Duration(0))).where, "#");
  EXPECT_EQ(first(config.task_patched("dock", R"({"fps": 1, "fps": 2})", Duration(0))).where, "#/fps");
  EXPECT_EQ(first(config.task_patched("dock", "[]", Duration(0))).where, "#");
  EXPECT_EQ(first(config.task_patched("dock", "{", Duration(0))).where, "#");
  json without = wanted;
  without["tasks"].erase(1);
  EXPECT_EQ(first(config.replaced(without.dump())).where, "#/timeline/0/patch/tasks/dock");
  EXPECT_EQ(first(config.replaced(without.dump(), "a.json")).where, "a.json:1 /timeline/0/patch/tasks/dock");
}

TEST(LiveConfig, PartsArePatchedTogetherTasksByTheirIds) {
  const LiveConfig config = live();
  const auto both = config.patched(
      R"({"tasks": {"gate": {"fps": 3}, "dock": {"weight": 2}}, "objective": "min_memory"})", Duration(0));
  ASSERT_TRUE(both.ok()) << said(both);
  const scheduler::Snapshot& wanted = both.value().loaded.run.timeline.front().snapshot;
  EXPECT_EQ(wanted.tasks[0].demand, Fps(3));
  EXPECT_EQ(wanted.tasks[1].weight, 2);
  EXPECT_EQ(wanted.objective, scheduler::Objective::min_memory);
  const auto refused = config.patched(
      R"({"tasks": {"gate": {"fps": -3}, "dock": {"wieght": 2}}, "limits": {"memory_bytes": 0}})",
      Duration(0));
  ASSERT_FALSE(refused.ok());
  std::set<std::string> places;
  for (const Error& error : refused.errors()) places.insert(error.where);
  EXPECT_EQ(places,
            (std::set<std::string>{"#/tasks/gate/fps", "#/tasks/dock/wieght", "#/limits/memory_bytes"}));
}

TEST(LiveConfig, APatchOfPartsNeitherAddsNorRenamesNorRemovesTasks) {
  const LiveConfig config = live();
  const auto where = [&](const char* patch) {
    const auto refused = config.patched(patch, Duration(0));
    return refused.ok() ? "accepted" : refused.errors().front().where;
  };
  EXPECT_EQ(where(R"({"tasks": {"gatte": {"fps": 3}}})"), "#/tasks/gatte");
  EXPECT_EQ(where(R"({"tasks": {"gate": null}})"), "#/tasks/gate");
  EXPECT_EQ(where(R"({"tasks": {"gate": {"id": "other"}}})"), "#/tasks/gate/id");
  EXPECT_EQ(where(R"({"tasks": [{"id": "gate", "fps": 3}]})"), "#/tasks");
  EXPECT_EQ(where(R"({"tasks": null})"), "#/tasks");
  EXPECT_EQ(where(R"({"policy": "greedy"})"), "#/policy") << "what cannot change while the service runs";
  EXPECT_EQ(where(R"({"no_such": 1})"), "#/no_such");
  EXPECT_EQ(where("[]"), "#");
  EXPECT_EQ(where("{}"), "accepted");
}

TEST(LiveConfig, AllMistakesAreToldAtOnce) {
  const auto refused = live().task_patched("gate", R"({"fps": -1, "weight": 0, "extra": 1})", Duration(0));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors().size(), 3u) << said(refused);
}

TEST(LiveConfig, ATaskKeepsItsId) {
  const auto refused = live().task_patched("gate", R"({"id": "gate-2"})", Duration(0));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors().front().where, "#/id");
  EXPECT_TRUE(live().task_patched("gate", R"({"id": "gate"})", Duration(0)).ok());
  EXPECT_TRUE(live().has_task("gate"));
  EXPECT_FALSE(live().has_task("gate-2"));
}

TEST(LiveConfig, WhatARunningServiceCannotChangeIsRefusedWithItsWayOut) {
  const LiveConfig config = live();
  const auto refusal = [&](auto&& change) {
    json wanted = document();
    change(wanted);
    const auto refused = config.replaced(wanted.dump());
    return refused.ok() ? Error{"accepted", "", ""} : refused.errors().front();
  };
  EXPECT_EQ(refusal([](json& d) { d["processors"][0]["capacity"] = 0.5; }),
            (Error{"#/processors", "the processors cannot change while the service runs",
                   "restart the service to change it"}));
  EXPECT_EQ(refusal([](json& d) { d["policy"] = "greedy"; }).where, "#/policy");
  EXPECT_EQ(refusal([](json& d) { d["solver"]["deadline_seconds"] = 1; }).where, "#/solver");
  EXPECT_EQ(refusal([](json& d) { d["runtime"]["gate_frames"] = 3; }).where, "#/runtime");
  EXPECT_EQ(refusal([](json& d) { d["runtime"]["state_dir"] = "/tmp/s"; }).where, "#/runtime/state_dir");
  EXPECT_EQ(refusal([](json& d) { d["engine"]["graph_cache"] = "off"; }).where, "#/engine");
  EXPECT_EQ(refusal([](json& d) { d["runtime"]["gate_frames"] = 2; }).where, "accepted")
      << "a default written out is no change";
  EXPECT_EQ(refusal([](json& d) { d["tasks"].push_back(task("yard", 5)); }).where, "accepted");
}

TEST(LiveConfig, OfAProcessorAPatchChangesHowSlowItIsEmulatedToBe) {
  const LiveConfig config = live();
  const auto slower = config.patched(R"({"processors": {"cpu": {"slowdown": 3}}})", Duration(0));
  ASSERT_TRUE(slower.ok()) << said(slower);
  EXPECT_EQ(slower.value().loaded.run.timeline.front().slowdowns, std::vector<double>{3.0});
  const auto refusal = [&](const char* patch) {
    const auto refused = config.patched(patch, Duration(0));
    return refused.ok() ? "accepted" : refused.errors().front().where;
  };
  EXPECT_EQ(refusal(R"({"processors": {"cpu": {"slowdown": 0.5}}})"), "#/processors/cpu/slowdown");
  EXPECT_EQ(refusal(R"({"processors": {"cpu": {"capacity": 0.5}}})"), "#/processors");
  EXPECT_EQ(refusal(R"({"processors": {"gpu": {"slowdown": 2}}})"), "#/processors/gpu");
  EXPECT_EQ(refusal(R"({"processors": {"cpu": null}})"), "#/processors/cpu");
  EXPECT_EQ(refusal(R"({"processors": [{"name": "cpu"}]})"), "#/processors");
}

TEST(LiveConfig, WhatATimelineHasDoneToAProcessorIsNoChangeOfTheProcessors) {
  json wanted = document();
  wanted["timeline"] = {{{"at_seconds", 5}, {"patch", {{"processors", {{"cpu", {{"slowdown", 2}}}}}}}}};
  const auto later = live(wanted).task_patched("gate", R"({"fps": 3})", seconds(6));
  ASSERT_TRUE(later.ok()) << said(later);
  EXPECT_EQ(later.value().loaded.run.timeline.front().slowdowns, std::vector<double>{2.0});
}

TEST(LiveConfig, APatchIsPutOverWhatTheTimelineHasMadeOfTheDocument) {
  json wanted = document();
  wanted["timeline"] = {
      {{"at_seconds", 5}, {"patch", {{"tasks", {{"gate", {{"fps", 2}}}}}, {"objective", "min_memory"}}}},
      {{"at_seconds", 9}, {"patch", {{"limits", {{"memory_bytes", 5e7}}}}}}};
  const LiveConfig config = live(wanted);
  const auto early = config.task_patched("gate", R"({"fps": 30})", seconds(4));
  ASSERT_TRUE(early.ok()) << said(early);
  EXPECT_EQ(early.value().loaded.run.timeline.size(), 3u) << "nothing has happened yet";
  const auto next = config.task_patched("gate", R"({"fps": 30})", seconds(5));
  ASSERT_TRUE(next.ok()) << said(next);
  const auto& timeline = next.value().loaded.run.timeline;
  ASSERT_EQ(timeline.size(), 2u);
  EXPECT_EQ(timeline[0].snapshot.tasks[0].demand, Fps(30.0));
  EXPECT_EQ(timeline[0].snapshot.objective, scheduler::Objective::min_memory);
  EXPECT_EQ(timeline[1].at, Duration(seconds(9)));
  EXPECT_EQ(timeline[1].snapshot.tasks[0].demand, Fps(30.0)) << "later entries do not take it back";
}

TEST(LiveConfigInForce, HasWhatTheTimelineHasDone) {
  json wanted = document();
  const std::string id = wanted["tasks"][0]["id"];
  wanted["timeline"] = {{{"at_seconds", 5}, {"patch", {{"tasks", {{id, {{"fps", 3}}}}}}}},
                        {{"at_seconds", 9}, {"patch", {{"objective", "min_memory"}}}}};
  const LiveConfig served = live(wanted);
  const json now = json::parse(served.text_at(std::chrono::seconds(7)));
  EXPECT_EQ(now["tasks"][0]["fps"], 3);
  EXPECT_FALSE(now.contains("objective"));
  EXPECT_EQ(now["timeline"].size(), 1U);
  EXPECT_EQ(json::parse(served.text())["timeline"].size(), 2U);
}

// A client that may change the configuration may not thereby read every file: where an API is served, its
// changes are confined (config/allowed_places.hpp). A file is the operator's.
TEST(LiveConfigPlaces, TheApiNamesOnlyWhatIsAllowed) {
  json wanted = document();
  wanted["api"] = json::object();
  LiveConfig served = live(wanted);
  const std::string id = wanted["tasks"][0]["id"];
  const std::string patch = R"({"source": {"type": "images", "path": "/etc", "data_set": null}})";
  const auto refused = served.task_patched(id, patch, Duration(0));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors()[0].where, "#/source/path");
  EXPECT_EQ(refused.errors()[0].what, "there is no folder `/etc`");
  json other = wanted;
  other["tasks"][0]["source"] = {{"type", "images"}, {"path", "/etc"}};
  EXPECT_FALSE(served.replaced(other.dump()).ok());
  Result<Candidate> file = served.replaced(other.dump(), "config.json");
  ASSERT_TRUE(file.ok()) << to_string(file.errors());
  served.accept(std::move(file).value());
  EXPECT_TRUE(served.task_patched(id, R"({"fps": 2})", Duration(0)).ok())
      << "what the file names stays allowed";
  EXPECT_TRUE(live().task_patched(id, patch, Duration(0)).ok()) << "no API, nobody to confine";
}

}  // namespace
}  // namespace saccade::service
