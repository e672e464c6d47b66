// `saccade fit` on sets with known times: which partition of the cores serves better is known by arithmetic.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/report/exit_codes.hpp"
#include "app/verbs/verbs.hpp"
#include "config/config.hpp"
#include "runtime/machine/cores.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class FitVerb : public ::testing::Test {
 protected:
  struct Outcome {
    int code = 0;
    std::string out;
    std::string err;
  };

  // Two variants; the small one takes half the time of the big one.
  void write_set(const std::string& folder, const std::string& kind, int threads, double seconds) {
    const auto variant = [&](const char* id, double accuracy, double time) {
      return json{{"id", id}, {"accuracy", accuracy}, {"frame_time_seconds", {{kind, time}}}};
    };
    json set = {{"format", "saccade-profiles/1"},
                {"network", "net"},
                {"device", {{"name", "box"}, {"processors", {kind}}}},
                {"variants", {variant("big", 0.95, seconds), variant("small", 0.90, seconds / 2)}}};
    if (threads > 1) set["device"]["threads"][kind] = threads;
    fs::create_directories(folder_ / folder.c_str());
    std::ofstream(folder_ / (folder + "/net.json").c_str()) << set.dump();
  }

  // Four tasks on one processor that is 1.6 times full.
  std::string config() {
    json tasks = json::array();
    for (const char* id : {"a", "b", "c", "d"}) {
      tasks.push_back({{"id", id},
                       {"profiles", "named/net.json"},
                       {"fps", 100},
                       {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}});
    }
    const json config = {{"version", 1},
                         {"processors", {{{"name", "cpu"}, {"guard_seconds", 0}}}},
                         {"engine", {{"backend", "simulated"}}},
                         {"tasks", tasks}};
    std::ofstream(folder_ / "config.json") << config.dump();
    return (folder_ / "config.json").string();
  }

  Outcome fit(const std::vector<std::string>& more) {
    VerbArguments args{"fit", config(), "--out", (folder_ / "fitted.json").string()};
    args.insert(args.end(), more.begin(), more.end());
    std::ostringstream out;
    std::ostringstream err;
    const int code = run_program(args, out, err);
    return {code, out.str(), err.str()};
  }
  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] json fitted() const { return json::parse(std::ifstream(folder_ / "fitted.json")); }

  const test::TemporaryFolder folder_;
};

TEST_F(FitVerb, ScalesTheDemandToThisMachine) {
  write_set("named", "cpu", 1, 0.004);
  write_set("here", "cpu", 1, 0.002);
  const Outcome done = fit({"--profiles", path("here")});
  ASSERT_EQ(done.code, kExitOk) << done.err;
  EXPECT_DOUBLE_EQ(fitted().at("fps_scale").get<double>(), 2.0);
  EXPECT_EQ(fitted().at("processors").size(), 1u);
}

TEST_F(FitVerb, UsesEveryCore) {
  write_set("named", "cpu", 1, 0.004);
  write_set("here", "cpu", 1, 0.004);
  const Outcome done = fit({"--profiles", path("here"), "--cores"});
  ASSERT_EQ(done.code, kExitOk) << done.err;
  const std::size_t cores = runtime::machine_cores().size();
  EXPECT_EQ(fitted().at("processors").size(), cores);
  EXPECT_EQ(fitted().at("processors")[0].at("kind"), "cpu");
  EXPECT_NE(done.out.find(std::to_string(cores) + " x 1"), std::string::npos) << done.out;
  EXPECT_TRUE(config::read_config(path("fitted.json")).ok());
}

// A pair needs 1.25 times the time of two single cores, then 0.95 times; on a machine with one core there is
// no pair, which is what is said then.
TEST_F(FitVerb, WritesThePartitionThatServesBest) {
  write_set("named", "cpu", 1, 0.004);
  write_set("single", "cpu", 1, 0.004);
  const bool pairs = runtime::machine_cores().size() >= 2;
  for (const double seconds : {0.0025, 0.0019}) {
    write_set("pair", "cpu-x2", 2, seconds);
    const Outcome done = fit({"--profiles", path("single") + "," + path("pair"), "--cores"});
    if (!pairs) {
      EXPECT_EQ(done.code, kExitConfig);
      EXPECT_NE(done.err.find("more threads than this machine has cores"), std::string::npos);
      continue;
    }
    ASSERT_EQ(done.code, kExitOk) << done.err;
    const bool pair_is_best = seconds < 0.002;
    EXPECT_EQ(fitted().at("processors")[0].at("kind"), pair_is_best ? "cpu-x2" : "cpu") << done.out;
    EXPECT_EQ(fitted().at("processors")[0].at("cpus").size(), pair_is_best ? 2u : 1u);
    const auto read = config::read_config(path("fitted.json"));
    ASSERT_TRUE(read.ok()) << to_string(read.errors());
    EXPECT_EQ(read.value().run.processors[0].threads, pair_is_best ? 2 : 1);
  }
}

TEST_F(FitVerb, RefusesSeveralFoldersThatAreNoPartitions) {
  write_set("named", "cpu", 1, 0.004);
  const Outcome done = fit({"--profiles", "a,b"});
  EXPECT_EQ(done.code, kExitUsage);
  EXPECT_NE(done.err.find("give --cores as well"), std::string::npos);
}

}  // namespace
}  // namespace saccade::app
