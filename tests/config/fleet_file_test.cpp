// The reader of fleets: what a good file means, and that all mistakes of a bad one are reported at once, each
// with line, pointer and hint.
#include "config/fleet_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "fleet/model.hpp"

namespace saccade::config {
namespace {

const std::string kProfiles = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/shapes.json";

std::string fleet(const std::string& boxes, const std::string& cameras, const std::string& more = "") {
  return "{\"format\": \"saccade-fleet/1\"," + more +
         "\"kinds\": {\"post\": {\"processors\": [{\"name\": \"cpu\"}], \"profiles\": [\"" + kProfiles +
         "\"]}},\n\"boxes\": [" + boxes + "],\n\"cameras\": [" + cameras + "]}";
}

Result<LoadedFleet> parse(const std::string& text) { return parse_fleet(text, "fleet.json", "."); }

std::vector<std::string> mistakes(const std::string& text) {
  const Result<LoadedFleet> read = parse(text);
  std::vector<std::string> lines;
  if (read.ok()) return lines;
  for (const Error& error : read.errors()) lines.push_back(error.where + ": " + error.what);
  return lines;
}

bool has(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

std::string all(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

TEST(FleetFile, TheExampleIsGood) {
  const Result<LoadedFleet> read = read_fleet(std::string(SACCADE_SOURCE_DIR) + "/examples/fleet.json");
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  EXPECT_TRUE(read.value().warnings.empty()) << to_string(read.value().warnings);
  EXPECT_EQ(read.value().problem.boxes.size(), 4U);
}

TEST(FleetFile, EveryKeyIsRead) {
  const Result<LoadedFleet> read = parse(fleet(
      R"({"id": "b", "kind": "post", "labels": {"site": "north"}, "state": "draining", "reserve": 0.25,
          "max_cameras": 7}, {"id": "a", "kind": "post"})",
      R"({"id": "gate", "network": "test-shapes", "fps": 12.5, "weight": 2, "priority": 3, "min_fps": 4,
          "regions": {"grid": [2, 3]}, "exclusive": true, "serving": "a",
          "where": {"boxes": ["a", "b"], "labels": {"site": ["north", "west"]}, "avoid": ["a"],
                    "spread": {"group": "g", "by": "site", "most": 2}, "together": "t"}})",
      R"("policy": {"objective": "min_energy", "moving_cost": 0.1, "most_moves": 3, "survive": "require"},)"));
  ASSERT_FALSE(read.ok());  // min_energy, and the set's energy is not measured
  EXPECT_NE(read.errors()[0].what.find("energy"), std::string::npos) << to_string(read.errors());
  const Result<LoadedFleet> good = parse(fleet(
      R"({"id": "b", "kind": "post", "labels": {"site": "north"}, "state": "draining", "reserve": 0.25,
          "max_cameras": 7, "autonomy_seconds": 600}, {"id": "a", "kind": "post"})",
      R"({"id": "gate", "network": "test-shapes", "fps": 12.5, "weight": 2, "priority": 3, "min_fps": 4,
          "regions": {"grid": [2, 3]}, "exclusive": true, "serving": "a",
          "where": {"boxes": ["a", "b"], "labels": {"site": ["north", "west"]}, "avoid": ["a"],
                    "spread": {"group": "g", "by": "site", "most": 2}, "together": "t"}})",
      R"("policy": {"moving_cost": 0.1, "most_moves": 3, "survive": "require"},)"));
  ASSERT_TRUE(good.ok()) << to_string(good.errors());
  const fleet::Problem& problem = good.value().problem;
  ASSERT_EQ(problem.boxes.size(), 2U);
  EXPECT_EQ(problem.boxes[0].id.str(), "a");  // sorted
  EXPECT_EQ(problem.boxes[1].state, fleet::BoxState::draining);
  EXPECT_EQ(problem.boxes[1].labels.at("site"), "north");
  EXPECT_EQ(problem.boxes[1].reserve, 0.25);
  EXPECT_EQ(problem.boxes[1].max_cameras, 7U);
  EXPECT_EQ(problem.boxes[1].autonomy, Seconds(600));
  EXPECT_EQ(problem.boxes[0].autonomy, Seconds(0));
  EXPECT_EQ(problem.boxes[0].profiles.at("test-shapes"), problem.boxes[1].profiles.at("test-shapes"));
  const fleet::Camera& camera = problem.cameras.at(0);
  EXPECT_EQ(camera.task.demand, Fps(12.5));
  EXPECT_EQ(camera.task.regions, 6);
  EXPECT_EQ(camera.task.priority, 3);
  EXPECT_TRUE(camera.exclusive);
  EXPECT_EQ(camera.serving, fleet::BoxId("a"));
  EXPECT_EQ(camera.where.spread, (fleet::Spread{"g", "site", 2}));
  EXPECT_EQ(camera.where.together, "t");
  EXPECT_EQ(problem.policy.most_moves, 3U);
  EXPECT_EQ(problem.policy.survive, fleet::Survive::require);
  ASSERT_EQ(good.value().warnings.size(), 1U);
  EXPECT_EQ(good.value().warnings[0].what, "no box has site = `west`");
}

TEST(FleetFile, AKindSaysWhatItsBoxesUnderstand) {
  const std::string boxes = R"({"id": "a", "kind": "post"})";
  const std::string text = fleet(boxes, "");
  const auto features = [&](const std::string& said) {
    std::string with = text;
    const std::string key = "\"profiles\"";
    with.insert(with.find(key), said);
    const Result<LoadedFleet> read = parse(with);
    EXPECT_TRUE(read.ok()) << to_string(read.errors());
    return read.value().problem.boxes.at(0).features;
  };
  EXPECT_EQ(features(""), fleet::known_features());
  EXPECT_EQ(features(R"("features": null, )"), fleet::known_features());
  EXPECT_TRUE(features(R"("features": [], )").empty());
  EXPECT_EQ(features(R"("features": ["standby", "later"], )"), (std::set<std::string>{"later", "standby"}));
}

TEST(FleetFile, ThePolicySaysHowThePlannerActs) {
  const std::string box = R"({"id": "a", "kind": "post"})";
  const Result<LoadedFleet> unsaid = parse(fleet(box, ""));
  ASSERT_TRUE(unsaid.ok()) << to_string(unsaid.errors());
  const fleet::FleetPolicy& usual = unsaid.value().problem.policy;
  EXPECT_EQ(usual.moves_per_hour, 0.01);
  EXPECT_EQ(usual.handover.value(), 15.0);
  EXPECT_EQ(to_duration(usual.lease), fleet::kUsualLease);
  EXPECT_EQ(usual.settle.value(), 20.0);
  EXPECT_EQ(usual.brake_share, 0.2);
  EXPECT_FALSE(usual.brake_exempt_priority);
  const Result<LoadedFleet> said = parse(fleet(
      box, "",
      R"("policy": {"moves_per_hour": 0, "handover_seconds": 40, "settle_seconds": 5, "lease_seconds": 30,
                                         "brake_share": 0.5, "brake_exempt_priority": -2},)"));
  ASSERT_TRUE(said.ok()) << to_string(said.errors());
  const fleet::FleetPolicy& policy = said.value().problem.policy;
  EXPECT_EQ(policy.moves_per_hour, 0.0);
  EXPECT_EQ(policy.handover.value(), 40.0);
  EXPECT_EQ(policy.lease.value(), 30.0);
  EXPECT_EQ(policy.settle.value(), 5.0);
  EXPECT_EQ(policy.brake_share, 0.5);
  EXPECT_EQ(policy.brake_exempt_priority, -2);
  const std::vector<std::string> lines = mistakes(
      fleet(box, "", R"("policy": {"moves_per_hour": 1.5, "handover_seconds": 0, "settle_seconds": -1,
                                            "brake_share": 2, "brake_exempt_priority": 1001},)"));
  EXPECT_EQ(lines.size(), 5U) << all(lines);
  for (const char* lease : {"2", "601", "3.5", "\"10\"", "-10", "null"}) {
    const std::vector<std::string> bad =
        mistakes(fleet(box, "", std::string(R"("policy": {"lease_seconds": )") + lease + "},"));
    ASSERT_EQ(bad.size(), 1U) << lease << all(bad);
    EXPECT_NE(bad[0].find("/policy/lease_seconds"), std::string::npos) << bad[0];
  }
}

// Profile sets name kinds; a box's processors have names of their own.
TEST(FleetFile, ProcessorsOfAKindHaveItsVariants) {
  const auto with = [](const std::string& processors) {
    return parse("{\"format\": \"saccade-fleet/1\", \"kinds\": {\"twin\": {\"processors\": [" + processors +
                 "], \"profiles\": [\"" + kProfiles +
                 "\"]}, \"post\": {\"processors\": [{\"name\": \"cpu\"}], " + "\"profiles\": [\"" +
                 kProfiles + "\"]}}, \"boxes\": [{\"id\": \"a\", \"kind\": \"twin\"}, " +
                 "{\"id\": \"b\", \"kind\": \"post\"}], \"cameras\": [{\"id\": \"gate\", " +
                 "\"network\": \"test-shapes\", \"fps\": 1, \"where\": {\"boxes\": [\"a\"]}}]}");
  };
  const Result<LoadedFleet> read =
      with(R"({"name": "one", "kind": "cpu"}, {"name": "two", "kind": "cpu", "memory": "card",
              "context_device_memory_bytes": 7})");
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  const fleet::Problem& problem = read.value().problem;
  EXPECT_EQ(problem.boxes[0].processors.at(0).kind, ProcessorId("cpu"));
  EXPECT_EQ(problem.boxes[0].processors.at(1).memory, "card");
  const profiles::ProfileSet& twin = *problem.boxes[0].profiles.at("test-shapes");
  const profiles::ProfileSet& post = *problem.boxes[1].profiles.at("test-shapes");
  EXPECT_EQ(twin.variants.size(), 2 * post.variants.size());
  const fleet::Model model(problem);
  EXPECT_FALSE(model.boxes_for(0).empty());
  std::string many = R"({"name": "p0", "kind": "cpu"})";
  for (int p = 1; p <= 256; ++p) many += R"(, {"name": "p)" + std::to_string(p) + R"(", "kind": "cpu"})";
  const Result<LoadedFleet> refused = with(many);
  ASSERT_FALSE(refused.ok());
  ASSERT_EQ(refused.errors().size(), 1U) << to_string(refused.errors());
  EXPECT_EQ(refused.errors()[0].what, "there are more than 256 processors");
  const Result<LoadedFleet> other = with(R"({"name": "one", "kind": "gpu"})");  // nothing was measured on it
  ASSERT_TRUE(other.ok()) << to_string(other.errors());
  ASSERT_EQ(other.value().warnings.size(), 1U);
  EXPECT_EQ(other.value().warnings[0].what, "no variant of network `test-shapes` runs on its processors");
  const fleet::Model without(other.value().problem);
  EXPECT_TRUE(without.boxes_for(0).empty());
}

TEST(FleetFile, AllMistakesAreReportedAtOnce) {
  const std::vector<std::string> lines = mistakes(fleet(
      R"({"id": "a", "kind": "pots"}, {"id": "a", "kind": "post", "reserve": 1},
{"id": "c", "kind": "post", "labels": {"site": "no rth"}})",
      R"({"id": "gate", "network": "test-shapes", "fps": -1, "wehre": {}},
{"id": "door", "network": "test-shapes", "where": {"spread": {"group": "g", "most": 0}, "labels": {"site": []}}})",
      R"("policy": {"survive": "always"},)"));
  const std::string text = all(lines);
  EXPECT_TRUE(has(lines, "fleet.json:2 /boxes/0/kind: there is no kind `pots`")) << text;
  EXPECT_TRUE(has(lines, "fleet.json:2 /boxes/1/id: the id `a` is used by two boxes")) << text;
  EXPECT_NE(text.find("/boxes/1/reserve"), std::string::npos) << text;
  EXPECT_NE(text.find("/boxes/2/labels/site"), std::string::npos) << text;
  EXPECT_NE(text.find("fleet.json:4 /cameras/0/fps"), std::string::npos) << text;
  EXPECT_NE(text.find("/cameras/0/wehre"), std::string::npos) << text;
  EXPECT_NE(text.find("fleet.json:5 /cameras/1"), std::string::npos) << text;
  EXPECT_NE(text.find("/cameras/1/where/spread/most"), std::string::npos) << text;
  EXPECT_TRUE(has(lines, "fleet.json:5 /cameras/1/where/labels/site: no value is allowed")) << text;
  EXPECT_NE(text.find("/policy/survive"), std::string::npos) << text;
}

TEST(FleetFile, WhatOnlyShowsInTheWholeHasALineToo) {
  const std::vector<std::string> lines =
      mistakes(fleet(R"({"id": "a", "kind": "post"}, {"id": "b", "kind": "post"})",
                     R"({"id": "one", "network": "test-shapes", "fps": 1, "where": {"boxes": ["x"]}},
{"id": "two", "network": "test-shapes", "fps": 1, "exclusive": true, "where": {"standby": true}},
{"id": "three", "network": "test-shapes", "fps": 1, "where": {"boxes": ["a"], "together": "t"}},
{"id": "four", "network": "test-shapes", "fps": 1, "where": {"boxes": ["b"], "together": "t"}})"));
  const std::string text = all(lines);
  EXPECT_TRUE(has(lines, "fleet.json:3 /cameras/0/where/boxes: there is no box `x`")) << text;
  EXPECT_TRUE(has(lines, "fleet.json:4 /cameras/1/where/standby: an exclusive camera has no standby"))
      << text;
  EXPECT_NE(text.find("where/together: no box is allowed to all 2 cameras of `t`"), std::string::npos)
      << text;
}

TEST(FleetFile, ADeviceIsOnOneBox) {
  const std::string camera =
      R"("network": "test-shapes", "fps": 1, "source": {"type": "camera", "device": 0})";
  const std::string boxes = R"({"id": "a", "kind": "post"}, {"id": "b", "kind": "post"})";
  const std::vector<std::string> lines = mistakes(fleet(boxes, "{\"id\": \"gate\", " + camera + "}"));
  EXPECT_TRUE(
      has(lines, "fleet.json:3 /cameras/0/source: this source is on one box, and the camera may be on any"))
      << all(lines);
  EXPECT_TRUE(
      mistakes(fleet(boxes, "{\"id\": \"gate\", \"where\": {\"boxes\": [\"b\"]}, " + camera + "}")).empty());
}

TEST(FleetFile, AnotherFormatIsRefused) {
  EXPECT_FALSE(mistakes("{}").empty());
  EXPECT_FALSE(mistakes("[]").empty());
  EXPECT_FALSE(mistakes(R"({"format": "saccade-fleet/2", "kinds": {}, "boxes": [], "cameras": []})").empty());
}

}  // namespace
}  // namespace saccade::config
