// A card from the command line: its memory in plans, what-ifs, explanations and simulations, and what this
// machine lacks for it in `check`, `run` and `version`.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/verbs/verbs.hpp"
#include "runtime/engines/providers.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app::accelerators_test {
namespace {

using nlohmann::json;

const std::string kCard = std::string(SACCADE_SOURCE_DIR) + "/tests/simulation/card.json";

struct Said {
  int code = 0;
  std::string out;
  std::string err;
};

template <class Verb>
Said say(Verb verb, const VerbArguments& args) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = verb(args, out, err);
  return {code, out.str(), err.str()};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CardPlans, HaveARowPerMemoryAndAnotherLimitIsAWhatIf) {
  const Said plan = say(verb_plan, {kCard, "--json"});
  ASSERT_EQ(plan.code, kExitOk) << plan.err;
  const json totals = json::parse(plan.out)["totals"];
  ASSERT_TRUE(totals["memories_bytes"]["gpu0"].is_number()) << totals;
  EXPECT_LE(totals["memories_bytes"]["gpu0"], 1.2e9);
  const double tighter = 600e6;
  const Said small = say(verb_plan, {kCard, "--json", "--set", "limits.memories.gpu0=600000000"});
  ASSERT_EQ(small.code, kExitOk) << small.err;
  EXPECT_LE(json::parse(small.out)["totals"]["memories_bytes"]["gpu0"], tighter);
  EXPECT_TRUE(has(say(verb_plan, {kCard}).out, "memory gpu0"));
}

TEST(CardPlans, TheMemoryThatBindsIsExplained) {
  const Said told = say(verb_explain, {kCard, "--set", "limits.memories.gpu0=250000000", "--set",
                                       "tasks.gate.min_accuracy=0.94", "--set", "tasks.gate.min_fps=25"});
  EXPECT_TRUE(has(told.out + told.err, "gpu0")) << told.out << told.err;
}

TEST(CardPlans, AMemoryThatNobodyNamesIsRefused) {
  const Said refused = say(verb_plan, {kCard, "--set", "limits.memories.gpu9=1000000000"});
  EXPECT_NE(refused.code, kExitOk);
  EXPECT_TRUE(has(refused.err, "no processor uses a memory")) << refused.err;
}

TEST(CardStorms, InvariantsHoldAndTheSummaryHasThePeak) {
  const Said storm = say(verb_sim, {kCard, "--duration", "40s", "--seed", "3", "--faults", "all", "--json"});
  ASSERT_EQ(storm.code, kExitOk) << storm.err;
  const json summary = json::parse(storm.out);
  EXPECT_EQ(summary["breach"], nullptr);
  EXPECT_GT(summary["memories"]["gpu0"]["peak_bytes"], 57000000);
}

class CardChecks : public ::testing::Test {
 protected:
  std::string config(const json& processor) {
    const json whole = {
        {"version", 1},
        {"processors", json::array({processor})},
        {"engine", {{"backend", "onnxruntime"}}},
        {"tasks", json::array({{{"id", "gate"},
                                {"profiles",
                                 std::string(SACCADE_SOURCE_DIR) + "/profiles/zoo/mobilenet_v2-glyphs.json"},
                                {"fps", 5},
                                {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}}})}};
    const std::filesystem::path file = folder_ / "config.json";
    std::ofstream(file) << whole;
    return file.string();
  }
  const test::TemporaryFolder folder_;
};

TEST_F(CardChecks, WhatThisMachineLacksIsSaidAndIsNoBadFile) {
  const std::string file = config({{"name", "cpu"}, {"provider", "cuda"}, {"memory", "gpu0"}});
  const Errors missing = runtime::missing_here({{"cpu", "cuda", 0}}, "");
  const Said check = say(verb_check, {file});
  EXPECT_EQ(check.code, missing.empty() ? kExitOk : kExitUnavailable) << check.err;
  EXPECT_TRUE(has(check.err, runtime::kCudaRunOn)) << check.err;
  EXPECT_TRUE(has(check.err, "it was measured with the provider `cpu`")) << check.err;
  for (const Error& error : missing) EXPECT_TRUE(has(check.err, error.what)) << check.err;
  const json verdict = json::parse(say(verb_check, {"--json", file}).out);
  EXPECT_EQ(verdict["ok"], true);
  EXPECT_EQ(verdict["files"][0].contains("unavailable"), !missing.empty());
  EXPECT_FALSE(has(say(verb_check, {config({{"name", "cpu"}})}).err, runtime::kCudaRunOn));
}

TEST_F(CardChecks, ProvidersThatAreNotServedAre69Everywhere) {
  for (const char* provider : {"tensorrt", "webgpu"}) {
    const std::string file = config({{"name", "cpu"}, {"provider", provider}});
    const Said check = say(verb_check, {file});
    EXPECT_EQ(check.code, kExitUnavailable) << check.err;
    EXPECT_TRUE(has(check.err, std::string("provider `") + provider + "`: is not served")) << check.err;
    const Said run = say(verb_run, {file, "--duration", "1s"});
    EXPECT_EQ(run.code, kExitUnavailable) << run.err;
    EXPECT_TRUE(has(run.err, "is not served")) << run.err;
  }
}

TEST_F(CardChecks, RunServesNothingFromTheCpuInstead) {
  const Said run = say(
      verb_run, {config({{"name", "cpu"}, {"provider", "cuda"}, {"memory", "gpu0"}}), "--duration", "1s"});
  const bool lacks = !runtime::missing_here({{"cpu", "cuda", 0}}, "").empty();
  EXPECT_EQ(run.code, lacks ? kExitUnavailable : kExitConfig) << run.err;
  EXPECT_TRUE(has(run.err, lacks ? "provider `cuda`: " : "can be planned but not run")) << run.err;
}

TEST(CardVersion, SaysOnWhichCardTheAdapterWasRun) {
  EXPECT_TRUE(has(say(verb_version, {}).out, runtime::kCudaRunOn));
  EXPECT_EQ(json::parse(say(verb_version, {"--json"}).out)["notes"][0], runtime::kCudaRunOn);
}

}  // namespace
}  // namespace saccade::app::accelerators_test
