// What sinks get of what workers saw, without threads.
#include "results/hub.hpp"

#include <gtest/gtest.h>

#include "tests/results/sightings.hpp"

namespace saccade::results {
namespace {

using Heard = std::vector<std::string>;

class HubTest : public testing::Test {
 protected:
  void add(const FilterRule& rule) { hub_.add(rule, sink_); }
  void see(std::int64_t frame, vision::Objects objects, double seconds, const std::string& task = "gate") {
    hub_.see(sighting(task, frame, std::move(objects)), at(seconds));
  }

  Hub hub_{{"cpu", "gpu"}};
  KeptSink sink_;
};

TEST_F(HubTest, ASinkHasItsOwnRuleOfPresence) {
  KeptSink quick;
  hub_.add({}, sink_);
  hub_.add({}, quick, {1, std::chrono::seconds(1), 0.5});
  hub_.set_tasks({"gate"});
  (void)sink_.take_heard();
  (void)quick.take_heard();
  see(1, {object(0, 0.75F), object(1, 0.25F)}, 0.0);
  EXPECT_EQ(sink_.take_heard(), Heard{"gate #1"}) << "two results in a row";
  EXPECT_EQ(quick.take_heard(), (Heard{"gate person 1", "gate #1"})) << "the car is too weak";
  hub_.pass(at(1.5));
  EXPECT_EQ(quick.take_heard(), Heard{"gate person 0"});
}

TEST_F(HubTest, AResultSaysWhatItIsAbout) {
  add({});
  hub_.set_tasks({"gate"});
  Sighting seen = sighting("gate", 7, {object(0, 0.75F), object(9, 0.5F)});
  seen.variant = 0;
  seen.processor = 1;
  seen.generation = 4;
  seen.captured_wall = std::chrono::milliseconds(1'000'123);
  seen.captured_monotonic = std::chrono::milliseconds(1500);
  seen.latency = std::chrono::milliseconds(31);
  seen.age = std::chrono::milliseconds(84);
  hub_.see(seen, at(0));
  const Result& result = *sink_.last;
  EXPECT_EQ(result.task, "gate");
  EXPECT_EQ(result.frame, 7);
  EXPECT_EQ(result.generation, 4);
  EXPECT_EQ(result.captured_at.time_since_epoch(), std::chrono::milliseconds(1'000'123));
  EXPECT_EQ(result.captured_monotonic_seconds, 1.5);
  EXPECT_EQ(result.variant, "v0");
  EXPECT_EQ(result.processor, "gpu");
  EXPECT_EQ(result.accuracy, 0.3);
  EXPECT_DOUBLE_EQ(result.relative_accuracy, 0.75);
  EXPECT_EQ(result.width, 640);
  EXPECT_DOUBLE_EQ(result.latency_seconds, 0.031);
  EXPECT_DOUBLE_EQ(result.age_seconds, 0.084);
  ASSERT_EQ(result.objects.size(), 2U);
  EXPECT_EQ(result.objects[0].label, "person");
  EXPECT_EQ(result.objects[0].score, 0.75);
  EXPECT_EQ(result.objects[0].box, (vision::Box{1.0F, 2.0F, 3.0F, 4.0F}));
  EXPECT_EQ(result.objects[1].label, "9");  // the set has no such label
}

TEST_F(HubTest, ChangesComeBeforeTheResultThatShowsThem) {
  add({.when = When::change});
  hub_.set_tasks({"gate"});
  see(1, {object(0, 0.9F)}, 0.0);
  EXPECT_EQ(sink_.take_heard(), (Heard{"there gate"}));
  see(2, {object(0, 0.9F)}, 0.1);
  EXPECT_EQ(sink_.take_heard(), (Heard{"gate person 1", "gate #2"}));
  EXPECT_EQ(sink_.last->presence, (std::map<std::string, int>{{"person", 1}}));
  see(3, {}, 0.2);
  EXPECT_EQ(hub_.next_end(), at(5.1));
  hub_.pass(at(5.1));  // no camera, no results: what was seen ends all the same
  EXPECT_EQ(sink_.take_heard(), (Heard{"gate person 0"}));
  see(4, {}, 9.0);  // and the next result tells it
  EXPECT_EQ(sink_.take_heard(), (Heard{"gate #4"}));
  EXPECT_TRUE(sink_.last->presence.empty());
  EXPECT_EQ(hub_.filtered(0), 2);
  EXPECT_EQ(hub_.seen(), 4);
}

TEST_F(HubTest, ASinkGetsTheObjectsThatPassItsFilter) {
  add({.objects = {{"car"}, 0.5}});
  hub_.set_tasks({"gate"});
  see(1, {object(1, 0.9F), object(0, 0.8F), object(1, 0.4F)}, 0.0);
  see(2, {object(1, 0.9F), object(0, 0.8F), object(1, 0.4F)}, 0.1);
  ASSERT_EQ(sink_.last->objects.size(), 1U);
  EXPECT_EQ(sink_.last->objects[0].label, "car");
  EXPECT_EQ(sink_.last->presence, (std::map<std::string, int>{{"car", 1}}));
}

TEST_F(HubTest, OfATaskThatGoesEverythingEndsFirst) {
  add({.tasks = {"gate"}});
  hub_.set_tasks({"gate", "dock"});
  see(1, {object(0, 0.9F)}, 0.0);
  see(2, {object(0, 0.9F)}, 0.1);
  see(3, {object(0, 0.9F)}, 0.1, "dock");  // not wanted
  (void)sink_.take_heard();
  hub_.set_tasks({"dock"});
  EXPECT_EQ(sink_.take_heard(), (Heard{"gate person 0", "gone gate"}));
  see(4, {object(0, 0.9F)}, 0.2);  // on its way when the task went
  EXPECT_EQ(sink_.take_heard(), Heard{});
  EXPECT_EQ(hub_.next_end(), std::nullopt);
  EXPECT_EQ(hub_.filtered(0), 2);
  hub_.set_tasks({"gate"});
  see(5, {object(0, 0.9F)}, 0.3);
  EXPECT_EQ(sink_.take_heard(), (Heard{"there gate", "gate #5"}));
}

}  // namespace
}  // namespace saccade::results
