// A box of a fleet on a simulated store: what it serves, what it says of it, and what it keeps.
#include "service/fleet/box_desk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "fleet_store/documents.hpp"
#include "fleet_store/simulated_store.hpp"

namespace saccade::service {
namespace {

using fleet::CameraStatus;
using fleet_store::SimulatedStore;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string document(const std::string& id, const std::string& network = "net") {
  return R"({"format": 1, "id": ")" + id + R"(", "network": ")" + network +
         R"(", "fps": 5, "exclusive": false, "where": {"boxes": ["b"]}})";
}

class FleetBoxDesk : public testing::Test {
 protected:
  void start(const std::optional<std::string>& saved = {}, std::int64_t session = 1) {
    fleet_store::BoxLinkSettings settings;
    settings.fleet = "t";
    settings.box = "b";
    settings.session = session;
    BoxHands hands;
    hands.serve = [this](const std::vector<text::JsonValue>& tasks) { return serve(tasks); };
    hands.save = [this](const std::string& text) { saved_ = text; };
    client_ = &store_.open();
    desk_ = std::make_unique<BoxDesk>(settings, BoxNetworks{{"net", "/p/net.json"}}, papers_, hands);
    EXPECT_TRUE(desk_->boot(saved, now_));
    pass(milliseconds(100));
  }
  BoxHands::Answer serve(const std::vector<text::JsonValue>& tasks) {
    if (starting_) return {false, true, "not yet"};
    std::set<std::string> ids;
    for (const text::JsonValue& task : tasks) {
      EXPECT_EQ(task.find("network"), nullptr);
      EXPECT_EQ(task.find("where"), nullptr);
      EXPECT_EQ(task.find("format"), nullptr);
      EXPECT_EQ(task.find("profiles")->string, "/p/net.json");
      const text::JsonValue* standby = task.find("standby");
      if (standby != nullptr) {
        EXPECT_TRUE(standby->boolean);
        EXPECT_EQ(task.find("fps")->number, 0.0);
        EXPECT_EQ(task.find("source")->find("type")->string, "push");
        ids.insert(task.find("id")->string + " (standby)");
        if (task.find("id")->string == refuses_) return {false, false, "no memory"};
        continue;
      }
      EXPECT_EQ(task.find("fps")->number, 5.0);
      if (task.find("id")->string == refuses_) return {false, false, "no memory"};
      ids.insert(task.find("id")->string);
    }
    if (ids != serves_) ++changes_;
    serves_ = ids;
    applied_.push_back(ids);
    return {true, false, ""};
  }
  void pass(Duration time) {
    for (const TimePoint until = now_ + time; now_ < until; now_ += milliseconds(10)) {
      store_.run_until(now_);
      (void)planner_.take();
      if (!desk_) continue;
      for (const fleet_store::Event& event : client_->take()) desk_->on(event, now_);
      desk_->step(now_);
      for (fleet_store::Numbered& request : desk_->take_requests()) {
        client_->submit(request.number, std::move(request.request));
      }
    }
  }
  void put(const std::string& key, const std::string& value) {
    planner_.submit(++number_, fleet_store::request::Commit{{}, {{key, value}}, {}});
    pass(milliseconds(100));
  }
  void assign(const std::vector<std::string>& ids, std::int64_t epoch, const std::string& network = "net") {
    fleet::AssignDocument assign{1, 1, {}};
    for (const std::string& id : ids) {
      assign.cameras.push_back({TaskId(id), epoch, {}, false, document(id, network)});
    }
    put(keys_.assign("b"), fleet_store::to_text(assign));
  }
  std::string stored(const std::string& key) {
    const auto& entries = store_.history().entries();
    const auto found = entries.find(key);
    return found == entries.end() ? std::string() : found->second.value;
  }
  fleet::StateDocument state() { return fleet_store::read_state(stored(keys_.state("b"))).value(); }

  std::map<std::string, std::string> papers_;
  SimulatedStore store_{[] { return milliseconds(2); }};
  SimulatedStore::Client& planner_ = store_.open();
  SimulatedStore::Client* client_ = nullptr;
  const fleet_store::Keys keys_{"t"};
  std::unique_ptr<BoxDesk> desk_;
  TimePoint now_{};
  std::uint64_t number_ = 0;
  bool starting_ = false;
  std::string refuses_;
  std::set<std::string> serves_;
  std::vector<std::set<std::string>> applied_;  // one after the other
  int changes_ = 0;
  std::optional<std::string> saved_;
};

TEST_F(FleetBoxDesk, ServesWhatIsAssignedAndSaysSoOnceAFrameWasProcessed) {
  start();
  assign({"gate", "yard"}, 7);
  EXPECT_EQ(serves_, (std::set<std::string>{"gate", "yard"}));
  EXPECT_EQ(changes_, 1);  // at once
  pass(seconds(2));
  ASSERT_EQ(state().cameras.size(), 2U);
  EXPECT_EQ(state().cameras[0].status, CameraStatus::starting);
  desk_->observe({{"gate", 1, true, false}, {"yard", 0, true, false}, {"own", 9, true, false}}, now_);
  pass(seconds(2));
  EXPECT_EQ(state().cameras[0].status, CameraStatus::serving);
  EXPECT_EQ(state().cameras[1].status, CameraStatus::starting);
  assign({"yard"}, 7);
  EXPECT_EQ(serves_, (std::set<std::string>{"yard"}));
  EXPECT_TRUE(desk_->standing().connected);
  ASSERT_TRUE(saved_);
}

TEST_F(FleetBoxDesk, KnowsForAMinuteWhichBoxHasACamera) {
  start();
  assign({"gate"}, 7);
  EXPECT_TRUE(desk_->standing().moved.empty());
  fleet::AssignDocument without{1, 2, {}};
  without.moved = {{TaskId("gate"), 8, fleet::BoxId("c"), "http://c:8080"}};
  put(keys_.assign("b"), fleet_store::to_text(without));
  EXPECT_EQ(desk_->standing().moved, without.moved);
  pass(seconds(58));
  EXPECT_EQ(desk_->standing().moved, without.moved);
  pass(seconds(3));
  EXPECT_TRUE(desk_->standing().moved.empty());
}

TEST_F(FleetBoxDesk, StandsByForCamerasOfOthersAndTakesOverWithoutTheirEverBeingGone) {
  start();
  fleet::AssignDocument assigned{1, 1, {{TaskId("gate"), 7, {}, false, document("gate")}}};
  assigned.standby = {{TaskId("road"), document("road")},
                      {TaskId("wood"), document("wood", "no such network")},
                      {TaskId("yard"), document("yard")}};
  put(keys_.assign("b"), fleet_store::to_text(assigned));
  EXPECT_EQ(serves_, (std::set<std::string>{"gate", "road (standby)", "yard (standby)"}));
  EXPECT_EQ(desk_->standing().cameras, 1U);
  EXPECT_EQ(desk_->standing().standby, 2U);
  desk_->observe({{"gate", 1, true, false}, {"road", 0, false, true, true}, {"yard", 0, false, true}}, now_);
  pass(seconds(2));
  EXPECT_EQ(state().standby, std::vector<TaskId>{TaskId("road")});
  EXPECT_EQ(state().cameras.size(), 1U);
  changes_ = 0;
  assigned.standby.erase(assigned.standby.begin());
  assigned.cameras.push_back({TaskId("road"), 8, {}, false, document("road")});
  put(keys_.assign("b"), fleet_store::to_text(assigned));
  EXPECT_EQ(serves_, (std::set<std::string>{"gate", "road", "yard (standby)"}));
  EXPECT_EQ(changes_, 1);
}

TEST_F(FleetBoxDesk, OneThatCannotBeStoodByForDisturbsNoOther) {
  start();
  refuses_ = "road";
  fleet::AssignDocument assigned{1, 1, {{TaskId("gate"), 7, {}, false, document("gate")}}};
  assigned.standby = {{TaskId("road"), document("road")}, {TaskId("yard"), document("yard")}};
  put(keys_.assign("b"), fleet_store::to_text(assigned));
  EXPECT_EQ(serves_, (std::set<std::string>{"gate", "yard (standby)"}));
  pass(seconds(2));
  EXPECT_EQ(state().cameras.at(0).status, CameraStatus::starting);
  EXPECT_EQ(desk_->standing().standby, 1U);
}

TEST_F(FleetBoxDesk, FramesOfAnEarlierStartDoNotCount) {
  start();
  assign({"gate"}, 7);
  desk_->observe({{"gate", 5, true, false}}, now_);
  assign({"gate"}, 8);
  desk_->observe({{"gate", 5, true, false}}, now_);
  pass(seconds(2));
  EXPECT_EQ(state().cameras.at(0).status, CameraStatus::starting);
  desk_->observe({{"gate", 6, true, false}}, now_);
  pass(seconds(2));
  EXPECT_EQ(state().cameras.at(0).status, CameraStatus::serving);
  EXPECT_EQ(state().cameras.at(0).epoch, 8);
}

// The regions of a running task, for example: what it has processed is counted from the start.
TEST_F(FleetBoxDesk, ATaskThatWasReplacedServesOnceItHasProcessedAFrame) {
  start();
  assign({"gate"}, 7);
  desk_->observe({{"gate", 5'000, true, false}}, now_);
  assign({"gate"}, 8);
  desk_->observe({{"gate", 5'000, true, false}}, now_);  // what was before it
  desk_->observe({{"gate", 0, true, false}}, now_);
  pass(seconds(2));
  EXPECT_EQ(state().cameras.at(0).status, CameraStatus::starting);
  desk_->observe({{"gate", 1, true, false}}, now_);
  pass(seconds(2));
  EXPECT_EQ(state().cameras.at(0).status, CameraStatus::serving);
  EXPECT_EQ(state().cameras.at(0).epoch, 8);
}

// As one that was restored from what was saved of it, or made anew, has it.
TEST_F(FleetBoxDesk, AnAssignmentOfAStoreThatIsOlderIsNotFollowedAndThatIsSaid) {
  start();
  assign({"gate"}, 7);
  const std::optional<std::string> saved = saved_;
  EXPECT_TRUE(desk_->standing().connected);
  EXPECT_FALSE(desk_->standing().outdated);
  fleet::AssignDocument of_lower_term{0, 1, {{TaskId("yard"), 8, {}, false, document("yard")}}};
  put(keys_.assign("b"), fleet_store::to_text(of_lower_term));
  EXPECT_EQ(serves_, (std::set<std::string>{"gate"}));
  EXPECT_FALSE(desk_->standing().connected);
  EXPECT_TRUE(desk_->standing().outdated);
  start(saved, 2);
  pass(seconds(30));
  EXPECT_EQ(serves_, (std::set<std::string>{"gate"}));
  EXPECT_TRUE(desk_->standing().outdated);
  start({}, 3);  // without what was saved, it is taken
  pass(seconds(30));
  EXPECT_EQ(serves_, (std::set<std::string>{"yard"}));
  EXPECT_TRUE(desk_->standing().connected);
  EXPECT_FALSE(desk_->standing().outdated);
}

TEST_F(FleetBoxDesk, ACameraWhoseFramesClientsSendServesOnceItHasAnEngine) {
  start();
  assign({"gate"}, 7);
  desk_->observe({{"gate", 0, true, true}}, now_);
  pass(seconds(2));
  EXPECT_EQ(state().cameras.at(0).status, CameraStatus::serving);
}

TEST_F(FleetBoxDesk, WhatCannotBeServedHasFailedAndTheOthersAreServed) {
  start();
  refuses_ = "gate";
  assign({"dock", "gate", "yard"}, 7);
  EXPECT_EQ(serves_, (std::set<std::string>{"dock", "yard"}));
  pass(seconds(2));
  ASSERT_EQ(state().cameras.size(), 3U);
  EXPECT_EQ(state().cameras[1].status, CameraStatus::failed);
  EXPECT_EQ(state().cameras[1].reason, "no memory");
  refuses_.clear();
  pass(fleet::kRetryFailed);
  EXPECT_EQ(serves_.size(), 3U);
}

// What is served is what was taken last: a camera that is not in it is closed, and opened again later.
TEST_F(FleetBoxDesk, ARefusedCameraNeverClosesThoseThatAreServed) {
  start();
  fleet::AssignDocument assigned{1, 1, {}};
  const auto add = [&](const std::string& id) {
    assigned.cameras.push_back({TaskId(id), 7, {}, false, document(id)});
  };
  for (const char* id : {"dock", "hall", "yard"}) add(id);
  assigned.standby = {{TaskId("road"), document("road")}, {TaskId("wood"), document("wood")}};
  put(keys_.assign("b"), fleet_store::to_text(assigned));
  const std::set<std::string> served = serves_;
  ASSERT_EQ(served.size(), 5U);
  applied_.clear();
  refuses_ = "gate";
  add("arch");
  add("gate");
  put(keys_.assign("b"), fleet_store::to_text(assigned));
  pass(3 * fleet::kRetryFailed);
  EXPECT_FALSE(applied_.empty());
  for (const std::set<std::string>& each : applied_) {
    EXPECT_TRUE(std::includes(each.begin(), each.end(), served.begin(), served.end())) << each.size();
  }
  EXPECT_EQ(serves_.size(), 6U);
  EXPECT_TRUE(serves_.contains("arch"));
  EXPECT_EQ(state().cameras.at(1).status, CameraStatus::starting);
  applied_.clear();
  refuses_ = "lane";  // as a camera for which the box is to stand by, while it serves another of these
  assigned.cameras.pop_back();
  assigned.cameras.push_back({TaskId("road"), 8, {}, false, document("road")});
  assigned.standby = {{TaskId("lane"), document("lane")}, {TaskId("wood"), document("wood")}};
  put(keys_.assign("b"), fleet_store::to_text(assigned));
  for (const std::set<std::string>& each : applied_) {
    EXPECT_TRUE(each.contains("dock") && each.contains("wood (standby)"));
    EXPECT_NE(each.contains("road"), each.contains("road (standby)"));
  }
  EXPECT_EQ(serves_, (std::set<std::string>{"arch", "dock", "hall", "road", "wood (standby)", "yard"}));
}

TEST_F(FleetBoxDesk, AServedCameraThatIsRefusedNowDoesNotKeepTheOthersFromBeingServed) {
  start();
  assign({"dock", "gate", "yard"}, 7);
  ASSERT_EQ(serves_.size(), 3U);
  applied_.clear();
  refuses_ = "gate";
  assign({"arch", "dock", "gate", "yard"}, 7);
  EXPECT_EQ(serves_, (std::set<std::string>{"arch", "dock", "yard"}));
  for (const std::set<std::string>& each : applied_) {
    EXPECT_TRUE(each.contains("dock") && each.contains("yard"));
  }
  pass(seconds(2));
  EXPECT_EQ(state().cameras.at(2).status, CameraStatus::failed);
  const std::set<std::string> served = serves_;
  applied_.clear();
  pass(3 * fleet::kRetryFailed);
  for (const std::set<std::string>& each : applied_) EXPECT_EQ(each, served);
}

TEST_F(FleetBoxDesk, ANetworkThatTheBoxLacksFailsThatCameraAlone) {
  start();
  assign({"gate"}, 7, "other");
  pass(seconds(2));
  EXPECT_EQ(state().cameras.at(0).status, CameraStatus::failed);
  EXPECT_NE(state().cameras.at(0).reason.find("no profile set"), std::string::npos);
  assign({"gate"}, 8);
  EXPECT_EQ(serves_.size(), 1U);
}

TEST_F(FleetBoxDesk, WaitsForAServiceThatIsStarting) {
  starting_ = true;
  start();
  assign({"gate"}, 7);
  EXPECT_TRUE(serves_.empty());
  starting_ = false;
  pass(seconds(1));
  EXPECT_EQ(serves_.size(), 1U);
}

TEST_F(FleetBoxDesk, BootsFromWhatWasSavedWithoutTheStore) {
  start();
  assign({"gate"}, 7);
  const std::optional<std::string> saved = saved_;
  serves_.clear();
  store_.lose_majority();
  start(saved, 2);
  EXPECT_EQ(serves_, (std::set<std::string>{"gate"}));
  pass(seconds(120));
  EXPECT_EQ(serves_, (std::set<std::string>{"gate"}));
  EXPECT_FALSE(desk_->standing().connected);
  EXPECT_FALSE(desk_->standing().conflict);
}

TEST_F(FleetBoxDesk, PapersAreWrittenAndReplaced) {
  papers_ = {{keys_.report("b"), "new"}, {keys_.profiles("d"), "set"}};
  put(keys_.report("b"), "old");
  start();
  pass(seconds(1));
  EXPECT_EQ(stored(keys_.report("b")), "new");
  EXPECT_EQ(stored(keys_.profiles("d")), "set");
  const std::int64_t revision = store_.history().entries().at(keys_.report("b")).changed;
  start({}, 2);  // another process: what is the same is not written again
  pass(seconds(30));
  EXPECT_EQ(store_.history().entries().at(keys_.report("b")).changed, revision);
}

TEST_F(FleetBoxDesk, PapersThatChangeWhileItRunsAreWrittenAgain) {
  papers_ = {{keys_.report("b"), "first"}, {keys_.profiles("d"), "set"}};
  start();
  pass(seconds(1));
  const std::int64_t set = store_.history().entries().at(keys_.profiles("d")).changed;
  desk_->replace_papers({{keys_.report("b"), "second"}, {keys_.profiles("e"), "more"}}, now_);
  pass(seconds(1));
  EXPECT_EQ(stored(keys_.report("b")), "second");
  EXPECT_EQ(stored(keys_.profiles("e")), "more");
  EXPECT_EQ(store_.history().entries().at(keys_.profiles("d")).changed, set);
  desk_->replace_papers({{keys_.report("b"), "third"}}, now_);
  desk_->replace_papers({{keys_.report("b"), "fourth"}}, now_);  // while that is under way
  pass(seconds(1));
  EXPECT_EQ(stored(keys_.report("b")), "fourth");
}

TEST_F(FleetBoxDesk, ASecondProcessOfTheSameBoxKnowsThatItIsOne) {
  const auto lease = [&] {
    planner_.submit(++number_, fleet_store::request::Grant{std::chrono::hours(1)});
    store_.run_until(now_ += milliseconds(50));
    return std::get<fleet_store::answer::Granted>(planner_.take().at(0).answer).lease;
  }();
  planner_.submit(++number_, fleet_store::request::Commit{{}, {{keys_.alive("b"), "another", lease}}, {}});
  start();
  pass(seconds(12));
  EXPECT_FALSE(desk_->standing().conflict);  // it may be one that has just ended
  pass(seconds(5));
  EXPECT_TRUE(desk_->standing().conflict);
}

TEST_F(FleetBoxDesk, OnceItHasBeenTheBoxItStaysIt) {
  start();
  pass(seconds(1));
  for (const std::int64_t lease : store_.history().leases()) store_.revoke(lease);
  put(keys_.alive("b"), "another");
  pass(seconds(60));
  EXPECT_FALSE(desk_->standing().conflict);
  EXPECT_FALSE(desk_->standing().connected);
}

}  // namespace
}  // namespace saccade::service
