// `saccade profile --layers` and `saccade place SET.json --layers FILE` from the outside: a network of the
// zoo measured in parts, cut, and planned with.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/report/cut_explanation.hpp"
#include "app/report/exit_codes.hpp"
#include "app/report/placement_plot.hpp"
#include "app/verbs/profile_layers.hpp"
#include "app/verbs/verbs.hpp"
#include "config/layer_file.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "tests/support/onnx_graph.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path kZoo = fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo";
const std::string kSet = (kZoo / "mobilenet_v2-glyphs.json").string();
const std::string kVariant = "w0.55-d0.50-fp32";

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

// The layers of the variant with made-up times: `slow` takes 2.5 times as long for products, not for bytes.
json made_up_layers() {
  const Outcome done =
      run(verb_layers, {(kZoo / "mobilenet_v2-glyphs" / (kVariant + ".onnx")).string(), "--json"});
  EXPECT_EQ(done.code, kExitOk) << done.err;
  json file = json::parse(done.out);
  file["processors"] = json::array({json{{"id", "fast"}}, json{{"id", "slow"}}});
  file["links"] = json::array();
  for (const auto& [from, to] : {std::pair{"fast", "slow"}, {"slow", "fast"}})
    file["links"].push_back(
        {{"from", from}, {"to", to}, {"fixed_seconds", 1e-5}, {"seconds_per_byte", 1e-10}});
  for (json& layer : file["layers"]) {
    const double products = layer["multiply_adds"].get<double>(),
                 bytes = layer["working_bytes"].get<double>();
    layer["seconds"] = {{"fast", 2e-10 * products + 5e-9 * bytes}, {"slow", 5e-10 * products + 6e-9 * bytes}};
    if (layer.contains("before")) layer["before"]["apart_seconds"] = {{"fast", 1e-6}, {"slow", 2e-6}};
  }
  return file;
}

class PlaceSet : public ::testing::Test {
 protected:
  std::string write(const char* name, const json& document) {
    const fs::path path = folder_ / name;
    std::ofstream(path) << document.dump(1);
    return path.string();
  }
  Outcome place(const std::vector<std::string>& more, const std::string& set = kSet) {
    VerbArguments args = {set, "--out", out_.string()};
    args.insert(args.end(), more.begin(), more.end());
    return run(verb_place, args);
  }

  test::TemporaryFolder folder_;
  fs::path out_ = folder_ / "placed.json";
};

TEST_F(PlaceSet, WritesStagedVariantsAndTheirModels) {
  const Outcome done = place({"--layers", write("layers.json", made_up_layers()), "--json"});
  ASSERT_EQ(done.code, kExitOk) << done.err;
  const auto set = profiles::read_profile_set(out_);
  ASSERT_TRUE(set) << to_string(set.errors());
  std::size_t staged = 0, alone = 0;
  for (const profiles::Variant& variant : set.value().variants) {
    alone += has(variant.id.str(), "-on-") ? 1 : 0;
    if (variant.staging.empty()) continue;
    ++staged;
    EXPECT_EQ(variant.frame_time.size(), 2U);
    EXPECT_NEAR(
        variant.staging.max_fps.value(),
        1.0 / std::max(variant.frame_time.begin()->second, variant.frame_time.rbegin()->second).value(),
        1e-6 * variant.staging.max_fps.value());
    for (const profiles::Stage& stage : variant.staging.stages)
      EXPECT_TRUE(fs::is_regular_file(folder_.path() / stage.model)) << stage.model;
  }
  EXPECT_EQ(alone, 2U) << "on either processor, which the set did not have";
  EXPECT_GE(staged, 3U);
  EXPECT_EQ(json::parse(done.out)["variants"].size(), staged + alone);
  EXPECT_EQ(run(verb_check, {out_.string()}).code, kExitOk) << run(verb_check, {out_.string()}).out;
}

TEST_F(PlaceSet, CheckFindsAStageThatWasReplaced) {
  ASSERT_EQ(place({"--layers", write("layers.json", made_up_layers())}).code, kExitOk);
  const auto set = profiles::read_profile_set(out_).value();
  std::ofstream(folder_.path() / set.variants.back().staging.stages[0].model) << "something else";
  const Outcome checked = run(verb_check, {out_.string()});
  EXPECT_EQ(checked.code, kExitConfig);
  EXPECT_TRUE(has(checked.out + checked.err, "/stages/0/model")) << checked.out << checked.err;
}

// Files whose hashes were not recorded, or were recorded of the wrong files.
TEST_F(PlaceSet, CheckFindsStagesThatTheirModelsDoNotFit) {
  ASSERT_EQ(place({"--layers", write("layers.json", made_up_layers()), "--columns", "8"}).code, kExitOk);
  std::ifstream in(out_);
  const json good = json::parse(in);
  std::size_t v = 0;
  while (!good["variants"][v].contains("stages")) ++v;
  const std::string stages = "/variants/" + std::to_string(v) + "/stages/";
  const auto complaints = [&](const std::function<void(json&)>& change) {
    json set = good;
    change(set["variants"][v]["stages"]);
    const Outcome done = run(verb_check, {write("changed.json", set)});
    EXPECT_EQ(done.code, kExitConfig);
    return done.out + done.err;
  };
  std::string told = complaints([](json& changed) {
    for (const auto& [stage, key] : {std::pair{0, "gives"}, {1, "takes"}}) {
      changed[stage][key][0]["shape"].back() = 77;  // still the same on both sides
    }
  });
  EXPECT_TRUE(has(told, stages + "0/gives/0: the stage gives")) << told;
  EXPECT_TRUE(has(told, stages + "1/takes/0: the stage takes")) << told;
  EXPECT_TRUE(has(told, "77], but its model has fp32 [")) << told;
  told = complaints([](json& changed) {
    changed[0]["gives"][0]["name"] = changed[1]["takes"][0]["name"] = "another";
  });
  EXPECT_TRUE(has(told, "the stage gives `another`, but its model has")) << told;
  EXPECT_TRUE(has(told, stages + "1/takes: the stage's model takes")) << told;
  told = complaints([](json& changed) {  // the second stage's file is the first one's
    changed[1]["model"] = changed[0]["model"];
    changed[1].erase("sha256");
  });
  EXPECT_TRUE(has(told, stages + "1/takes/0: the stage takes")) << told;
}

TEST_F(PlaceSet, PlansWithStagesAndExplainsTheirCuts) {
  ASSERT_EQ(place({"--layers", write("layers.json", made_up_layers()), "--columns", "8"}).code, kExitOk);
  const auto set = profiles::read_profile_set(out_).value();
  double best = 0.0, single = 0.0;
  for (const profiles::Variant& variant : set.variants) {
    if (!variant.staging.empty()) best = std::max(best, variant.staging.max_fps.value());
    if (has(variant.id.str(), "-on-fast")) single = 1.0 / variant.frame_time.begin()->second.value();
  }
  ASSERT_GT(best, 1.05 * single);
  // More than either processor can do alone, so the plan has to split the network.
  const json task = {{"id", "gate"},
                     {"profiles", "placed.json"},
                     {"fps", std::floor(0.9 * best)},
                     {"min_fps", std::floor(0.9 * best)},
                     {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}};
  json document = {{"version", 1}};
  document["processors"] = json::array({json{{"name", "fast"}}, json{{"name", "slow"}}});
  document["tasks"] = json::array({task});
  const std::string config = write("config.json", document);
  const Outcome planned = run(verb_plan, {config, "--json"});
  ASSERT_EQ(planned.code, kExitOk) << planned.out << planned.err;
  EXPECT_TRUE(has(planned.out, kVariant + "-p")) << planned.out;
  const Outcome explained = run(verb_explain, {config});
  ASSERT_EQ(explained.code, kExitOk) << explained.err;
  for (const char* part : {"stages: processor `", "binds with", "It is cut before layer", "one layer"})
    EXPECT_TRUE(has(explained.out, part)) << part << "\n" << explained.out;
}

TEST_F(PlaceSet, TellsAllThatIsWrongWithALayerFile) {
  json other = made_up_layers();
  other["sha256"] = std::string(64, 'a');
  Outcome done = place({"--layers", write("layers.json", other)});
  EXPECT_EQ(done.code, kExitConfig);
  EXPECT_TRUE(has(done.err, "it describes another model")) << done.err;

  json inside = made_up_layers();
  inside["layers"][2]["before"]["tensors"] = {"no-such-tensor"};
  inside["layers"][3]["before"]["tensors"] = json::array();
  done = place({"--layers", write("layers.json", inside)});
  EXPECT_EQ(done.code, kExitConfig);
  EXPECT_TRUE(has(done.err, "/layers/2/before")) << done.err;
  EXPECT_TRUE(has(done.err, "that is inside a layer")) << done.err;
  EXPECT_TRUE(has(done.err, "/layers/3/before")) << done.err;

  json untimed = made_up_layers();
  untimed["layers"][1].erase("seconds");
  done = place({"--layers", write("layers.json", untimed), "--layers", write("other.json", other)});
  EXPECT_EQ(done.code, kExitConfig);
  EXPECT_TRUE(has(done.err, "the layer has a time on no processor")) << done.err;
  EXPECT_TRUE(has(done.err, "it describes another model")) << done.err;
  EXPECT_FALSE(fs::exists(out_)) << "nothing is written";
}

TEST_F(PlaceSet, TellsOfOneFileAllThatIsWrongWithIt) {
  json file = made_up_layers();
  file["processors"].push_back({{"id", "npu"}});
  file["layers"][1].erase("seconds");
  file["layers"][2]["before"]["tensors"] = {"no-such-tensor"};
  const Outcome done = place({"--layers", write("layers.json", file)});
  EXPECT_EQ(done.code, kExitConfig);
  for (const char* part : {"/processors/2: no layer has a time on `npu`", "/layers/1: the layer has a time on no",
                           "/layers/2/before: the network cannot be cut where `no-such-tensor`"}) {
    EXPECT_TRUE(has(done.err, part)) << part << " in\n" << done.err;
  }
  EXPECT_FALSE(fs::exists(out_)) << "nothing is written, and the whole networks of the set serve on";
  const Outcome both = place({"--layers", (folder_ / "layers.json").string()}, write("set.json", {{"format", "x"}}));
  EXPECT_EQ(both.code, kExitConfig);
  for (const char* part : {"set.json", "/processors/2", "/layers/1"}) EXPECT_TRUE(has(both.err, part)) << both.err;
}

// A network in which what crosses has a size that depends on its numbers.
TEST_F(PlaceSet, AShapeThatIsNotKnownIsNamedWhereItCrosses) {
  std::ofstream(folder_ / "net.onnx", std::ios::binary)
      << test::onnx_model({{"X", test::OnnxType::fp32, {1, 4}}}, {{"Y", test::OnnxType::fp32, {1, 1}}},
                          {{"Neg", {"X"}, {"A"}},
                           {"NonZero", {"A"}, {"B"}},
                           {"Cast", {"B"}, {"C"}, {{"to", 1}}},
                           {"ReduceMax", {"C"}, {"Y"}}});
  const std::string hash = runtime::sha256_of(folder_ / "net.onnx").value();
  const json variant = {{"id", "v"},
                        {"model", "net.onnx"},
                        {"sha256", hash},
                        {"accuracy", 0.5},
                        {"frame_time_seconds", {{"cpu", 0.001}}}};
  json set = {{"format", "saccade-profiles/2"}, {"network", "net"}};
  set["device"] = {{"name", "box"}, {"processors", json::array({"cpu"})}};
  set["input"] = {{"width", 32}, {"height", 32}};
  set["labels"] = json::array({"a", "b"});
  set["variants"] = json::array({variant});
  const Outcome layers = run(verb_layers, {folder_ / "net.onnx"});
  EXPECT_TRUE(has(layers.out, "no cut after NonZero: the shape of `B` is not known")) << layers.out << layers.err;
  json file = {{"format", "saccade-layers/1"}, {"sha256", hash}};
  file["processors"] = json::array({json{{"id", "a"}}, json{{"id", "b"}}});
  for (const char* name : {"0", "1", "2", "3"}) file["layers"].push_back({{"name", name}, {"seconds", {{"a", 1}, {"b", 1}}}});
  file["layers"][1]["before"]["tensors"] = {"A"};
  file["layers"][2]["before"]["tensors"] = {"B"};
  file["layers"][3]["before"]["tensors"] = {"C"};
  const Outcome done = place({"--layers", write("layers.json", file)}, write("set.json", set));
  EXPECT_EQ(done.code, kExitConfig);
  EXPECT_TRUE(has(done.err, "/layers/2/before: the network cannot be cut where `B` cross: the shape of `B` is not known"))
      << done.err;
  EXPECT_TRUE(has(done.err, "/layers/3/before")) << done.err;
  EXPECT_FALSE(has(done.err, "/layers/1/before")) << done.err;
}

TEST_F(PlaceSet, ADeadlineThatSeveralNetworksMissIsToldOfEach) {
  json other = made_up_layers();
  const fs::path model = kZoo / "mobilenet_v2-glyphs/w0.25-d0.50-fp32.onnx";
  json second = json::parse(run(verb_layers, {model.string(), "--json"}).out);
  second["processors"] = other["processors"];
  for (json& layer : second["layers"]) layer["seconds"] = {{"fast", 1e-3}, {"slow", 2e-3}};
  const Outcome done = place({"--layers", write("a.json", other), "--layers", write("b.json", second),
                              "--deadline", "0.000001"});
  EXPECT_EQ(done.code, kExitInfeasible);
  EXPECT_TRUE(has(done.err, kVariant + ": no placement meets the aim")) << done.err;
  EXPECT_TRUE(has(done.err, "w0.25-d0.50-fp32: no placement meets the aim")) << done.err;
}

TEST_F(PlaceSet, ADeadlineThatNothingMeetsNamesTheLeastPossible) {
  const Outcome done = place({"--layers", write("layers.json", made_up_layers()), "--deadline", "0.000001"});
  EXPECT_EQ(done.code, kExitInfeasible);
  EXPECT_TRUE(has(done.err, "s at least, with any number of stages")) << done.err;
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(PlaceSet, ASetThatWasPlacedIsNotPlacedAgain) {
  const std::string layers = write("layers.json", made_up_layers());
  ASSERT_EQ(place({"--layers", layers}).code, kExitOk);
  const fs::path twice = folder_ / "twice.json";
  const Outcome done = run(verb_place, {out_.string(), "--out", twice.string(), "--layers", layers});
  EXPECT_EQ(done.code, kExitFailed);
  EXPECT_TRUE(has(done.err, "already")) << done.err;
}

TEST_F(PlaceSet, DrawsItsPlacements) {
  const fs::path folder = folder_ / "charts";
  const std::string layers = write("layers.json", made_up_layers());
  ASSERT_EQ(place({"--layers", layers, "--plot", folder.string()}).code, kExitOk);
  ASSERT_EQ(run(verb_place, {layers, "--plot", folder.string()}).code, kExitOk);
  const std::string name = "mobilenet_v2-glyphs-" + kVariant;
  for (const std::string& chart : {name + "-gantt", name + "-load", name + "-front", kVariant + "-gantt"})
    EXPECT_TRUE(fs::is_regular_file(folder / (chart + ".csv"))) << chart;
}

TEST(Schedule, IsThePipelineOfThePlacement) {
  placement::Chain chain;
  chain.processors = {{ProcessorId("a")}, {ProcessorId("b")}};
  for (const auto& [a, b] : {std::pair{1.0, 9.0}, {9.0, 2.0}, {1.0, 9.0}}) {
    placement::Layer layer;
    layer.on = {placement::LayerCost{Seconds(a), {}}, placement::LayerCost{Seconds(b), {}}};
    chain.layers.push_back(layer);
  }
  chain.boundaries.resize(2);
  const placement::Costs costs(chain);
  const placement::Placement placement = placement::placement_of({0, 1, 0});
  const auto spans = schedule_of(costs, placement, 4);
  ASSERT_EQ(spans.size(), 12U);
  std::map<std::size_t, std::vector<WorkSpan>> by_processor, by_frame;
  for (const WorkSpan& span : spans) {
    for (const auto* earlier : {&by_processor[span.processor], &by_frame[span.frame]}) {
      if (!earlier->empty()) {
        EXPECT_GE(span.begin, earlier->back().end);
      }
    }
    by_processor[span.processor].push_back(span);
    by_frame[span.frame].push_back(span);
    EXPECT_DOUBLE_EQ(span.end - span.begin, span.stage == 1 ? 2.0 : 1.0);
  }
  EXPECT_DOUBLE_EQ(by_frame[3].back().end - by_frame[2].back().end, 2.0) << "a frame leaves every period";
}

TEST_F(PlaceSet, WantsItsOptionsTogether) {
  EXPECT_EQ(run(verb_place, {kSet, "--layers", "layers.json"}).code, kExitUsage);
  EXPECT_EQ(run(verb_place, {kSet, "--out", "x.json"}).code, kExitUsage);
  EXPECT_EQ(run(verb_place, {kSet, "--out", "x.json", "--layers", "l.json", "--columns", "0"}).code,
            kExitUsage);
}

TEST(CutReasons, SayWhichProcessorBindsAndWhatOtherCutsCost) {
  const auto set =
      profiles::read_profile_set(fs::path(SACCADE_SOURCE_DIR) / "tests/profiles/corpus/good/staged.json");
  ASSERT_TRUE(set);
  EXPECT_TRUE(cut_reasons(set.value().variants[0]).empty());
  const auto reasons = cut_reasons(set.value().variants[1]);
  ASSERT_EQ(reasons.size(), 3U);
  EXPECT_TRUE(has(reasons[0], "in 3 stages: processor `cpu0` binds with 2.4 ms a frame, `cpu1` takes 1.8 ms"))
      << reasons[0];
  EXPECT_TRUE(has(reasons[1], "before layer 4, where 4.096 kB go from `cpu0` to `cpu1` and cost 0.1 ms"))
      << reasons[1];
  EXPECT_TRUE(has(reasons[1], "one layer earlier frames would be 2.6 ms apart")) << reasons[1];
  EXPECT_TRUE(has(reasons[2], "it cannot lie one layer later")) << reasons[2];
}

TEST(ProfileLayers, MeasuresAZooNetworkIntoAFileThatPlaceReads) {
  const test::TemporaryFolder folder;
  const std::vector<int> cpus = runtime::allowed_cpus();
  std::string processors = "one=" + std::to_string(cpus.front());
  if (cpus.size() > 1) processors += ",two=" + std::to_string(cpus.back()) + "*3";
  const std::string file = folder / "measured.json";
  const Outcome done = run(verb_profile, {"--layers", kSet, "--only", kVariant, "--quick", "--processors",
                                          processors, "--backend", "onnxruntime", "--out", file});
  ASSERT_EQ(done.code, kExitOk) << done.err;
  EXPECT_TRUE(has(done.out, "the whole network")) << done.out;
  const auto read = config::read_layer_file(file);
  ASSERT_TRUE(read) << to_string(read.errors());
  const placement::Chain& chain = read.value().chain;
  EXPECT_EQ(chain.processors.size(), cpus.size() > 1 ? 2U : 1U);
  for (const placement::Layer& layer : chain.layers) EXPECT_TRUE(layer.on[0]);
  EXPECT_EQ(chain.boundaries[0].apart.size(), chain.processors.size());
  if (cpus.size() > 1) {
    EXPECT_GT(chain.links[0][1].fixed + Seconds(chain.links[0][1].seconds_per_byte), Seconds(0.0));
    EXPECT_TRUE(has(read.value().source, "emulated 3 times slower")) << read.value().source;
  }
  const std::string placed = folder / "placed.json";
  EXPECT_EQ(run(verb_place, {file}).code, kExitOk);
  EXPECT_EQ(run(verb_place, {kSet, "--layers", file, "--out", placed}).code, kExitOk);
}

TEST(ProfileLayers, ProcessorsAreReadWithEveryMistake) {
  std::vector<std::string> mistakes;
  const auto two = layer_processors("fast=0,slow=1+2*2.5", {0, 1, 2}, mistakes);
  EXPECT_TRUE(mistakes.empty());
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[1], (LayerProcessor{"slow", {1, 2}, 2.5}));
  EXPECT_EQ(layer_processors(std::nullopt, {3, 4}, mistakes)[1], (LayerProcessor{"cpu4", {4}, 1.0}));
  (void)layer_processors("a=0,a=0,b=9,c,=1,d=1*0.5,e=x", {0, 1}, mistakes);
  EXPECT_EQ(mistakes.size(), 7U);  // a twice, CPU 0 twice, CPU 9, and four that are of another form
}

TEST(ProfileLayers, RefusesOptionsOfOtherMeasurements) {
  const Outcome done =
      run(verb_profile, {"--layers", kSet, "--verify", "--cpu", "0", "--max-live-tensors", "0"});
  EXPECT_EQ(done.code, kExitUsage);
  for (const char* part : {"--verify", "--cpu", "--max-live-tensors"})
    EXPECT_TRUE(has(done.err, part)) << part;
  EXPECT_EQ(run(verb_profile, {kSet, "--processors", "a=0"}).code, kExitUsage);
}

}  // namespace
}  // namespace saccade::app
