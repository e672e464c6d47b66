// What `saccade place SET.json --layers FILE` and `saccade check` refuse of layers and stages, all at once.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "runtime/engines/engine.hpp"
#include "tests/app/place_set_case.hpp"
#include "tests/support/onnx_graph.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;
using testing::has;
using testing::kVariant;
using testing::kZoo;
using testing::made_up_layers;
using testing::Outcome;
using testing::run;

class PlaceSetMistakes : public testing::PlaceSet {};

// Files whose hashes were not recorded, or were recorded of the wrong files.
TEST_F(PlaceSetMistakes, CheckFindsStagesThatTheirModelsDoNotFit) {
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
    for (const auto& [stage, key] : {std::pair{0U, "gives"}, {1U, "takes"}}) {
      changed[stage][key][0]["shape"].back() = 77;  // still the same on both sides
    }
  });
  EXPECT_TRUE(has(told, stages + "0/gives/0: the stage gives")) << told;
  EXPECT_TRUE(has(told, stages + "1/takes/0: the stage takes")) << told;
  EXPECT_TRUE(has(told, "77], but its model has fp32 [")) << told;
  told = complaints(
      [](json& changed) { changed[0]["gives"][0]["name"] = changed[1]["takes"][0]["name"] = "another"; });
  EXPECT_TRUE(has(told, "the stage gives `another`, but its model has")) << told;
  EXPECT_TRUE(has(told, stages + "1/takes: the stage's model takes")) << told;
  told = complaints([](json& changed) {  // the second stage's file is the first one's
    changed[1]["model"] = changed[0]["model"];
    changed[1].erase("sha256");
  });
  EXPECT_TRUE(has(told, stages + "1/takes/0: the stage takes")) << told;
}

TEST_F(PlaceSetMistakes, TellsAllThatIsWrongWithALayerFile) {
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

TEST_F(PlaceSetMistakes, TellsOfOneFileAllThatIsWrongWithIt) {
  json file = made_up_layers();
  file["processors"].push_back({{"id", "npu"}});
  file["layers"][1].erase("seconds");
  file["layers"][2]["before"]["tensors"] = {"no-such-tensor"};
  const Outcome done = place({"--layers", write("layers.json", file)});
  EXPECT_EQ(done.code, kExitConfig);
  for (const char* part :
       {"/processors/2: no layer has a time on `npu`", "/layers/1: the layer has a time on no",
        "/layers/2/before: the network cannot be cut where `no-such-tensor`"}) {
    EXPECT_TRUE(has(done.err, part)) << part << " in\n" << done.err;
  }
  EXPECT_FALSE(fs::exists(out_)) << "nothing is written, and the whole networks of the set serve on";
  const Outcome both =
      place({"--layers", (folder_ / "layers.json").string()}, write("set.json", {{"format", "x"}}));
  EXPECT_EQ(both.code, kExitConfig);
  for (const char* part : {"set.json", "/processors/2", "/layers/1"})
    EXPECT_TRUE(has(both.err, part)) << both.err;
}

// A network in which what crosses has a size that depends on its numbers.
TEST_F(PlaceSetMistakes, AShapeThatIsNotKnownIsNamedWhereItCrosses) {
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
  EXPECT_TRUE(has(layers.out, "no cut after NonZero: the shape of `B` is not known"))
      << layers.out << layers.err;
  json file = {{"format", "saccade-layers/1"}, {"sha256", hash}};
  file["processors"] = json::array({json{{"id", "a"}}, json{{"id", "b"}}});
  for (const char* name : {"0", "1", "2", "3"})
    file["layers"].push_back({{"name", name}, {"seconds", {{"a", 1}, {"b", 1}}}});
  file["layers"][1]["before"]["tensors"] = {"A"};
  file["layers"][2]["before"]["tensors"] = {"B"};
  file["layers"][3]["before"]["tensors"] = {"C"};
  const Outcome done = place({"--layers", write("layers.json", file)}, write("set.json", set));
  EXPECT_EQ(done.code, kExitConfig);
  EXPECT_TRUE(has(
      done.err, "/layers/2/before: the network cannot be cut where `B` cross: the shape of `B` is not known"))
      << done.err;
  EXPECT_TRUE(has(done.err, "/layers/3/before")) << done.err;
  EXPECT_FALSE(has(done.err, "/layers/1/before")) << done.err;
}

TEST_F(PlaceSetMistakes, ADeadlineThatSeveralNetworksMissIsToldOfEach) {
  json other = made_up_layers();
  const fs::path model = kZoo / "mobilenet_v2-glyphs/w0.25-d0.50-fp32.onnx";
  json second = json::parse(run(verb_layers, {model.string(), "--json"}).out);
  second["processors"] = other["processors"];
  for (json& layer : second["layers"]) layer["seconds"] = {{"fast", 1e-3}, {"slow", 2e-3}};
  const Outcome done = place(
      {"--layers", write("a.json", other), "--layers", write("b.json", second), "--deadline", "0.000001"});
  EXPECT_EQ(done.code, kExitInfeasible);
  EXPECT_TRUE(has(done.err, kVariant + ": no placement meets the aim")) << done.err;
  EXPECT_TRUE(has(done.err, "w0.25-d0.50-fp32: no placement meets the aim")) << done.err;
}

TEST_F(PlaceSetMistakes, ADeadlineThatNothingMeetsNamesTheLeastPossible) {
  const Outcome done = place({"--layers", write("layers.json", made_up_layers()), "--deadline", "0.000001"});
  EXPECT_EQ(done.code, kExitInfeasible);
  EXPECT_TRUE(has(done.err, "s at least, with any number of stages")) << done.err;
  EXPECT_FALSE(fs::exists(out_));
}

}  // namespace
}  // namespace saccade::app
