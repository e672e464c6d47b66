// The agent of a box: it serves its last assignment for ever, adopts newer ones, and lets go of exclusive
// cameras before another box may be given them.
#include "fleet/control/agent.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace saccade::fleet {
namespace {

using std::chrono::seconds;

TimePoint at(int second) { return TimePoint{} + seconds(second); }

AssignedCamera camera(const std::string& id, std::int64_t epoch, bool exclusive = false) {
  return {TaskId(id), epoch, Role::serve, exclusive, "task"};
}

Held<AssignDocument> assignment(std::int64_t revision, Term term, std::vector<AssignedCamera> cameras) {
  return {{term, 1, std::move(cameras)}, revision};
}

// Starts and stops in order: "+a1" is a start of a with epoch 1, "-a" a stop.
std::string orders(Agent& agent) {
  std::string text;
  for (const agent::Action& action : agent.take()) {
    if (const auto* start = std::get_if<agent::Start>(&action)) {
      text += "+" + start->camera.id.str() + std::to_string(start->camera.epoch);
    } else if (const auto* stop = std::get_if<agent::Stop>(&action)) {
      text += "-" + stop->id.str();
    }
  }
  return text;
}

TEST(FleetAgent, StartsWhatIsNewStopsWhatWentAndLeavesTheRest) {
  Agent agent;
  agent.boot({}, at(0));
  EXPECT_TRUE(agent.assigned(assignment(5, 1, {camera("a", 1), camera("b", 2)}), at(1)));
  EXPECT_EQ(orders(agent), "+a1+b2");
  EXPECT_TRUE(agent.assigned(assignment(6, 1, {camera("b", 2), camera("c", 3)}), at(2)));
  EXPECT_EQ(orders(agent), "-a+c3");
  EXPECT_TRUE(agent.assigned(assignment(6, 1, {camera("b", 2), camera("c", 3)}), at(3)));  // repeated
  EXPECT_EQ(orders(agent), "");
  EXPECT_TRUE(agent.assigned(assignment(7, 1, {camera("b", 9), camera("c", 3)}), at(4)));
  EXPECT_EQ(orders(agent), "-b+b9");
  EXPECT_TRUE(agent.assigned(assignment(8, 1, {}), at(5)));
  EXPECT_EQ(orders(agent), "-b-c");
}

TEST(FleetAgent, RefusesALowerTermAndAnOlderRevision) {
  Agent agent;
  agent.boot({}, at(0));
  EXPECT_TRUE(agent.assigned(assignment(9, 4, {camera("a", 1)}), at(1)));
  (void)agent.take();
  EXPECT_FALSE(agent.assigned(assignment(10, 3, {}), at(2)));
  EXPECT_FALSE(agent.assigned(assignment(8, 4, {}), at(2)));
  EXPECT_EQ(orders(agent), "");
  EXPECT_EQ(agent.refused(), 2);
}

TEST(FleetAgent, ServesItsLastAssignmentAfterARebootWithoutTheStore) {
  Agent first;
  first.boot({}, at(0));
  EXPECT_TRUE(first.assigned(assignment(5, 2, {camera("a", 1), camera("x", 2, true)}), at(1)));
  std::optional<Held<AssignDocument>> saved;
  for (const agent::Action& action : first.take()) {
    if (const auto* save = std::get_if<agent::Save>(&action)) saved = save->assignment;
  }
  ASSERT_TRUE(saved);
  Agent agent;
  agent.boot(saved, at(100));
  EXPECT_EQ(orders(agent), "+a1");  // the exclusive one waits for a lease
  agent.step(at(1'000'000));
  EXPECT_EQ(orders(agent), "");
  EXPECT_FALSE(agent.assigned(assignment(6, 1, {}), at(1'000'001)));  // its term is remembered
}

TEST(FleetAgent, ExclusiveCamerasEndWithTheLeaseAndOthersDoNot) {
  Agent agent;
  agent.boot({}, at(0));
  EXPECT_TRUE(agent.assigned(assignment(5, 1, {camera("a", 1), camera("x", 2, true)}), at(1)));
  EXPECT_EQ(orders(agent), "+a1");
  agent.leased(at(10), at(2));
  EXPECT_EQ(orders(agent), "+x2");
  agent.leased(at(13), at(5));
  agent.step(at(12));
  EXPECT_EQ(orders(agent), "");
  ASSERT_TRUE(agent.next());
  EXPECT_LE(*agent.next(), at(13));
  agent.step(at(13));
  EXPECT_EQ(orders(agent), "-x");
  agent.leased(at(30), at(20));  // and return with it
  EXPECT_EQ(orders(agent), "+x2");
}

TEST(FleetAgent, ALeaseThatIsShorterThanThoughtEndsExclusiveCamerasEarlier) {
  Agent agent;
  agent.boot({}, at(0));
  Held<AssignDocument> held = assignment(5, 1, {camera("x", 2, true)});
  held.document.lease = seconds(60);
  held.document.longest_lease = seconds(60);
  EXPECT_TRUE(agent.assigned(held, at(1)));
  EXPECT_EQ(agent.lease(), seconds(60));
  agent.leased(at(59), at(2));
  agent.leased(at(5), at(3));
  EXPECT_EQ(orders(agent), "+x2");
  agent.step(at(5));
  EXPECT_EQ(orders(agent), "-x");
}

TEST(FleetAgent, StandsByForWhatItIsToldAndSaysWhatIsReady) {
  Agent agent;
  const auto told = [&] {
    std::string text;
    for (const agent::Action& action : agent.take()) {
      if (const auto* start = std::get_if<agent::Start>(&action)) text += "+" + start->camera.id.str();
      if (const auto* standby = std::get_if<agent::StandBy>(&action)) {
        text += "[";
        for (const StandbyCamera& each : standby->cameras) text += each.id.str();
        text += "]";
      }
      if (const auto* publish = std::get_if<agent::Publish>(&action)) {
        for (const TaskId& id : publish->state.standby) text += "!" + id.str();
      }
    }
    return text;
  };
  agent.boot({}, at(0));
  (void)agent.take();
  Held<AssignDocument> held = assignment(5, 1, {camera("a", 1)});
  held.document.standby = {{TaskId("b"), "task"}, {TaskId("c"), "task"}};
  EXPECT_TRUE(agent.assigned(held, at(10)));
  EXPECT_EQ(told(), "+a[bc]");
  agent.ready({TaskId("c"), TaskId("x")}, at(12));
  EXPECT_EQ(told(), "!c");
  held.revision = 6;  // b is served here from now on: its start comes before its engine is let go
  held.document.standby = {{TaskId("c"), "task"}};
  held.document.cameras.push_back(camera("b", 2));
  EXPECT_TRUE(agent.assigned(held, at(13)));
  EXPECT_EQ(told(), "+b[c]!c");
  held.revision = 7;
  EXPECT_TRUE(agent.assigned(held, at(14)));
  EXPECT_EQ(told(), "!c");  // nothing is new but what it has applied
  Agent after;
  after.boot(held, at(100));
  EXPECT_EQ(orders(after), "+a1+b2");
}

TEST(FleetAgent, PublishesChangesAtMostOnceASecond) {
  Agent agent;
  agent.boot({}, at(0));
  EXPECT_TRUE(agent.assigned(assignment(5, 1, {camera("a", 1), camera("b", 2)}), at(10)));
  const auto published = [&] {
    std::vector<StateDocument> all;
    for (const agent::Action& action : agent.take()) {
      if (const auto* publish = std::get_if<agent::Publish>(&action)) all.push_back(publish->state);
    }
    return all;
  };
  const auto first = published();
  ASSERT_EQ(first.size(), 2U);  // of the boot, then of the assignment
  EXPECT_EQ(first.back().applied, 5);
  EXPECT_EQ(first.back().cameras.size(), 2U);
  agent.report(TaskId("a"), 1, CameraStatus::serving, "", at(10));
  agent.report(TaskId("b"), 2, CameraStatus::failed, "memory", at(10));
  agent.report(TaskId("b"), 7, CameraStatus::serving, "", at(10));  // of another epoch: nothing
  EXPECT_TRUE(published().empty());
  EXPECT_EQ(agent.next(), at(11));
  agent.step(at(11));
  const auto later = published();
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].cameras[0].status, CameraStatus::serving);
  EXPECT_EQ(later[0].cameras[1].reason, "memory");
  agent.step(at(39));
  EXPECT_EQ(orders(agent), "");
  agent.step(at(40));
  EXPECT_EQ(orders(agent), "+b2");  // tried again
}

}  // namespace
}  // namespace saccade::fleet
