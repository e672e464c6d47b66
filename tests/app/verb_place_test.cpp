// `saccade layers` and `saccade place` from the outside.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/report/exit_codes.hpp"
#include "app/verbs/verbs.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app::verb_place_test {
namespace {

using nlohmann::json;

struct Outcome {
  int code = 0;
  std::string out, err;
};

Outcome run(int (*verb)(const VerbArguments&, std::ostream&, std::ostream&), const VerbArguments& args) {
  std::ostringstream out, err;
  const int code = verb(args, out, err);
  return {code, out.str(), err.str()};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string kGoogLeNet = std::string(SACCADE_SOURCE_DIR) + "/examples/placement/googlenet-xavier.json";
const std::string kNetwork =
    std::string(SACCADE_SOURCE_DIR) + "/profiles/zoo/mobilenet_v2-glyphs/w1.00-d1.00-fp32.onnx";

TEST(PlaceVerb, FindsThePublishedBestPipelineOfGoogLeNet) {
  const Outcome done = run(verb_place, {kGoogLeNet, "--json"});
  ASSERT_EQ(done.code, kExitOk) << done.err;
  const json report = json::parse(done.out);
  EXPECT_EQ(report["network"], "GoogLeNet");
  EXPECT_EQ(report["best"], "exact");
  const json& answer = report["strategies"][0];
  EXPECT_LE(answer["evaluated"].get<double>(), 1.257e-3 + 5e-7);
  EXPECT_DOUBLE_EQ(answer["evaluated"], report["bound"]);
  const json two = json::parse(run(verb_place, {kGoogLeNet, "--max-stages", "2", "--json"}).out);
  const json& stages = two["strategies"][0]["stages"];
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0], (json{{"first_layer", 0}, {"last_layer", 1}, {"processors", {"dla"}}}));
  EXPECT_NEAR(two["strategies"][0]["evaluated"].get<double>(), 1.257e-3, 5e-7);
}

TEST(PlaceVerb, PrintsEveryStrategyAndWhyTheBestIsAsItIs) {
  const Outcome done = run(verb_place, {kGoogLeNet, "--strategy", "all"});
  ASSERT_EQ(done.code, kExitOk) << done.err;
  for (const char* part : {"single", "two-stage", "k-stage", "dynamic-cut", "it knows only energy", "jedi",
                           "exact", "the layers have no weights", "it binds", "cross from"}) {
    EXPECT_TRUE(has(done.out, part)) << part << " in\n" << done.out;
  }
}

TEST(PlaceVerb, ADeadlineThatNothingMeetsNamesTheLeastPossible) {
  const Outcome done = run(verb_place, {kGoogLeNet, "--objective", "latency", "--deadline", "0.001"});
  EXPECT_EQ(done.code, kExitInfeasible);
  EXPECT_TRUE(has(done.err, "a frame takes 0.00176"));
}

TEST(PlaceVerb, WhatDoesNotFitIsNotToldAsTooSlow) {
  const test::TemporaryFolder folder;
  std::ifstream in(kGoogLeNet);
  json document = json::parse(in);
  for (json& processor : document["processors"]) processor["memory_limit_bytes"] = 10;
  for (json& layer : document["layers"]) layer["weight_bytes"] = 100;
  std::ofstream(folder / "layers.json") << document.dump();
  const std::string file = folder / "layers.json";
  const Outcome done = run(verb_place, {file});
  EXPECT_EQ(done.code, kExitInfeasible);
  EXPECT_TRUE(has(done.err, "or more of `memory_limit_bytes`")) << done.err;
  const Outcome late = run(verb_place, {file, "--objective", "latency", "--deadline", "1"});
  EXPECT_EQ(late.code, kExitInfeasible);
  EXPECT_TRUE(has(late.err, "or more of `memory_limit_bytes`")) << late.err;
}

TEST(PlaceVerb, AProcessorWithoutTimesIsRefusedWithAllElseThatIsWrong) {
  const test::TemporaryFolder folder;
  std::ifstream in(kGoogLeNet);
  json document = json::parse(in);
  document["processors"].push_back({{"id", "npu"}});
  document["layers"][4]["seconds"] = json::object();
  document["model"] = "net.onnx";
  document["sha256"] = std::string(64, 'a');
  std::ofstream(folder / "net.onnx") << "another model";
  std::ofstream(folder / "layers.json") << document.dump();
  const Outcome done = run(verb_place, {folder / "layers.json", "--objective", "energy"});
  EXPECT_EQ(done.code, kExitConfig);
  for (const char* part :
       {"/processors/2: no layer has a time on `npu`", "/layers/4: the layer has a time on no processor",
        "net.onnx", "not every layer has an energy"}) {
    EXPECT_TRUE(has(done.err, part)) << part << " in\n" << done.err;
  }
}

TEST(PlaceVerb, RefusesBadOptionsAllAtOnce) {
  const Outcome done =
      run(verb_place, {kGoogLeNet, "--objective", "speed", "--deadline", "soon", "--max-stages", "0",
                       "--profit", "gold", "--overhead", "some", "--strategy", "two-stages"});
  EXPECT_EQ(done.code, kExitUsage);
  for (const char* part :
       {"--objective", "--deadline", "--max-stages", "--profit", "--overhead", "did you mean `two-stage`?"}) {
    EXPECT_TRUE(has(done.err, part)) << part;
  }
}

TEST(PlaceVerb, EnergiesThatAreNotThereAreNotMadeUp) {
  const Outcome done = run(verb_place, {kGoogLeNet, "--objective", "energy"});
  EXPECT_EQ(done.code, kExitConfig);
  EXPECT_TRUE(has(done.err, "not every layer has an energy"));
}

TEST(LayersVerb, WritesWhatPlaceReadsOnceTimesAreThere) {
  const test::TemporaryFolder folder;
  const Outcome layers = run(verb_layers, {kNetwork, "--json"});
  ASSERT_EQ(layers.code, kExitOk) << layers.err;
  json document = json::parse(layers.out);
  ASSERT_GT(document["layers"].size(), 10U);
  const auto write = [&] {
    std::ofstream(folder / "layers.json") << document.dump();
    return (folder / "layers.json").string();
  };
  const Outcome without = run(verb_place, {write()});
  EXPECT_EQ(without.code, kExitConfig);
  EXPECT_TRUE(has(without.err, "names no processors"));

  document["processors"] = {{{"id", "cpu0"}}, {{"id", "cpu1"}}};
  document["links"] = {{{"from", "cpu0"}, {"to", "cpu1"}, {"seconds_per_byte", 1e-10}}};
  for (json& layer : document["layers"]) {
    const double seconds = 1e-10 * layer["multiply_adds"].get<double>() + 1e-5;
    layer["seconds"] = {{"cpu0", seconds}, {"cpu1", seconds * 2}};
  }
  const Outcome placed = run(verb_place, {write(), "--strategy", "all", "--json"});
  ASSERT_EQ(placed.code, kExitOk) << placed.err;
  const json report = json::parse(placed.out);
  int answers = 0;
  for (const json& row : report["strategies"]) {
    if (!row.contains("evaluated")) continue;
    ++answers;
    EXPECT_GE(row["evaluated"].get<double>(), report["bound"].get<double>() * (1 - 1e-12)) << row["strategy"];
  }
  EXPECT_EQ(answers, 7);  // all but the two that know only energy

  document["layers"][3]["seconds"] = json::object();
  const Outcome missing = run(verb_place, {write()});
  EXPECT_EQ(missing.code, kExitConfig);
  EXPECT_TRUE(has(missing.err, "/layers/3"));
}

TEST(LayersVerb, AFileOfAnotherModelIsRefused) {
  const test::TemporaryFolder folder;
  json document = json::parse(run(verb_layers, {kNetwork, "--json"}).out);
  document["processors"] = {{{"id", "cpu"}}};
  for (json& layer : document["layers"]) layer["seconds"] = {{"cpu", 0.001}};
  std::ofstream(folder / "layers.json") << document.dump();
  std::ofstream(folder.path() / document["model"].get<std::string>()) << "another model";
  const Outcome done = run(verb_place, {(folder / "layers.json").string()});
  EXPECT_EQ(done.code, kExitConfig);
  EXPECT_TRUE(has(done.err, document["model"].get<std::string>())) << done.err;
}

TEST(LayersVerb, PrintsATableAndRefusesBadOptions) {
  const Outcome table = run(verb_layers, {kNetwork, "--groups", "coarse", "--max-live-tensors", "2"});
  ASSERT_EQ(table.code, kExitOk) << table.err;
  EXPECT_TRUE(has(table.out, "multiply-adds"));
  EXPECT_TRUE(has(table.out, " cuts\n"));
  EXPECT_EQ(run(verb_layers, {kNetwork, "--groups", "huge"}).code, kExitUsage);
  EXPECT_EQ(run(verb_layers, {kNetwork, "--max-live-tensors", "0"}).code, kExitUsage);
  EXPECT_EQ(run(verb_layers, {"no-such.onnx"}).code, kExitConfig);
}

}  // namespace
}  // namespace saccade::app::verb_place_test
