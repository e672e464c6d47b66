// Where a camera may be: labels, pins, avoided boxes, spread, together, box states, counts; and what bad
// input gets.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "fleet/plan.hpp"
#include "tests/fleet/fleets.hpp"

namespace saccade::fleet {
namespace {

using test::FleetShape;
using test::RandomFleet;

Problem fleet(std::size_t boxes, std::size_t cameras, double load = 0.5) {
  FleetShape shape;
  shape.boxes = boxes;
  shape.cameras = cameras;
  shape.load = load;
  shape.kinds = 1;
  return RandomFleet(11, shape).next();
}

std::string box_of(const FleetPlan& plan, std::size_t camera) {
  const Served& served = plan.assignment.served(camera);
  return served.off() ? "" : plan.assignment.model().problem().boxes[served.box].id.str();
}

std::vector<std::string> whats(const Errors& errors) {
  std::vector<std::string> lines;
  for (const Error& error : errors) lines.push_back(error.where + ": " + error.what);
  return lines;
}

TEST(FleetRules, LabelsPinsAndAvoidedBoxesHold) {
  Problem problem = fleet(6, 30);
  problem.cameras[0].where.labels["site"] = {"south"};
  problem.cameras[1].where.boxes = {BoxId("box004")};
  for (std::size_t i = 2; i < 12; ++i) problem.cameras[i].where.avoid = {BoxId("box000"), BoxId("box002")};
  ASSERT_TRUE(validate(problem).errors.empty());
  const Model model(problem);
  const FleetPlan plan = plan_fleet(model, {});
  EXPECT_TRUE(loses_nothing(plan.losses));
  const std::set<std::string> south = {"box001", "box003", "box005"};
  EXPECT_TRUE(south.contains(box_of(plan, 0)));
  EXPECT_EQ(box_of(plan, 1), "box004");
  for (std::size_t i = 2; i < 12; ++i) {
    EXPECT_NE(box_of(plan, i), "box000");
    EXPECT_NE(box_of(plan, i), "box002");
  }
}

// Cameras that are alike but for their demand then have menus of their own.
TEST(FleetRules, ALimitOfLatencyHoldsAtEachCamerasDemand) {
  Problem problem = fleet(1, 2);
  Box& box = problem.boxes[0];
  box.limits = {};
  box.processors.resize(1);
  box.processors.push_back(box.processors[0]);
  box.processors[1].id = ProcessorId("second");
  profiles::Variant cut;  // alone 16 ms, full 27 ms: above 80 % of 1 / 9 ms
  cut.id = VariantId("cut");
  cut.accuracy = 0.9;
  for (const auto& [id, seconds] : {std::pair(box.processors[0].id, 9e-3), {box.processors[1].id, 7e-3}}) {
    profiles::Stage stage;
    stage.kind = id;
    stage.frame_time = cut.frame_time[id] = Seconds(seconds);
    cut.staging.stages.push_back(stage);
  }
  cut.staging.latency = Seconds(16e-3);
  cut.staging.max_fps = Fps(1.0 / 9e-3);
  cut.staging.max_in_flight = 3;
  profiles::ProfileSet set;
  set.network = "cut";
  set.variants = {cut};
  box.profiles = {{"cut", std::make_shared<const profiles::ProfileSet>(set)}};
  for (Camera& camera : problem.cameras) {
    scheduler::Task task;
    task.id = camera.task.id;
    task.demand = Fps(20);
    task.max_latency = Seconds(20e-3);
    camera.task = task;
    camera.network = "cut";
  }
  problem.cameras[0].task.demand = Fps(100);
  const Model model(problem);
  EXPECT_TRUE(model.menu(0, model.items()[0].menu).empty());
  EXPECT_EQ(model.menu(0, model.items()[1].menu).size(), 1U);
}

TEST(FleetRules, ABoxOfAnEarlierVersionGetsNoCameraItDoesNotUnderstand) {
  Problem problem = fleet(3, 12);
  for (const std::size_t box : {0U, 2U}) problem.boxes[box].features.erase(kMaxLatencyFeature);
  problem.cameras[0].task.max_latency = problem.cameras[1].task.max_latency = Seconds(10.0);
  problem.cameras[1].where.avoid = {BoxId("box001")};
  const Model model(problem);
  const FleetPlan plan = plan_fleet(model, {});
  EXPECT_EQ(box_of(plan, 0), "box001");
  EXPECT_EQ(box_of(plan, 1), "");
  EXPECT_EQ(why_off(plan.assignment, 1),
            "none of the 2 boxes it may be on understands max_latency_seconds: they run an earlier version");
  for (std::size_t i = 2; i < 12; ++i) EXPECT_NE(box_of(plan, i), "") << i;
}

TEST(FleetRules, SpreadLimitsCamerasPerBoxAndPerLabel) {
  Problem problem = fleet(6, 30);
  for (std::size_t i = 0; i < 6; ++i) problem.cameras[i].where.spread = Spread{"gates", "", 1};
  for (std::size_t i = 6; i < 12; ++i) problem.cameras[i].where.spread = Spread{"yards", "site", 3};
  ASSERT_TRUE(validate(problem).errors.empty());
  const Model model(problem);
  const FleetPlan plan = plan_fleet(model, {});
  EXPECT_TRUE(loses_nothing(plan.losses));
  std::set<std::string> boxes;
  for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(boxes.insert(box_of(plan, i)).second);
  std::map<std::string, int> sites;
  for (std::size_t i = 6; i < 12; ++i) {
    ++sites[problem.boxes[plan.assignment.served(i).box].labels.at("site")];
  }
  EXPECT_EQ(sites["north"], 3);
  EXPECT_EQ(sites["south"], 3);
}

TEST(FleetRules, TogetherMeansOneBoxAlsoInASmallFleetAndUnderPressure) {
  for (const double load : {0.5, 1.2}) {
    Problem problem = fleet(4, 24, load);
    for (std::size_t i = 3; i < 9; ++i) problem.cameras[i].where.together = "dock";
    problem.cameras[5].where.labels["site"] = {"south"};
    ASSERT_TRUE(validate(problem).errors.empty());
    const Model model(problem);
    const FleetPlan plan = plan_fleet(model, {});
    std::set<std::string> boxes;
    for (std::size_t i = 3; i < 9; ++i) {
      if (!box_of(plan, i).empty()) boxes.insert(box_of(plan, i));
    }
    EXPECT_EQ(boxes.size(), 1U);
    EXPECT_TRUE(boxes.contains("box001") || boxes.contains("box003"));
  }
}

TEST(FleetRules, StatesAndCountsOfBoxes) {
  Problem problem = fleet(5, 20);
  for (Camera& camera : problem.cameras) camera.serving = BoxId("box002");
  for (std::size_t i = 10; i < 20; ++i) problem.cameras[i].serving = BoxId("box003");
  problem.cameras[19].serving.reset();
  problem.boxes[1].max_cameras = 2;
  problem.boxes[2].state = BoxState::draining;
  problem.boxes[3].state = BoxState::cordoned;
  problem.boxes[4].state = BoxState::retired;
  ASSERT_TRUE(validate(problem).errors.empty());
  const Model model(problem);
  const FleetPlan plan = plan_fleet(model, {});
  std::map<std::string, int> count;
  for (std::size_t i = 0; i < 20; ++i) ++count[box_of(plan, i)];
  EXPECT_LE(count["box001"], 2);
  EXPECT_EQ(count["box002"], 0);
  EXPECT_EQ(count["box004"], 0);
  for (std::size_t i = 0; i < 20; ++i) {
    if (box_of(plan, i) != "box003") continue;
    EXPECT_TRUE(i >= 10 && i < 19) << i;  // only what it had
  }
}

TEST(FleetRules, ACameraWhoseNetworkNoAllowedBoxHasIsOffAndTheRestIsPlanned) {
  Problem problem = fleet(3, 12);
  problem.cameras[4].network = "nobody-has-it";
  const Model model(problem);
  const FleetPlan plan = plan_fleet(model, {});
  EXPECT_TRUE(plan.assignment.served(4).off());
  EXPECT_EQ(why_off(plan.assignment, 4), "none of the 3 boxes it may be on has network `nobody-has-it`");
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(plan.assignment.served(i).off(), i == 4);
}

// A box whose device has no memory for another engine takes no other camera, whatever time it has left.
TEST(FleetRules, NoMoreCamerasThanTheMemoryOfADeviceHolds) {
  Problem problem = fleet(3, 9);
  std::map<const profiles::ProfileSet*, profiles::ProfileSetPtr> with_memory;
  for (Box& box : problem.boxes) {
    for (auto& [network, set] : box.profiles) {
      profiles::ProfileSetPtr& known = with_memory[set.get()];
      if (!known) {
        auto copy = std::make_shared<profiles::ProfileSet>(*set);
        for (profiles::Variant& variant : copy->variants) variant.device_memory = Bytes(1e8);
        known = copy;
      }
      set = known;
    }
    box.processors[0].memory = "card";
    box.processors[0].device_context = Bytes(3e8);
    box.limits.memory.reset();
  }
  problem.boxes[0].limits.memories["card"] = Bytes(5e8);   // two engines beside the context
  problem.boxes[1].limits.memories["card"] = Bytes(35e7);  // none
  problem.boxes[2].limits.memories["card"] = Bytes(8e8);   // five
  ASSERT_TRUE(validate(problem).errors.empty());
  const Model model(problem);
  const FleetPlan plan = plan_fleet(model, {});
  std::map<std::string, int> count;
  for (std::size_t i = 0; i < 9; ++i) ++count[box_of(plan, i)];
  EXPECT_EQ(count["box000"], 2);
  EXPECT_EQ(count["box001"], 0);
  EXPECT_EQ(count["box002"], 5);
  EXPECT_EQ(count[""], 2);
}

TEST(FleetRules, AnInactiveCameraNeedsNoBox) {
  Problem problem = fleet(2, 6);
  problem.cameras[2].task.demand = Fps(0.0);
  const Model model(problem);
  const FleetPlan plan = plan_fleet(model, {});
  EXPECT_TRUE(plan.assignment.served(2).off());
  EXPECT_TRUE(loses_nothing(plan.losses));
  EXPECT_EQ(why_off(plan.assignment, 2), "");
}

TEST(FleetRules, ThePriorityThatIsHigherLosesLast) {
  FleetShape shape;
  shape.kinds = 1;
  shape.boxes = 3;
  shape.cameras = 24;
  shape.load = 4.0;
  shape.priorities = 2;
  shape.all_or_nothing = true;
  const Problem problem = RandomFleet(2, shape).next();
  const Model model(problem);
  const FleetPlan plan = plan_fleet(model, {});
  ASSERT_EQ(model.priorities(), (std::vector<int>{1, 0}));
  EXPECT_EQ(plan.losses[0], 0.0);
  EXPECT_GT(plan.losses[2], 0.0);
  EXPECT_LE(plan.loss_bounds[2], plan.losses[2]);
  EXPECT_GT(plan.loss_bounds[2], 0.0);
}

TEST(FleetRules, AllMistakesAreReportedAtOnce) {
  Problem problem = fleet(2, 8);
  problem.boxes[1].id = problem.boxes[0].id;
  problem.boxes[0].reserve = 1.0;
  problem.cameras[1].task.id = problem.cameras[0].task.id;
  problem.cameras[2].where.boxes = {BoxId("nowhere")};
  problem.cameras[3].where.labels["site"] = {"moon"};
  problem.cameras[4].where.spread = Spread{"g", "", 0};
  problem.cameras[5].where.spread = Spread{"g", "", 2};
  problem.cameras[6].exclusive = true;
  problem.cameras[6].where.standby = true;
  const Findings found = validate(problem);
  const std::vector<std::string> errors = whats(found.errors);
  const auto has = [&](const std::string& line) {
    return std::find(errors.begin(), errors.end(), line) != errors.end();
  };
  EXPECT_TRUE(has("/boxes/box000: the id is used twice"));
  EXPECT_TRUE(has("/boxes/box000/reserve: must lie in [0, 1)"));
  EXPECT_TRUE(has("/cameras/cam000: the id is used twice"));
  EXPECT_TRUE(has("/cameras/cam002/where/boxes: there is no box `nowhere`"));
  EXPECT_TRUE(has("/cameras/cam003/where: no box is allowed"));
  EXPECT_TRUE(has("/cameras/cam004/where/spread/most: must be 1 or more"));
  EXPECT_TRUE(has("/cameras/cam005/where/spread: differs from that of camera `cam004` in the same group"));
  EXPECT_TRUE(has("/cameras/cam006/where/standby: an exclusive camera has no standby"));
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_EQ(found.warnings[0].what, "no box has site = `moon`");
}

TEST(FleetRules, MembersOfAUnitThatArePinnedApartAreRefused) {
  Problem problem = fleet(2, 4);
  problem.cameras[0].where.together = problem.cameras[1].where.together = "dock";
  problem.cameras[0].where.boxes = {BoxId("box000")};
  problem.cameras[1].where.boxes = {BoxId("box001")};
  EXPECT_EQ(whats(validate(problem).errors),
            std::vector<std::string>{
                "/cameras/cam000/where/together: no box is allowed to all 2 cameras of `dock`"});
}

TEST(FleetRules, AMissingMeasureIsRefused) {
  Problem problem = fleet(2, 4);
  problem.boxes[0].limits.peak_power = Watts(5.0);
  const Findings found = validate(problem);
  ASSERT_FALSE(found.errors.empty());
  EXPECT_NE(found.errors[0].what.find("needs the power"), std::string::npos) << to_string(found.errors);
}

}  // namespace
}  // namespace saccade::fleet
