// The configuration of a planner: all mistakes at once, and nothing of a box.
#include "config/planner_config.hpp"

#include <gtest/gtest.h>

#include <string>

namespace saccade::config {
namespace {

Result<PlannerConfig> planner(const std::string& text) {
  return parse_planner_config(text, "p.json", "/etc/x");
}

TEST(PlannerConfig, IsAFleetAStoreAndAnApi) {
  const auto config = planner(R"({"version": 1, "node": "p1", "api": {"listen": "127.0.0.1:8090"},
    "fleet": {"name": "city", "store": {"endpoints": ["https://10.0.0.1:2379"], "ca": "ca.pem",
              "user": "planner", "password_file": "pw"}}})");
  ASSERT_TRUE(config.ok()) << to_string(config.errors());
  EXPECT_EQ(config.value().node, "p1");
  EXPECT_EQ(config.value().fleet.name, "city");
  EXPECT_EQ(config.value().fleet.store.ca, "/etc/x/ca.pem");
  EXPECT_EQ(config.value().fleet.store.password_file, "/etc/x/pw");
  EXPECT_EQ(config.value().api->address.port, 8090);
  EXPECT_EQ(config.value().plan_deadline, Seconds(2.0));
}

TEST(PlannerConfig, APlanMayTakeSoLongAndNotAsLongAsTheLease) {
  const auto with = [](const std::string& solver) {
    return planner(R"({"version": 1, "fleet": {"name": "city", "store": {"endpoints":
      ["http://127.0.0.1:2379"]}}, "solver": )" +
                   solver + "}");
  };
  EXPECT_EQ(with("{}").value().plan_deadline, Seconds(2.0));
  EXPECT_EQ(with(R"({"deadline_seconds": 0.5})").value().plan_deadline, Seconds(0.5));
  EXPECT_EQ(with(R"({"deadline_seconds": 3})").value().plan_deadline, Seconds(3.0));
  for (const char* bad : {R"({"deadline_seconds": 0})", R"({"deadline_seconds": 3.1})",
                          R"({"deadline_seconds": "2"})", R"({"deadline": 2})", "[]"}) {
    const auto config = with(bad);
    ASSERT_FALSE(config.ok()) << bad;
    EXPECT_NE(to_string(config.errors()).find("/solver"), std::string::npos) << bad;
  }
}

TEST(PlannerConfig, TellsAllMistakesAtOnce) {
  const auto config = planner(R"({"version": 2, "nodes": "p1",
    "fleet": {"name": "city", "box": "b", "store": {"endpoints": [], "user": "u"}}})");
  ASSERT_FALSE(config.ok());
  const std::string said = to_string(config.errors());
  for (const char* part : {"/version", "did you mean `node`?", "/fleet/box", "/fleet/store/endpoints",
                           "`user` and `password_file` go together"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << '\n' << said;
  }
}

TEST(PlannerConfig, HttpBeyondThisMachineIsSaidToBeMeant) {
  const auto with = [](const std::string& store) {
    return planner(R"({"version": 1, "fleet": {"name": "city", "store": )" + store + "}}").ok();
  };
  EXPECT_FALSE(with(R"({"endpoints": ["http://10.0.0.1:2379"]})"));
  EXPECT_TRUE(with(R"({"endpoints": ["http://10.0.0.1:2379"], "insecure": true})"));
  for (const char* local : {"http://127.0.0.1:2379", "http://localhost:2379", "http://[::1]:2379"}) {
    EXPECT_TRUE(with(std::string(R"({"endpoints": [")") + local + "\"]}")) << local;
  }
  for (const char* bad :
       {"10.0.0.1:2379", "ftp://10.0.0.1:2379", "https://10.0.0.1:0", "https://10.0.0.1:99999",
        "https://:2379", "https://a:2379/x", "https://u:secret@a:2379", "https://a:23x"}) {
    EXPECT_FALSE(with(std::string(R"({"endpoints": [")") + bad + "\"]}")) << bad;
  }
}

}  // namespace
}  // namespace saccade::config
