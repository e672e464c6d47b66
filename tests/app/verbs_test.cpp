#include "app/verbs/verbs.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/table.hpp"
#include "config/schemas.hpp"

namespace saccade::app::verbs_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kCorpus = fs::path(SACCADE_SOURCE_DIR) / "tests/config/corpus";
const std::string kSmallest = (kCorpus / "good/smallest.json").string();

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

Outcome saccade(const VerbArguments& args) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_program(args, out, err);
  return {code, out.str(), err.str()};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A file that is gone with the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(fs::temp_directory_path() / ("saccade-verbs-" + std::to_string(::getpid()) + ".json")) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { fs::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

// A configuration of the tests' profile sets, with `change` merged in.
std::string config_with(const json& change) {
  const std::string profiles = (fs::path(SACCADE_SOURCE_DIR) / "tests/support/profiles/shapes.json").string();
  json config =
      json::parse(R"({"version": 1, "processors": [{"name": "cpu"}], "engine": {"backend": "simulated"}})");
  for (const char* id : {"gate", "dock"}) {
    config["tasks"].push_back({{"id", id},
                               {"profiles", profiles},
                               {"fps", 100},
                               {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}});
  }
  config.merge_patch(change);
  return config.dump();
}

TEST(Program, HelpListsEveryVerbAndEveryVerbHasHelp) {
  const Outcome help = saccade({"--help"});
  EXPECT_EQ(help.code, kExitOk);
  for (const Verb& verb : verbs()) {
    EXPECT_TRUE(contains(help.out, verb.name));
    const Outcome own = saccade({verb.name, "--help"});
    EXPECT_EQ(own.code, kExitOk) << verb.name;
    EXPECT_TRUE(contains(own.out, std::string("saccade ") + verb.name));
    EXPECT_EQ(own.err, "");
  }
}

TEST(Program, AWrongCommandLineIsUsage) {
  EXPECT_EQ(saccade({}).code, kExitUsage);
  const Outcome misspelt = saccade({"chekc"});
  EXPECT_EQ(misspelt.code, kExitUsage);
  EXPECT_TRUE(contains(misspelt.err, "did you mean `check`?"));
  for (const VerbArguments& args : {VerbArguments{"check"},
                                    {"plan"},
                                    {"plan", kSmallest, kSmallest},
                                    {"plan", kSmallest, "--jso"},
                                    {"plan", kSmallest, "--at"},
                                    {"plan", kSmallest, "--at", "soon"},
                                    {"plan", kSmallest, "--at", "-1"},
                                    {"plan", kSmallest, "--policy", "best"},
                                    {"plan", kSmallest, "--objective", "fast"},
                                    {"explain"},
                                    {"explain", kSmallest, "--set"},
                                    {"plan", kSmallest, "--at", "1", "--at", "2"},
                                    {"schema", "plan"},
                                    {"version", "now"}}) {
    const Outcome outcome = saccade(args);
    EXPECT_EQ(outcome.code, kExitUsage) << args.back();
    EXPECT_TRUE(contains(outcome.err, "--help`")) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Version, IsPrinted) {
  EXPECT_TRUE(contains(saccade({"version"}).out, "saccade 0."));
  EXPECT_EQ(saccade({"--version"}).out, saccade({"version"}).out);
  EXPECT_TRUE(json::parse(saccade({"version", "--json"}).out)["version"].is_string());
}

TEST(Schema, IsTheOneOfTheFolder) {
  for (const auto& [name, schema] : {std::pair{"config", config::config_schema()},
                                     {"profile", config::profile_schema()},
                                     {"fleet", config::fleet_schema()}}) {
    const fs::path file = fs::path(SACCADE_SOURCE_DIR) / "docs/schema" / (std::string(name) + ".schema.json");
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(schema, text);
    EXPECT_EQ(saccade({"schema", name}).out, text);
  }
  EXPECT_EQ(saccade({"schema"}).out, config::config_schema());
}

TEST(Check, SaysOkOfAGoodConfigurationAndAGoodProfileSet) {
  const std::string profiles = (fs::path(SACCADE_SOURCE_DIR) / "tests/support/profiles/shapes.json").string();
  const Outcome outcome = saccade({"check", kSmallest, profiles});
  EXPECT_EQ(outcome.code, kExitOk);
  EXPECT_TRUE(contains(outcome.out, kSmallest + ": ok, 1 task on 1 processor"));
  EXPECT_TRUE(contains(outcome.out, profiles + ": ok, profile set of test-shapes, 4 variants"));
}

TEST(Check, WarnsOfAProfileThatWasMeasuredWhoKnowsWhere) {
  const std::string profiles = (fs::path(SACCADE_SOURCE_DIR) / "tests/support/profiles/shapes.json").string();
  const std::string told = "it is not known on what machine it was measured";
  const Outcome set = saccade({"check", profiles});
  EXPECT_EQ(set.code, kExitOk);
  EXPECT_TRUE(contains(set.err, told)) << set.err;
  EXPECT_TRUE(contains(set.err, "saccade profile " + profiles + " --quick --out HERE/shapes.json"))
      << set.err;
  EXPECT_TRUE(contains(saccade({"check", kSmallest}).err, told));
  // Simulated engines are the same everywhere.
  EXPECT_FALSE(contains(saccade({"check", (kCorpus / "good/everything.json").string()}).err, told));
}

TEST(Check, TellsEveryMistakeOfEveryFile) {
  const std::string bad = (kCorpus / "bad/many-mistakes.json").string();
  const Outcome outcome = saccade({"check", kSmallest, bad});
  EXPECT_EQ(outcome.code, kExitConfig);
  EXPECT_TRUE(contains(outcome.out, "ok"));
  EXPECT_TRUE(contains(outcome.err,
                       " /tasks/0/min_accuracy: must be between 0 and 1, but is 95\n"
                       "    did you mean 0.95?"));
  EXPECT_TRUE(contains(outcome.err, bad + ": 8 errors"));
  const json verdict = json::parse(saccade({"check", "--json", kSmallest, bad}).out);
  EXPECT_EQ(verdict["ok"], false);
  EXPECT_EQ(verdict["files"][0]["ok"], true);
  EXPECT_EQ(verdict["files"][1]["errors"].size(), 8u);
}

TEST(Check, AMissingFileIsABadConfiguration) {
  const Outcome outcome = saccade({"check", "/nowhere/at-all.json"});
  EXPECT_EQ(outcome.code, kExitConfig);
  EXPECT_TRUE(contains(outcome.err, "/nowhere/at-all.json: there is no such file"));
}

TEST(PlanVerb, PrintsTheDocumentedKeys) {
  const TemporaryFile config(config_with(json::object()));
  const Outcome outcome = saccade({"plan", config.path(), "--json"});
  ASSERT_EQ(outcome.code, kExitOk) << outcome.err;
  const json plan = json::parse(outcome.out);
  for (const char* key : {"status", "policy", "objective", "objective_value", "bound", "gap", "loss",
                          "loss_gap", "solve_seconds", "tasks", "totals", "binding", "violated_limits",
                          "reasons", "relaxations", "fallback"}) {
    EXPECT_TRUE(plan.contains(key)) << key;
  }
  EXPECT_EQ(plan["status"], "optimal");
  for (const char* key :
       {"id", "variant", "demanded_fps", "granted_fps", "accuracy", "relative_accuracy", "time_share"}) {
    EXPECT_TRUE(plan["tasks"][0].contains(key)) << key;
  }
  for (const char* key :
       {"time_share", "memory_bytes", "energy_joules_per_second", "peak_power_watts", "lost_fps"}) {
    EXPECT_TRUE(plan["totals"].contains(key)) << key;
  }
  EXPECT_TRUE(plan["totals"]["energy_joules_per_second"].is_null()) << "not measured is null, not 0";
  EXPECT_FALSE(plan.contains("considered"));
  const json more = json::parse(saccade({"plan", config.path(), "--json", "--variants-considered"}).out);
  EXPECT_EQ(more["considered"][0]["task"], "gate");
  EXPECT_EQ(more["considered"][0]["variants"], 4);
}

TEST(PlanVerb, ChoosesTheStateOfTheMoment) {
  const TemporaryFile config(
      config_with({{"timeline",
                    {{{"at_seconds", 5}, {"patch", {{"tasks", {{"gate", {{"fps", 0}}}}}}}},
                     {{"at_seconds", 9}, {"patch", {{"objective", "min_memory"}}}}}}}));
  const auto plan = [&](const std::string& at) {
    return json::parse(saccade({"plan", config.path(), "--json", "--at", at}).out);
  };
  EXPECT_EQ(plan("4.999")["tasks"][0]["demanded_fps"], 100.0);
  EXPECT_EQ(plan("5")["tasks"][0]["demanded_fps"], 0.0);
  EXPECT_TRUE(plan("5")["tasks"][0]["variant"].is_null());
  EXPECT_EQ(plan("5")["objective"], "max_accuracy");
  EXPECT_EQ(plan("100")["objective"], "min_memory");
}

TEST(PlanVerb, WhatRunsIsTakenFromAnEarlierPlan) {
  // Two identical tasks of which one may be best: the tie goes to what runs.
  const TemporaryFile config(config_with({{"fps_scale", 1.3}}));
  json plan = json::parse(saccade({"plan", config.path(), "--json"}).out);
  ASSERT_NE(plan["tasks"][0]["variant"], plan["tasks"][1]["variant"]) << plan.dump(1);
  std::swap(plan["tasks"][0]["variant"], plan["tasks"][1]["variant"]);
  const fs::path running = config.path() + ".running";
  std::ofstream(running) << plan.dump();
  const json again =
      json::parse(saccade({"plan", config.path(), "--json", "--running", running.string()}).out);
  EXPECT_EQ(again["tasks"][0]["variant"], plan["tasks"][0]["variant"]);
  EXPECT_EQ(again["tasks"][1]["variant"], plan["tasks"][1]["variant"]);

  plan["tasks"][0]["variant"] = "w9";
  std::ofstream(running) << plan.dump();
  const Outcome refused = saccade({"plan", config.path(), "--running", running.string()});
  EXPECT_EQ(refused.code, kExitConfig);
  EXPECT_TRUE(contains(refused.err, "/tasks/0/variant: task `gate` has no variant `w9`")) << refused.err;
  fs::remove(running);
}

TEST(PlanVerb, ConflictingLimitsExitAsInfeasibleWithAFallback) {
  const TemporaryFile config(config_with({{"limits", {{"memory_bytes", 3e6}}}, {"degrade", "refuse"}}));
  const Outcome outcome = saccade({"plan", config.path(), "--json"});
  EXPECT_EQ(outcome.code, kExitInfeasible);
  const json plan = json::parse(outcome.out);
  EXPECT_EQ(plan["status"], "infeasible");
  EXPECT_TRUE(plan["tasks"][0]["variant"].is_null());
  EXPECT_TRUE(plan["fallback"].is_object());
  EXPECT_TRUE(contains(saccade({"plan", config.path()}).out, "What runs instead: "));
}

TEST(CommandLine, AllItsMistakesAreReportedAtOnce) {
  const auto complaint = [](const VerbArguments& args) {
    const Outcome outcome = saccade(args);
    EXPECT_EQ(outcome.code, kExitUsage) << outcome.err;
    return outcome.err;
  };
  EXPECT_EQ(
      complaint({"run", kSmallest, "--duration", "soon", "--start-at", "late", "--policy", "best"}),
      "saccade run: --duration takes a time from 0 to 1e9 seconds, as in 90, 90s, 5m or 24h, not `soon`\n"
      "saccade run: --start-at takes a time from 0 to 1e9 seconds, as in 90, 90s, 5m or 24h, not `late`\n"
      "saccade run: there is no policy `best`\n"
      "Try `saccade run --help`.\n");
  EXPECT_EQ(complaint({"sim", kSmallest, "--seed", "x", "--seeds", "0", "--faults", "rain,snow"}),
            "saccade sim: --seed takes a whole number, not `x`\n"
            "saccade sim: --seeds takes a number above 0\n"
            "saccade sim: there is no fault `rain`\n"
            "saccade sim: there is no fault `snow`\n"
            "Try `saccade sim --help`.\n");
  EXPECT_EQ(complaint({"plan", kSmallest, "--at", "soon", "--policy", "best", "--objective", "speed"}),
            "saccade plan: --at takes seconds from 0 to 1e9, not `soon`\n"
            "saccade plan: there is no policy `best`\n"
            "saccade plan: there is no objective `speed`\n"
            "Try `saccade plan --help`.\n");
  const std::string profile =
      complaint({"profile", "x.json", "--model-power", "1", "--quick", "--verify", "--out", "y.json"});
  for (const char* mistake :
       {"--model-power takes two numbers", "exclude each other", "--out says how to write"}) {
    EXPECT_TRUE(contains(profile, mistake)) << profile;
  }
}

TEST(PlanVerb, WhatIfDoesWhateverAChangeOfARunningServiceCanDo) {
  const TemporaryFile config(config_with(json::object()));
  const auto plan = [&](const std::string& setting) {
    return saccade({"plan", config.path(), "--json", "--set", setting});
  };
  for (const char* setting : {"tasks.gate.regions={\"grid\":[2,2]}", "heuristics.within_limits=true",
                              "solver.min_dwell_seconds=3", "fps_scale=0.5"}) {
    EXPECT_EQ(plan(setting).code, kExitOk) << setting << plan(setting).err;
  }
  EXPECT_EQ(json::parse(plan("fps_scale=0.5").out)["tasks"][0]["demanded_fps"], 50.0);
  const Outcome fixed = plan("policy=greedy");
  EXPECT_EQ(fixed.code, kExitConfig);
  EXPECT_TRUE(contains(fixed.err, "--set:1 /policy: the policy cannot change while the service runs"))
      << fixed.err;
}

TEST(PlanVerb, WhatIfShowsBothPlans) {
  const TemporaryFile config(config_with(json::object()));
  const json plan = json::parse(
      saccade({"plan", config.path(), "--json", "--set", "tasks.gate.fps=7", "--set", "objective=min_memory"})
          .out);
  EXPECT_EQ(plan["objective"], "min_memory");
  EXPECT_EQ(plan["tasks"][0]["demanded_fps"], 7.0);
  EXPECT_EQ(plan["before"]["objective"], "max_accuracy");
  EXPECT_EQ(plan["before"]["tasks"][0]["demanded_fps"], 100.0);
  const Outcome table = saccade({"plan", config.path(), "--set", "tasks.gate.fps=7"});
  EXPECT_EQ(table.code, kExitOk) << table.err;
  EXPECT_TRUE(contains(table.out, "before: optimal")) << table.out;
  EXPECT_TRUE(contains(table.out, "changed")) << table.out;
}

TEST(PlanVerb, WhatIfComplainsAsTheConfigurationDoes) {
  const TemporaryFile config(config_with(json::object()));
  const auto complaint = [&](const VerbArguments& settings) {
    VerbArguments args = {"plan", config.path()};
    for (const std::string& setting : settings) args.insert(args.end(), {"--set", setting});
    const Outcome outcome = saccade(args);
    EXPECT_EQ(outcome.code, kExitConfig) << outcome.out;
    return outcome.err;
  };
  EXPECT_TRUE(contains(complaint({"tasks.gate.min_acuracy=0.5"}), "did you mean `min_accuracy`?"));
  EXPECT_TRUE(contains(complaint({"tasks.gaet.fps=7"}), "did you mean `gate`?"));
  EXPECT_TRUE(contains(complaint({"tasks.dock.fps=1", "tasks.gate.min_accuracy=95"}),
                       "--set:2 /tasks/gate/min_accuracy"));
  EXPECT_TRUE(contains(complaint({"objective=min_energy"}), "w1.00-fp32"));
  EXPECT_TRUE(contains(complaint({"tasks.gate.fps=1", "tasks.gate.fps=2"}), "is set twice"));
  EXPECT_TRUE(contains(complaint({"fast"}), "path=value"));
}

TEST(ExplainVerb, TellsWhatRunsAndWhatWouldMakeTheDemandFit) {
  const TemporaryFile config(config_with({{"fps_scale", 20}}));
  const Outcome outcome = saccade({"explain", config.path()});
  EXPECT_EQ(outcome.code, kExitOk) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "Not everything that is demanded fits")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "`gate` runs `")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "The whole demand would fit with ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "proven")) << outcome.out;
  const json told = json::parse(saccade({"explain", config.path(), "--json"}).out);
  EXPECT_EQ(told["plan"]["status"], "degraded");
  EXPECT_EQ(told["sentences"][0]["about"], "plan");
  EXPECT_FALSE(told["whole_demand"].empty());
}

TEST(ExplainVerb, SaysThatAllIsWellWhenItIs) {
  const TemporaryFile config(config_with(json::object()));
  const Outcome outcome = saccade({"explain", config.path()});
  EXPECT_TRUE(contains(outcome.out, "Everything that is demanded fits")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "would fit with")) << outcome.out;
}

TEST(PlanVerb, BothSolversGiveTheSamePlan) {
  std::vector<json> tasks;
  for (const char* backend : {"core", "glpk"}) {
    const TemporaryFile config(config_with({{"fps_scale", 1.3}, {"solver", {{"backend", backend}}}}));
    tasks.push_back(json::parse(saccade({"plan", config.path(), "--json"}).out)["tasks"]);
  }
  EXPECT_EQ(tasks[0], tasks[1]);
}

TEST(PlanVerb, AnObjectiveOnAMissingMeasureIsRefused) {
  const TemporaryFile config(config_with(json::object()));
  const Outcome outcome = saccade({"plan", config.path(), "--objective", "min_energy"});
  EXPECT_EQ(outcome.code, kExitConfig);
  EXPECT_TRUE(contains(outcome.err, "w1.00-fp32")) << outcome.err;
}

TEST(PlanVerb, ABadConfigurationIsToldAsCheckTellsIt) {
  const std::string bad = (kCorpus / "bad/many-mistakes.json").string();
  const Outcome outcome = saccade({"plan", bad, "--json"});
  EXPECT_EQ(outcome.code, kExitConfig);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(contains(outcome.err, "/tasks/0/min_accuracy"));
}

TEST(TableForPeople, ColumnsAreAsWideAsTheirWidestCell) {
  Table table({{"id", Table::Align::left}, {"fps", Table::Align::right}});
  table.add_row({"caf\xC3\xA9", "5"});
  table.add_row({"x", "1234"});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(), "id     fps\ncaf\xC3\xA9     5\nx     1234\n");
  EXPECT_EQ(short_bytes(41'234'000), "41.23 MB");
  EXPECT_EQ(short_number(0.97831234), "0.9783");
}

TEST(Numbers, AreReadAsAWholeOrNotAtAll) {
  EXPECT_EQ(number_from("2.5", 0.0), 2.5);
  for (const char* text : {"", "2.5s", " 1", "nan", "inf", "-1", "1e999"}) {
    EXPECT_EQ(number_from(text, 0.0), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace saccade::app::verbs_test
