#include <gtest/gtest.h>

#include <algorithm>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/report/exit_codes.hpp"
#include "app/verbs/verbs.hpp"
#include "tests/support/corpus.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using saccade::testing::file_text;

// Small enough to judge by eye: accuracy, ms, MB, mJ. `e` was measured without a meter.
//   a  0.95  8  4  10
//   b  0.93  4  6   5
//   c  0.93  5  2   5
//   d  0.80  2  2   3
//   e  0.78  3  1   -
json golden_set() {
  json set = json::parse(R"({"format": "saccade-profiles/1", "network": "golden",
                             "device": {"name": "board", "processors": ["cpu"]}, "variants": []})");
  const auto add = [&set](const char* id, double accuracy, double ms, double megabytes, json joules) {
    set["variants"].push_back({{"id", id},
                               {"accuracy", accuracy},
                               {"frame_time_seconds", {{"cpu", ms / 1e3}}},
                               {"memory_bytes", megabytes * 1e6},
                               {"energy_joules_per_frame", std::move(joules)}});
  };
  add("a", 0.95, 8, 4, 0.010);
  add("b", 0.93, 4, 6, 0.005);
  add("c", 0.93, 5, 2, 0.005);
  add("d", 0.80, 2, 2, 0.003);
  add("e", 0.78, 3, 1, nullptr);
  return set;
}

class ParetoVerb : public ::testing::Test {
 protected:
  struct Outcome {
    int code = 0;
    std::string out;
    std::string err;
  };

  std::string file(const std::string& name, const json& set) {
    std::ofstream(folder_.path() / name) << set.dump();
    return (folder_.path() / name).string();
  }
  static Outcome pareto(VerbArguments args) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = verb_pareto(args, out, err);
    return {code, out.str(), err.str()};
  }
  // What each selection keeps, by name.
  static std::map<std::string, std::string> kept(const Outcome& outcome) {
    std::map<std::string, std::string> result;
    const json printed = json::parse(outcome.out);
    for (const json& seen : printed["sets"][0]["selections"]) {
      std::string ids;
      for (const json& id : seen["kept"]) ids += id.get<std::string>();
      result[seen["selection"]] = ids;
    }
    return result;
  }

  const test::TemporaryFolder folder_;
  const std::string set_ = file("golden.json", golden_set());
};

TEST_F(ParetoVerb, EverySelectionKeepsWhatItsDefinitionSays) {
  const Outcome outcome = pareto({set_, "--json"});
  ASSERT_EQ(outcome.code, kExitOk) << outcome.err;
  EXPECT_EQ(kept(outcome), (std::map<std::string, std::string>{
                               {"active", "abd"},
                               {"time", "abd"},
                               {"memory", "ace"},
                               {"time+memory", "ad"},  // of the time front, what is on the memory front
                               {"energy", "acde"},     // b and c are equal in it; c needs less memory
                               {"time+energy", "abd"},
                               {"none", "abcde"},
                           }));
  const json energy = json::parse(outcome.out)["sets"][0]["selections"][4];
  EXPECT_EQ(energy["not_measured"], json::array({"e"}));
  EXPECT_EQ(energy["measures"], json::array({"accuracy", "energy"}));
  EXPECT_EQ(energy["fastest"], (json{{"id", "d"}, {"frame_time_seconds", 0.002}}));
  EXPECT_EQ(energy["best"], (json{{"id", "a"}, {"accuracy", 0.95}}));
}

TEST_F(ParetoVerb, ActiveComparesTheMeasuresInForce) {
  EXPECT_EQ(kept(pareto({set_, "--json", "--selection", "active", "--measures", "time,memory"})),
            (std::map<std::string, std::string>{{"active", "abcde"}}));
  EXPECT_EQ(kept(pareto({set_, "--json", "--selection", "active", "--measures", "energy"})),
            (std::map<std::string, std::string>{{"active", "abde"}}));
}

TEST_F(ParetoVerb, RegionsCountByTheirBatchTimes) {
  json set = golden_set();
  // As one batch c is the faster of the two.
  set["variants"][1]["batch_time_seconds"] = {{"4", {{"cpu", 0.016}}}};
  set["variants"][2]["batch_time_seconds"] = {{"4", {{"cpu", 0.010}}}};
  const std::string path = file("batches.json", set);
  EXPECT_EQ(kept(pareto({path, "--json", "--selection", "time"}))["time"], "abd");
  EXPECT_EQ(kept(pareto({path, "--json", "--selection", "time", "--regions", "4"}))["time"], "acd");
}

TEST_F(ParetoVerb, TheTablesAreForPeople) {
  const Outcome outcome = pareto({set_, "--selection", "energy"});
  EXPECT_EQ(outcome.code, kExitOk);
  EXPECT_EQ(outcome.out,
            "golden on board: 5 variants\n"
            "\n"
            "selection  compares          kept  fastest  ms  best  accuracy\n"
            "energy     accuracy, energy     4  d         2  a         0.95\n"
            "\n"
            "variant  accuracy  ms  memory  energy mJ  energy\n"
            "d             0.8   2    2 MB          3  *\n"
            "e            0.78   3    1 MB          -  ?\n"
            "b            0.93   4    6 MB          5\n"
            "c            0.93   5    2 MB          5  *\n"
            "a            0.95   8    4 MB         10  *\n"
            "* kept   ? kept because a measure is absent\n");
  EXPECT_EQ(outcome.err, set_ +
                             ": warning: energy is not known for e, and `energy` compares it\n"
                             "    what was not measured is not judged: such a variant is kept\n");
}

TEST_F(ParetoVerb, AMeasureNobodyHasIsToldOnce) {
  json set = golden_set();
  for (json& variant : set["variants"]) variant.erase("energy_joules_per_frame");
  const Outcome outcome = pareto({file("bare.json", set)});
  EXPECT_NE(outcome.err.find("energy is not known for any variant, and `energy`, `time+energy` compare it"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2);
}

TEST_F(ParetoVerb, ChartsAreWrittenPerSelection) {
  const fs::path charts = folder_.path() / "new/charts";
  const Outcome outcome = pareto({set_, "--selection", "time+memory", "--out", charts.string(), "--json"});
  ASSERT_EQ(outcome.code, kExitOk) << outcome.err;
  EXPECT_EQ(file_text(charts / "golden-time+memory.csv"),
            "series,frame time (ms),accuracy,label\n"
            "left out,4,0.93,\n"
            "left out,5,0.93,\n"
            "left out,3,0.78,\n"
            "kept,8,0.95,a\n"
            "kept,2,0.8,d\n");
  EXPECT_NE(file_text(charts / "golden-time+memory.gp").find("set title 'golden: time+memory keeps 2 of 5'"),
            std::string::npos);
  const json files = json::parse(outcome.out)["sets"][0]["files"];
  ASSERT_GE(files.size(), 2u);
  for (const json& path : files) EXPECT_TRUE(fs::exists(path.get<std::string>())) << path;
}

TEST_F(ParetoVerb, AWrongCommandLineIsUsage) {
  for (const VerbArguments& args : {VerbArguments{},
                                    {set_, "--selection", "tim"},
                                    {set_, "--measures", "time,memroy"},
                                    {set_, "--measures", ""},
                                    {set_, "--regions", "0"},
                                    {set_, "--regions", "1.5"},
                                    {set_, set_, "--out", (folder_.path() / "x").string()}}) {
    const Outcome outcome = pareto(args);
    EXPECT_EQ(outcome.code, kExitUsage);
    EXPECT_NE(outcome.err.find("--help`"), std::string::npos) << outcome.err;
  }
  EXPECT_NE(pareto({set_, "--selection", "tim"}).err.find("did you mean `time`?"), std::string::npos);
  EXPECT_NE(pareto({set_, "--measures", "time,memroy"}).err.find("did you mean `memory`?"),
            std::string::npos);
}

TEST_F(ParetoVerb, EveryBrokenSetIsToldAndNothingIsPrinted) {
  json broken = golden_set();
  broken["variants"][0]["accuracy"] = 95;
  const Outcome outcome = pareto({set_, file("broken.json", broken), "/nowhere/at-all.json"});
  EXPECT_EQ(outcome.code, kExitConfig);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("/variants/0/accuracy"), std::string::npos);
  EXPECT_NE(outcome.err.find("/nowhere/at-all.json: there is no such file"), std::string::npos);
}

TEST_F(ParetoVerb, AFolderThatCannotBeMadeIsAFailure) {
  const Outcome outcome = pareto({set_, "--out", set_ + "/charts"});
  EXPECT_EQ(outcome.code, kExitFailed);
  EXPECT_NE(outcome.err.find("the folder cannot be made"), std::string::npos);
}

}  // namespace
}  // namespace saccade::app
