// What `saccade fleet plan`, `check` and `explain` print and return.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "app/report/exit_codes.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/verb_outputs.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;

class FleetVerb : public test::ProgramOutputs {
 protected:
  // Two posts that hold four cameras each at the leanest, and as many cameras as told.
  void write(int boxes, int cameras, double fps, const json& policy = json::object()) {
    const std::string profiles = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/shapes.json";
    json fleet{{"format", "saccade-fleet/1"},
               {"policy", policy},
               {"kinds", {{"post", {{"processors", {{{"name", "cpu"}}}}, {"profiles", {profiles}}}}}},
               {"boxes", json::array()},
               {"cameras", json::array()}};
    for (int b = 0; b < boxes; ++b)
      fleet["boxes"].push_back({{"id", "b" + std::to_string(b)}, {"kind", "post"}});
    for (int c = 0; c < cameras; ++c) {
      fleet["cameras"].push_back({{"id", "c" + std::to_string(c)}, {"network", "test-shapes"}, {"fps", fps}});
    }
    std::ofstream(file()) << fleet.dump();
  }
  [[nodiscard]] std::string file() const { return (folder_ / "fleet.json").string(); }

  test::TemporaryFolder folder_;
};

TEST_F(FleetVerb, PlanServesAllAndNamesTheBound) {
  write(3, 6, 2);
  ASSERT_EQ(ask({"fleet", "plan", file(), "--json"}), kExitOk) << err_;
  const json plan = json::parse(out_);
  ASSERT_EQ(plan["cameras"].size(), 6U);
  std::set<std::string> boxes;
  for (const json& camera : plan["cameras"]) {
    boxes.insert(camera["box"].get<std::string>());
    EXPECT_EQ(camera["fps"], 2.0);
    EXPECT_TRUE(camera["variant"].is_string());
  }
  EXPECT_LE(plan["value"].get<double>(), plan["bound"].get<double>() + 1e-9);
  EXPECT_LE(plan["gap"].get<double>(), 0.01);
  EXPECT_FALSE(plan["survival"].empty());
  EXPECT_EQ(ask({"fleet", "plan", file()}), kExitOk);
  EXPECT_NE(out_.find("6 cameras served, 0 off"), std::string::npos) << out_;
}

TEST_F(FleetVerb, ALossMovesTheCamerasOfItsBox) {
  write(3, 6, 2);
  ASSERT_EQ(ask({"fleet", "plan", file(), "--json", "--lose", "b1"}), kExitOk) << err_;
  const json plan = json::parse(out_);
  ASSERT_EQ(plan["lost"].size(), 1U);
  for (const auto& [camera, box] : plan["lost"][0]["cameras"].items()) EXPECT_NE(box, "b1") << camera;
  EXPECT_EQ(ask({"fleet", "plan", file(), "--lose", "b9"}), kExitUsage);
  EXPECT_NE(err_.find("there is no box `b9`"), std::string::npos) << err_;
}

TEST_F(FleetVerb, RequireFailsWhereALossWouldCostDemand) {
  write(1, 2, 2, {{"survive", "require"}});
  EXPECT_EQ(ask({"fleet", "plan", file()}), kExitInfeasible) << out_;
  write(1, 2, 2, {{"survive", "report"}});
  EXPECT_EQ(ask({"fleet", "plan", file()}), kExitOk);
  EXPECT_NE(out_.find("0 of 1 box certified"), std::string::npos) << out_;
}

TEST_F(FleetVerb, CheckAndExplain) {
  write(2, 3, 2);
  EXPECT_EQ(ask({"fleet", "check", file()}), kExitOk) << err_;
  EXPECT_NE(out_.find("ok, 3 cameras on 2 boxes"), std::string::npos) << out_;
  EXPECT_EQ(ask({"fleet", "explain", file(), "c1"}), kExitOk);
  EXPECT_NE(out_.find("c1 may be on 2 boxes and is on b"), std::string::npos) << out_;
  EXPECT_NE(out_.find("backup box b"), std::string::npos) << out_;
  EXPECT_EQ(ask({"fleet", "explain", file(), "nobody"}), kExitUsage);
  std::ofstream(file()) << "{\"format\": \"saccade-fleet/1\"}";
  EXPECT_EQ(ask({"fleet", "check", file()}), kExitConfig);
  EXPECT_EQ(ask({"fleet", "plna", file()}), kExitUsage);
  EXPECT_NE(err_.find("did you mean `plan`?"), std::string::npos) << err_;
  EXPECT_EQ(ask({"fleet", "--help"}), kExitOk);
  EXPECT_EQ(ask({"fleet", "drain", "a", "--timeout", "5m"}), kExitUsage);
  EXPECT_NE(err_.find("--timeout is of --wait"), std::string::npos) << err_;
  EXPECT_EQ(ask({"fleet", "drain", "a", "--wait", "--timeout", "soon"}), kExitUsage);
}

TEST_F(FleetVerb, SimTellsTheSameStoryTwiceAndNamesWhatIsWrong) {
  write(4, 8, 2);
  ASSERT_EQ(ask({"fleet", "sim", file(), "--duration", "12m", "--seeds", "2", "--json"}), kExitOk) << err_;
  const json first = json::parse(out_);
  ASSERT_EQ(first["runs"].size(), 2U);
  EXPECT_NE(first["runs"][0]["hash"], first["runs"][1]["hash"]);
  EXPECT_EQ(first["broken"], 0);
  ASSERT_EQ(ask({"fleet", "sim", file(), "--duration", "12m", "--seed", "2", "--json"}), kExitOk) << err_;
  EXPECT_EQ(json::parse(out_)["runs"][0]["hash"], first["runs"][1]["hash"]);
  EXPECT_EQ(ask({"fleet", "sim", file(), "--duration", "2m", "--faults", "none"}), kExitOk);
  EXPECT_NE(out_.find("1 seed, 0 broken"), std::string::npos) << out_;
  EXPECT_EQ(ask({"fleet", "sim", file(), "--faults", "box_dise", "--seeds", "0"}), kExitUsage);
  EXPECT_NE(err_.find("did you mean `box_dies`?"), std::string::npos) << err_;
  EXPECT_NE(err_.find("--seeds"), std::string::npos) << err_;
}

}  // namespace
}  // namespace saccade::app
