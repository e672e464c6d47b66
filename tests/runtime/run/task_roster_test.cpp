// Which task has which index while configurations come and go.
#include "runtime/run/task_roster.hpp"

#include <gtest/gtest.h>

#include "tests/support/run_fixture.hpp"

namespace saccade::runtime {
namespace {

using test::run_config;
using test::state_at;
using test::two_variants;

profiles::ProfileSetPtr shared(profiles::ProfileSet set) {
  return std::make_shared<const profiles::ProfileSet>(std::move(set));
}

RunConfig config_of(const std::vector<std::string>& ids) {
  TimelineState state = state_at(0.0, ids.size(), 10.0, 1e9, shared(two_variants()));
  for (std::size_t i = 0; i < ids.size(); ++i) state.snapshot.tasks[i].id = TaskId(ids[i]);
  return run_config({state});
}

using Indices = std::vector<TaskIndex>;

TEST(TaskRoster, WhoStaysKeepsItsIndexWhereverItStands) {
  TaskRoster roster(config_of({"a", "b", "c"}));
  RunConfig next = config_of({"d", "c", "a"});
  const auto change = roster.take(next);
  EXPECT_EQ(change.added, Indices{3});
  EXPECT_EQ(change.removed, Indices{1});
  EXPECT_TRUE(change.resourced.empty());
  EXPECT_EQ(roster.order(), (Indices{3, 2, 0}));
  EXPECT_EQ(roster.removed(), Indices{1});
  EXPECT_EQ(roster.position(1), std::nullopt);

  const scheduler::Snapshot whole = roster.by_index(next.timeline.front().snapshot);
  ASSERT_EQ(whole.tasks.size(), 4U);
  for (const auto& [index, id] :
       std::vector<std::pair<TaskIndex, std::string>>{{0, "a"}, {2, "c"}, {3, "d"}}) {
    EXPECT_EQ(whole.tasks[index].id.str(), id);
    EXPECT_EQ(whole.tasks[index].demand, Fps(10.0));
  }
  EXPECT_EQ(whole.tasks[1].demand, Fps(0.0)) << "it was removed";
}

TEST(TaskRoster, WhoComesBackAsItWasTakesItsOldPlace) {
  TaskRoster roster(config_of({"a", "b"}));
  for (int i = 0; i < 100; ++i) {
    RunConfig without = config_of({"a"});
    EXPECT_EQ(roster.take(without).removed, Indices{1});
    RunConfig with = config_of({"a", "b"});
    EXPECT_EQ(roster.take(with).added, Indices{1});
  }
  EXPECT_EQ(roster.size(), 2U);
}

TEST(TaskRoster, AFileThatIsReadAgainChangesNothing) {
  const RunConfig first = config_of({"a"});
  TaskRoster roster(first);
  RunConfig again = config_of({"a"});
  ASSERT_NE(again.timeline[0].snapshot.tasks[0].profiles, first.timeline[0].snapshot.tasks[0].profiles);
  const auto change = roster.take(again);
  EXPECT_TRUE(change.added.empty() && change.removed.empty() && change.resourced.empty());
  EXPECT_EQ(again.timeline[0].snapshot.tasks[0].profiles, first.timeline[0].snapshot.tasks[0].profiles)
      << "engines are known by the set they were loaded from";
}

TEST(TaskRoster, OtherProfilesOrRegionsMakeAnotherTaskOfTheSameName) {
  TaskRoster roster(config_of({"a"}));
  RunConfig measured = config_of({"a"});
  profiles::ProfileSet set = two_variants();
  set.variants[0].accuracy = 0.5;
  measured.timeline[0].snapshot.tasks[0].profiles = shared(set);
  auto change = roster.take(measured);
  EXPECT_EQ(change.added, Indices{1});
  EXPECT_EQ(change.removed, Indices{0});

  RunConfig regions = measured;
  regions.tasks[0].regions = Grid{2, 2};
  change = roster.take(regions);
  EXPECT_EQ(change.added, Indices{2});
  EXPECT_EQ(change.removed, Indices{1});
}

TEST(TaskRoster, AnIndexGoesToAnotherTaskOnlyWhenNothingIsLeftAndManyWereRemovedSince) {
  TaskRoster roster(config_of({"a"}));
  const auto replace = [&](const std::string& id, const Indices& settled) {
    RunConfig next = config_of({id});
    return roster.take(next, settled);
  };
  for (TaskIndex i = 1; i <= TaskRoster::kRemovedKept; ++i) {
    const auto change = replace("b" + std::to_string(i), roster.removed());
    EXPECT_EQ(change.added, Indices{i}) << "the last ones removed keep their books";
    EXPECT_TRUE(change.renewed.empty());
  }
  EXPECT_EQ(replace("c", {}).added, Indices{9}) << "nine were removed, but something of each is left";
  auto change = replace("d", roster.removed());
  EXPECT_EQ(change.added, Indices{0}) << "that of a, which was removed first";
  EXPECT_EQ(change.renewed, Indices{0});
  EXPECT_EQ(roster.number(9), 9U);
  EXPECT_EQ(task_index(roster.number(0)), 0U);
  EXPECT_NE(roster.number(0), 0U) << "it means another task than before";
  RunConfig back = config_of({"b1", "e"});
  change = roster.take(back, roster.removed());
  EXPECT_EQ(change.added, (Indices{1, 2})) << "b1 comes back to its books; e gets the index of b2";
  EXPECT_EQ(change.renewed, Indices{2});
}

TEST(TaskRoster, AnotherSourceLeavesTheTaskWhatItIs) {
  TaskRoster roster(config_of({"a", "b"}));
  RunConfig next = config_of({"a", "b"});
  next.tasks[1].source = CameraSource{3};
  const auto change = roster.take(next);
  EXPECT_TRUE(change.added.empty() && change.removed.empty());
  EXPECT_EQ(change.resourced, Indices{1});
}

}  // namespace
}  // namespace saccade::runtime
