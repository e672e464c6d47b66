// `saccade sim` from its command line to its output.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/verbs/verbs.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;

class SimVerb : public ::testing::Test {
 protected:
  int sim(VerbArguments args) {
    args.insert(args.begin(), std::string(SACCADE_SOURCE_DIR) + "/examples/cameras.json");
    out_.str("");
    err_.str("");
    return verb_sim(args, out_, err_);
  }
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(SimVerb, PrintsTheSummaryOfARunWithTheHashOfItsEvents) {
  ASSERT_EQ(sim({"--duration", "27s", "--json"}), kExitOk) << err_.str();
  const json once = json::parse(out_.str());
  for (const char* key : {"seconds", "tasks", "switches", "hash", "events", "faults", "breach", "cpu_seconds",
                          "solver_cpu_seconds"}) {
    EXPECT_TRUE(once.contains(key)) << key;
  }
  // All frames but those of switches for which a shrinking memory limit leaves no room for both engines: one,
  // of the detector.
  int lost = 0;
  for (const json& each : once["switches"]) {
    lost += each["frames_lost"].get<int>();
    if (each["frames_lost"] != 0) {
      EXPECT_EQ(each["both_fit"], false) << each;
    }
  }
  EXPECT_LE(lost, 1);
  int unprocessed = 0;
  for (const json& task : once["tasks"]) {
    unprocessed += task["demanded"].get<int>() - task["processed"].get<int>() - task["in_flight"].get<int>();
  }
  EXPECT_EQ(unprocessed, lost);
  EXPECT_FALSE(once.contains("rules_not_simulated")) << "there are none";
  EXPECT_EQ(once["breach"], nullptr);
  ASSERT_EQ(sim({"--duration", "0.45m", "--json"}), kExitOk);
  EXPECT_EQ(json::parse(out_.str())["hash"], once["hash"]);
  ASSERT_EQ(sim({"--duration", "27", "--seed", "2", "--json"}), kExitOk);
  EXPECT_NE(json::parse(out_.str())["hash"], once["hash"]);
}

TEST_F(SimVerb, ARunThatEndsAtAnInstantOfTheTimelineEnds) {
  for (const char* instant : {"10", "12", "14.5"}) {
    ASSERT_EQ(sim({"--duration", instant, "--json"}), kExitOk) << err_.str();
    EXPECT_EQ(json::parse(out_.str())["breach"], nullptr) << instant;
  }
}

TEST_F(SimVerb, AHeuristicRunsWithoutTheMemoryLimitWhateverItsFilters) {
  const test::TemporaryFolder folder;
  json config = json::parse(std::ifstream(std::string(SACCADE_SOURCE_DIR) + "/examples/cameras.json"));
  for (json& task : config["tasks"]) {
    task["profiles"] = std::string(SACCADE_SOURCE_DIR) + "/examples/" + task["profiles"].get<std::string>();
    task["source"] = {{"type", "synthetic"}, {"data_set", "glyphs"}, {"seed", 1}};
    if (task["profiles"].get<std::string>().find("vehicles") != std::string::npos) {
      task["source"]["data_set"] = "vehicles";
    } else if (task["id"] == "yard") {
      task["source"]["data_set"] = "yard";
    }
  }
  config["limits"]["memory_bytes"] = 20000000;  // room for one of the most accurate engines
  config["policy"] = "greedy";
  for (const bool within : {false, true}) {
    config["heuristics"] = {{"within_limits", within}};
    const std::string file = (folder / "config.json").string();
    std::ofstream(file) << config;
    out_.str("");
    ASSERT_EQ(verb_sim({file, "--duration", "30", "--json"}, out_, err_), kExitOk) << err_.str();
    const json summary = json::parse(out_.str());
    EXPECT_EQ(summary["breach"], nullptr) << within;
    EXPECT_GT(summary["memory_peak_bytes"], 20000000) << within;
  }
}

TEST_F(SimVerb, SeveralSeedsGiveOneLineEachAndTheSameHashesAsAlone) {
  ASSERT_EQ(sim({"--duration", "30s", "--seeds", "3", "--faults", "all", "--json"}), kExitOk) << err_.str();
  const json runs = json::parse(out_.str())["runs"];
  ASSERT_EQ(runs.size(), 3U);
  ASSERT_EQ(sim({"--duration", "30s", "--seed", "3", "--faults", "all", "--json"}), kExitOk) << err_.str();
  EXPECT_EQ(json::parse(out_.str())["hash"], runs[2]["hash"]);
}

TEST_F(SimVerb, WritesEventsInTheOrderOfTime) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "events.jsonl").string();
  ASSERT_EQ(sim({"--duration", "30s", "--faults", "all", "--events", file}), kExitOk) << err_.str();
  std::ifstream in(file);
  std::int64_t last = 0;
  std::size_t count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    const json event = json::parse(line);
    EXPECT_GE(event["at_ns"].get<std::int64_t>(), last);
    last = event["at_ns"];
  }
  EXPECT_GT(count, 20U);
}

TEST_F(SimVerb, EventsThatCannotBeWrittenAreAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no disk that is always full";
  EXPECT_EQ(sim({"--duration", "3s", "--events", "/dev/full"}), kExitFailed);
  EXPECT_NE(err_.str().find("/dev/full: "), std::string::npos) << err_.str();
}

TEST_F(SimVerb, WrongOptionsAreNamed) {
  EXPECT_EQ(sim({"--duration", "5d"}), kExitUsage);
  EXPECT_NE(err_.str().find("24h"), std::string::npos);
  EXPECT_EQ(sim({"--seed", "-1"}), kExitUsage);
  EXPECT_EQ(sim({"--seeds", "0"}), kExitUsage);
  EXPECT_EQ(sim({"--faults", "load_hang"}), kExitUsage);
  EXPECT_NE(err_.str().find("did you mean `load_hangs`?"), std::string::npos);
}

TEST(Durations, AreNumbersWithAUnit) {
  EXPECT_EQ(duration_from("90"), std::chrono::seconds(90));
  EXPECT_EQ(duration_from("90s"), std::chrono::seconds(90));
  EXPECT_EQ(duration_from("1.5m"), std::chrono::seconds(90));
  EXPECT_EQ(duration_from("24h"), std::chrono::hours(24));
  for (const char* wrong : {"", "s", "1d", "-1", "1 h", "1e9m", "inf"})
    EXPECT_FALSE(duration_from(wrong)) << wrong;
}

}  // namespace
}  // namespace saccade::app
