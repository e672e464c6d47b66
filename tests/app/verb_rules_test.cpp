// What check, plan and explain say of a configuration with rules.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/verb_outputs.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;

class RulesOfVerbs : public test::ProgramOutputs {
 protected:
  void SetUp() override {
    const std::string profiles = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/shapes.json";
    const auto rule = [](const char* id, const json& when, double fps) {
      return json{{"id", id}, {"task", "gate"}, {"when", when}, {"set", {{"fps", fps}}}};
    };
    std::ofstream(folder_ / "config.json") << json{
        {"version", 1},
        {"processors", {{{"name", "cpu"}}}},
        {"engine", {{"backend", "simulated"}}},
        {"tasks",
         {{{"id", "gate"},
           {"profiles", profiles},
           {"fps", 5},
           {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}}}},
        {"rules",
         {rule("busy", {{"presence", {{"labels", {"a", "b"}}}}}, 5000),
          rule("night", {{"clock", {{"from", "22:00"}, {"to", "06:00"}}}},
               2)}}}.dump();
  }
  [[nodiscard]] int ask(const std::vector<std::string>& verb_and_options) {
    std::vector<std::string> arguments = verb_and_options;
    arguments.insert(arguments.begin() + 1, (folder_ / "config.json").string());
    return ProgramOutputs::ask(arguments);
  }
  [[nodiscard]] double demanded(const std::string& rules) {
    EXPECT_EQ(ask({"plan", "--json", "--rules", rules}), 0) << err_;
    return json::parse(out_).at("tasks").at(0).at("demanded_fps");
  }

  test::TemporaryFolder folder_;
};

TEST_F(RulesOfVerbs, CheckCountsThemAndTellsWhatTheWorstCaseLoses) {
  EXPECT_EQ(ask({"check"}), 0) << "a warning";
  EXPECT_NE(out_.find(", 2 rules"), std::string::npos) << out_;
  EXPECT_NE(err_.find("when all rules demand their most at once, `gate` gets "), std::string::npos) << err_;
}

TEST_F(RulesOfVerbs, PlanCountsThoseThatAreChosen) {
  EXPECT_EQ(demanded("none"), 5.0);
  EXPECT_EQ(demanded("busy"), 5000.0);
  EXPECT_EQ(demanded("night"), 2.0);
  EXPECT_EQ(demanded("night,busy"), 2.0) << "in their order in the configuration: the later one wins";
  EXPECT_EQ(demanded("all"), 2.0);
  EXPECT_EQ(demanded("worst"), 5000.0);
  EXPECT_EQ(ask({"plan", "--rules", "busi"}), 78);
  EXPECT_NE(err_.find("did you mean `busy`?"), std::string::npos) << err_;
}

TEST_F(RulesOfVerbs, SimSaysThatItLeavesThemOut) {
  EXPECT_EQ(ask({"sim", "--duration", "1s", "--json"}), 0) << err_;
  EXPECT_NE(err_.find("saccade sim: 2 rules are not simulated"), std::string::npos) << err_;
  EXPECT_EQ(json::parse(out_).at("rules_not_simulated"), 2);
  EXPECT_EQ(ask({"sim", "--duration", "1s", "--seeds", "2", "--json"}), 0) << err_;
  EXPECT_EQ(json::parse(out_).at("rules_not_simulated"), 2);
  EXPECT_EQ(ask({"sim", "--duration", "1s"}), 0);
  EXPECT_NE(err_.find("saccade sim: 2 rules are not simulated"), std::string::npos) << err_;
}

TEST_F(RulesOfVerbs, ExplainNamesThemAndSaysWhichCount) {
  EXPECT_EQ(ask({"explain", "--rules", "night"}), 0);
  EXPECT_NE(out_.find("Rule busy sets fps 5000 of gate (condition: a or b in gate); it does not count here."),
            std::string::npos)
      << out_;
  EXPECT_NE(out_.find("Rule night sets fps 2 of gate (condition: 22:00 to 06:00); it counts here."),
            std::string::npos)
      << out_;
}

}  // namespace
}  // namespace saccade::app
