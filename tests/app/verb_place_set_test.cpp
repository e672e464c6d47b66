// `saccade profile --layers` and `saccade place SET.json --layers FILE` from the outside: a network of the
// zoo measured in parts, cut, and planned with.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "app/report/cut_explanation.hpp"
#include "app/report/exit_codes.hpp"
#include "app/report/placement_plot.hpp"
#include "app/verbs/profile_layers.hpp"
#include "app/verbs/verbs.hpp"
#include "config/layer_file.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "tests/app/place_set_case.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

using testing::has;
using testing::kSet;
using testing::kVariant;
using testing::made_up_layers;
using testing::Outcome;
using testing::PlaceSet;
using testing::run;

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

// And `slow2`, another one like `slow`.
json layers_of_three() {
  json file = made_up_layers();
  file["processors"].push_back({{"id", "slow2"}});
  for (const auto& [from, to] :
       {std::pair{"fast", "slow2"}, {"slow2", "fast"}, {"slow", "slow2"}, {"slow2", "slow"}})
    file["links"].push_back(
        {{"from", from}, {"to", to}, {"fixed_seconds", 1e-5}, {"seconds_per_byte", 1e-10}});
  for (json& layer : file["layers"]) {
    layer["seconds"]["slow2"] = layer["seconds"]["slow"];
    if (layer.contains("before"))
      layer["before"]["apart_seconds"]["slow2"] = layer["before"]["apart_seconds"]["slow"];
  }
  return file;
}

TEST_F(PlaceSet, WritesAndPlansCopiesOnProcessorsThatAreAlike) {
  const Outcome done = place({"--layers", write("layers.json", layers_of_three())});
  ASSERT_EQ(done.code, kExitOk) << done.err;
  profiles::ProfileSet set = profiles::read_profile_set(out_).value();
  ASSERT_EQ(run(verb_check, {out_.string()}).code, kExitOk) << run(verb_check, {out_.string()}).out;
  const auto copied = [](const profiles::Variant& variant) {
    return !variant.staging.empty() && variant.staging.stages.front().places() == "slow+slow2";
  };
  const auto found = std::find_if(set.variants.begin(), set.variants.end(), copied);
  ASSERT_NE(found, set.variants.end());
  EXPECT_EQ(found->frame_time.at(ProcessorId("slow")), found->frame_time.at(ProcessorId("slow2")));
  EXPECT_EQ(found->frame_time.at(ProcessorId("slow")) * 2.0, found->staging.stages.front().frame_time);
  const double fps = std::floor(0.9 * found->staging.max_fps.value());
  set.variants = {*found};
  std::ofstream(out_) << profiles::to_json(set);
  json document = {{"version", 1}};
  for (const char* name : {"fast", "slow", "slow2"}) document["processors"].push_back({{"name", name}});
  document["tasks"].push_back({{"id", "gate"},
                               {"profiles", "placed.json"},
                               {"fps", fps},
                               {"min_fps", fps},
                               {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}});
  const std::string config = write("config.json", document);
  EXPECT_EQ(run(verb_plan, {config}).code, kExitOk) << run(verb_plan, {config}).out;
  const Outcome explained = run(verb_explain, {config});
  EXPECT_TRUE(has(explained.out, "from `slow+slow2` to `fast`")) << explained.out;
  document["tasks"][0]["fps"] = document["tasks"][0]["min_fps"] = 1.2 * found->staging.max_fps.value();
  EXPECT_NE(run(verb_plan, {write("more.json", document)}).code, kExitOk) << "more than it can";
}

// Each processor is the quicker one for one half of the network: alone, neither is worth much.
json layers_in_halves() {
  json file = made_up_layers();
  double all = 0.0, before = 0.0;
  for (const json& layer : file["layers"]) all += layer["seconds"]["fast"].get<double>();
  for (json& layer : file["layers"]) {
    const double quick = layer["seconds"]["fast"].get<double>();
    const bool first_half = before < 0.5 * all;
    before += quick;
    layer["seconds"] = {{"fast", (first_half ? 1.0 : 3.0) * quick},
                        {"slow", (first_half ? 3.0 : 1.0) * quick}};
  }
  return file;
}

// Two tasks on the two processors.
json two_tasks(const std::string& profiles, double fps) {
  json document = {{"version", 1}};
  document["processors"] = json::array({json{{"name", "fast"}}, json{{"name", "slow"}}});
  document["tasks"] = json::array();
  for (const char* id : {"gate", "dock"}) {
    document["tasks"].push_back({{"id", id},
                                 {"profiles", profiles},
                                 {"fps", fps},
                                 {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}});
  }
  return document;
}

TEST_F(PlaceSet, AddsThePlacementsThatAPlanLacksAndReportsItsGap) {
  const std::string layers = write("layers.json", layers_in_halves());
  ASSERT_EQ(place({"--layers", layers}).code, kExitOk);  // for tasks to name
  const auto set = profiles::read_profile_set(out_).value();
  double best = 0.0;
  for (const profiles::Variant& variant : set.variants)
    best = std::max(best, variant.staging.max_fps.value());
  const auto placed = [&](VerbArguments more) {
    VerbArguments args = {
        kSet, "--layers", layers, "--columns", "2", "--out", (folder_ / "priced.json").string()};
    args.insert(args.end(), more.begin(), more.end());
    return run(verb_place, args);
  };
  const auto priced = [&](double fps, VerbArguments more) {
    more.insert(more.end(), {"--config", write("config.json", two_tasks("placed.json", fps))});
    return placed(std::move(more));
  };
  const Outcome unpriced = placed({"--json"});
  ASSERT_EQ(unpriced.code, kExitOk) << unpriced.err;
  const std::size_t before = json::parse(unpriced.out)["variants"].size();
  EXPECT_EQ(before, 2U) << "the whole network on either processor";
  const Outcome fits = priced(std::floor(0.45 * best), {"--json"});
  ASSERT_EQ(fits.code, kExitOk) << fits.err;
  const json done = json::parse(fits.out), pricing = done["pricing"];
  const json& placements = pricing["placements"][kVariant];
  EXPECT_EQ(placements["start_set"], before);
  EXPECT_GE(placements["added"], 1) << pricing.dump(1);
  EXPECT_EQ(done["variants"].size(), before + placements["added"].get<std::size_t>());
  EXPECT_GT(pricing["start_set"]["lost_fps"], 0.0) << "without them";
  EXPECT_EQ(pricing["priced"]["lost_fps"], 0.0) << "with them";
  EXPECT_TRUE(pricing["closed"].get<bool>()) << pricing.dump(1);
  EXPECT_NEAR(pricing["bound"].get<double>(), pricing["priced"]["value"].get<double>(), 1e-6);
  EXPECT_LE(pricing["priced"]["gap"].get<double>(), 1e-6);
  EXPECT_EQ(run(verb_check, {(folder_ / "priced.json").string()}).code, kExitOk);
  const Outcome words = priced(std::floor(0.45 * best), {});
  EXPECT_TRUE(has(words.out, "no plan of the whole demand is above")) << words.out;
  const Outcome too_much = priced(std::ceil(best), {});
  ASSERT_EQ(too_much.code, kExitOk) << too_much.err;
  EXPECT_TRUE(has(too_much.out, "The whole demand does not fit: with whatever placements, at most "))
      << too_much.out;
  const Outcome unbounded = priced(std::ceil(best), {"--json"});
  ASSERT_EQ(unbounded.code, kExitOk) << unbounded.err;
  const json without = json::parse(unbounded.out)["pricing"];
  EXPECT_TRUE(without["bound"].is_null()) << without.dump(1);
  EXPECT_FALSE(without["closed"].get<bool>()) << without.dump(1);
}

TEST_F(PlaceSet, PricesNothingForTasksOfAnotherNetwork) {
  const std::string layers = write("layers.json", made_up_layers());
  json others = two_tasks((testing::kZoo / "densenet-signs.json").string(), 1);
  others["processors"][0]["name"] = "cpu";
  const Outcome other = place({"--layers", layers, "--config", write("config.json", others)});
  EXPECT_EQ(other.code, kExitConfig);
  EXPECT_TRUE(has(other.err, "none of its tasks plans with the network")) << other.err;
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
  if (cpus.size() > 1) processors += ",two=" + std::to_string(cpus.back()) + "*3,three=two";
  const std::string file = folder / "measured.json";
  const Outcome done = run(verb_profile, {"--layers", kSet, "--only", kVariant, "--quick", "--processors",
                                          processors, "--backend", "onnxruntime", "--out", file});
  ASSERT_EQ(done.code, kExitOk) << done.err;
  EXPECT_TRUE(has(done.out, "the whole network")) << done.out;
  const auto read = config::read_layer_file(file);
  ASSERT_TRUE(read) << to_string(read.errors());
  const placement::Chain& chain = read.value().chain;
  EXPECT_EQ(chain.processors.size(), cpus.size() > 1 ? 3U : 1U);
  for (const placement::Layer& layer : chain.layers) EXPECT_TRUE(layer.on[0]);
  EXPECT_EQ(chain.boundaries[0].apart.size(), chain.processors.size());
  if (cpus.size() > 1) {
    EXPECT_GT(chain.links[0][1].fixed + Seconds(chain.links[0][1].seconds_per_byte), Seconds(0.0));
    EXPECT_TRUE(has(read.value().source, "emulated 3 times slower; three as two")) << read.value().source;
    const placement::Costs costs(chain);
    EXPECT_EQ(costs.kind_of(1), costs.kind_of(2));
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
  const auto alike = layer_processors("fast=0,slow=1*2,slow2=slow,slow3=slow2", {0, 1}, mistakes);
  EXPECT_TRUE(mistakes.empty());
  ASSERT_EQ(alike.size(), 4U);
  EXPECT_EQ(alike[2], (LayerProcessor{"slow2", {1}, 2.0, 1}));
  EXPECT_EQ(alike[3], (LayerProcessor{"slow3", {1}, 2.0, 1}));
  EXPECT_FALSE(layer_processors("0=1,1=0", {0, 1}, mistakes)[1].like) << "a CPU";
  (void)layer_processors("b=a,a=0,a=a", {0}, mistakes);  // before it is named, and twice
  EXPECT_EQ(mistakes.size(), 2U);
  mistakes.clear();
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
