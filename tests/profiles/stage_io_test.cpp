// Variants that several processors share: what is read and written, and every mistake at once.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "profiles/processor_kinds.hpp"
#include "profiles/profile_io.hpp"
#include "tests/support/corpus.hpp"

namespace saccade::profiles {
namespace {

using nlohmann::json;

std::string good_text() {
  return testing::file_text(std::filesystem::path(SACCADE_SOURCE_DIR) /
                            "tests/profiles/corpus/good/staged.json");
}

ProfileSet good_set() {
  auto read = parse_profile_set(good_text(), "staged.json", {});
  EXPECT_TRUE(read) << (read ? "" : to_string(read.errors()));
  return read ? std::move(read).value() : ProfileSet{};
}

// The complaints about the good set's staged variant after `change`.
std::string complaints(const std::function<void(json& variant)>& change) {
  json set = json::parse(good_text());
  change(set["variants"][1]);
  const auto read = parse_profile_set(set.dump(), "set.json", {});
  return read ? "" : to_string(read.errors());
}

void expect_complaint(const std::function<void(json& variant)>& change, const std::string& pointer,
                      const std::string& what) {
  const std::string said = complaints(change);
  EXPECT_NE(said.find("/variants/1" + pointer), std::string::npos) << pointer << "\n" << said;
  EXPECT_NE(said.find(what), std::string::npos) << what << "\n" << said;
}

TEST(Stages, AreReadAndWrittenBack) {
  const ProfileSet set = good_set();
  ASSERT_EQ(set.variants.size(), 2U);
  EXPECT_TRUE(set.variants[0].staging.empty());
  const Staging& staging = set.variants[1].staging;
  ASSERT_EQ(staging.stages.size(), 3U);
  EXPECT_EQ(staging.latency, Seconds(0.0042));
  EXPECT_EQ(staging.max_fps, Fps(416.0));
  EXPECT_EQ(staging.max_in_flight, 5);
  const Stage& first = staging.stages[0];
  EXPECT_EQ(first.kind, ProcessorId("cpu0"));
  EXPECT_EQ(first.model, "split-stages/whole-0-3.onnx");
  EXPECT_EQ(first.sha256.size(), 64U);
  EXPECT_EQ(first.last_layer, 3);
  ASSERT_EQ(first.gives.size(), 2U);
  EXPECT_EQ(first.gives[1], (StageTensor{"skip", ElementType::fp16, {1, 8, 8, 8}}));
  EXPECT_EQ(staging.stages[1].period_if_later, Seconds(0.0025));
  EXPECT_FALSE(staging.stages[2].period_if_later);
  const auto again = parse_profile_set(to_json(set), "again.json", {});
  ASSERT_TRUE(again) << to_string(again.errors());
  EXPECT_EQ(again.value().variants, set.variants);
  EXPECT_NE(to_json(set).find(kProfileFormat2), std::string::npos);
}

TEST(Stages, MustFitTogether) {
  expect_complaint([](json& v) { v["stages"][1]["takes"][0]["shape"][3] = 9; }, "/stages/1",
                   "it takes `x` as fp32 1x16x8x9, but is given fp32 1x16x8x8");
  expect_complaint([](json& v) { v["stages"][2]["takes"][1]["type"] = "fp32"; }, "/stages/2", "`skip`");
  expect_complaint([](json& v) { v["stages"][1]["takes"][0]["name"] = "z"; }, "/stages/1",
                   "no stage before it gives `z`");
  expect_complaint(
      [](json& v) {
        v["stages"][1]["layers"] = {5, 6};
      },
      "/stages/1", "the stage begins with layer 5, not 4");
  expect_complaint(
      [](json& v) {
        v["stages"][0]["layers"] = {1, 3};
      },
      "/stages/0", "the stage begins with layer 1, not 0");
  expect_complaint([](json& v) { v["stages"][0]["takes"] = v["stages"][1]["takes"]; }, "/stages/0",
                   "the first stage takes tensors");
  expect_complaint([](json& v) { v["stages"][2].erase("takes"); }, "/stages/2", "the stage takes nothing");
  expect_complaint([](json& v) { v["stages"][2]["gives"] = v["stages"][1]["gives"]; }, "/stages/2",
                   "the last stage gives tensors");
  expect_complaint([](json& v) { v["stages"][1].erase("gives"); }, "/stages/1", "the stage gives nothing");
  expect_complaint([](json& v) { v["stages"][0]["gives"][1]["name"] = "x"; }, "/stages/0/gives/1",
                   "listed twice");
}

TEST(Stages, RunOnProcessorsOfTheVariant) {
  expect_complaint([](json& v) { v["stages"][1]["kind"] = "npu"; }, "/stages/1/kind",
                   "`frame_time_seconds` has no time on `npu`");
  expect_complaint([](json& v) { v["frame_time_seconds"]["cpu"] = 0.001; }, "/stages",
                   "no stage runs on `cpu`");
  expect_complaint([](json& v) { v["stages"][1]["frame_time_seconds"] = 0.002; }, "/stages",
                   "the stages take 0.002 s on `cpu1`, `frame_time_seconds` says 0.0018");
  expect_complaint([](json& v) { v["stages"][2]["kind"] = "cpu1"; }, "/stages/2",
                   "two stages in a row run on `cpu1`");
  expect_complaint([](json& v) { v["stages"][1]["unit"] = 1; }, "/stages/1",
                   "unit 1 of a kind is not planned with");
}

// The good set's staged variant with its first stage, of 0.0016 s, on two processors in turn.
void copy_first_stage(json& v) {
  v["stages"][0]["copies"] = {"cpu"};
  v["frame_time_seconds"]["cpu0"] = v["frame_time_seconds"]["cpu0"].get<double>() - 0.0008;
  v["frame_time_seconds"]["cpu"] = 0.0008;
}

TEST(Stages, MayHaveCopiesThatShareTheTime) {
  json text = json::parse(good_text());
  copy_first_stage(text["variants"][1]);
  const auto read = parse_profile_set(text.dump(), "set.json", {});
  ASSERT_TRUE(read) << to_string(read.errors());
  const Stage& first = read.value().variants[1].staging.stages[0];
  EXPECT_EQ(first.copies, std::vector{ProcessorId("cpu")});
  EXPECT_EQ(first.frame_time, Seconds(0.0016)) << "of a frame in it, wherever";
  EXPECT_EQ(first.processors(), 2U);
  EXPECT_EQ(first.places(), "cpu0+cpu");
  EXPECT_TRUE(first.runs_on(ProcessorId("cpu")));
  EXPECT_FALSE(first.runs_on(ProcessorId("cpu1")));
  const auto again = parse_profile_set(to_json(read.value()), "again.json", {});
  ASSERT_TRUE(again) << to_string(again.errors());
  EXPECT_EQ(again.value().variants, read.value().variants);
  const std::vector<KindOfProcessor> renamed = {{ProcessorId("left"), ProcessorId("cpu0")},
                                                {ProcessorId("right"), ProcessorId("cpu1")},
                                                {ProcessorId("middle"), ProcessorId("cpu")}};
  const Variant moved = on_processors(read.value(), renamed).variants[1];
  EXPECT_EQ(moved.staging.stages[0].places(), "left+middle");
}

TEST(Stages, CopiesRunOnFurtherProcessorsOfTheVariant) {
  const auto with = [](const std::function<void(json & v)>& change) {
    return [change](json& v) {
      copy_first_stage(v);
      change(v);
    };
  };
  expect_complaint(with([](json& v) { v["stages"][0]["copies"] = {"npu"}; }), "/stages/0/copies/0",
                   "`frame_time_seconds` has no time on `npu`");
  expect_complaint(with([](json& v) {
                     v["stages"][0]["copies"] = {"cpu", "cpu0"};
                   }),
                   "/stages/0/copies/1", "runs on `cpu0` already");
  expect_complaint(with([](json& v) { v["stages"][0]["copies"] = {"cpu1"}; }), "/stages/1",
                   "two stages in a row run on `cpu1`");
  expect_complaint(with([](json& v) { v["stages"][2]["copies"] = {"cpu"}; }), "/stages/2",
                   "the last stage has `copies`");
  expect_complaint(with([](json& v) { v["frame_time_seconds"]["cpu"] = 0.0016; }), "/stages",
                   "the stages take 0.0008 s on `cpu`, `frame_time_seconds` says 0.0016");
}

TEST(Stages, OneIsNone) {
  expect_complaint([](json& v) { v["stages"].erase(1), v["stages"].erase(1); }, "/stages",
                   "there are 1 stages");
  expect_complaint([](json& v) { v["stages"] = json::array(); }, "/stages", "there are 0 stages");
  expect_complaint([](json& v) { v["model"] = "whole.onnx"; }, "/stages", "both `model` and `stages`");
  expect_complaint([](json& v) { v.erase("latency_seconds"); }, "", "`latency_seconds` is missing");
  expect_complaint([](json& v) { v["stages"][0]["model"] = "../x.onnx"; }, "/stages/0/model",
                   "below the folder");
}

TEST(Stages, TakeOnePictureAtATime) {
  expect_complaint(
      [](json& v) {
        v["batch_time_seconds"] = {{"4", {{"cpu", 0.01}}}};
      },
      "/stages", "both `batch_time_seconds` and `stages`");
  expect_complaint(
      [](json& v) {
        v["batch_energy_joules"] = {{"4", 0.01}};
      },
      "/stages", "both `batch_energy_joules` and `stages`");
}

TEST(Stages, AllMistakesAreToldAtOnce) {
  const std::string said = complaints([](json& v) {
    v["stages"][0]["sha256"] = "short";
    v["stages"][1]["kind"] = "npu";
    v["stages"][1]["layers"] = {4};
    v["stages"][2]["takes"][0]["name"] = "other";
    v["max_fps"] = 0;
    v["stages"][2]["extra"] = 1;
  });
  for (const char* part : {"/stages/0/sha256", "`npu`", "/stages/1/layers", "`other`", "/max_fps", "extra"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
  }
}

TEST(Stages, AreOfFormat2) {
  json set = json::parse(good_text());
  set["format"] = "saccade-profiles/1";
  const auto read = parse_profile_set(set.dump(), "set.json", {});
  ASSERT_FALSE(read);
  EXPECT_NE(to_string(read.errors()).find("stages"), std::string::npos);
}

TEST(Stages, FollowTheirProcessorsByKindAndByName) {
  const ProfileSet set = good_set();
  const std::vector<KindOfProcessor> two = {{ProcessorId("cpu0"), ProcessorId("cpu")},
                                            {ProcessorId("cpu1"), ProcessorId("cpu")}};
  const ProfileSet placed = on_processors(set, two);
  ASSERT_EQ(placed.variants.size(), 3U);  // the whole on either, and the stages on both by their names
  EXPECT_EQ(placed.variants[2].id, VariantId("whole-p1"));
  EXPECT_EQ(placed.variants[2].frame_time, set.variants[1].frame_time);
  EXPECT_EQ(placed.device.processors, (std::vector{ProcessorId("cpu0"), ProcessorId("cpu1")}));
  const std::vector<KindOfProcessor> renamed = {{ProcessorId("left"), ProcessorId("cpu0")},
                                                {ProcessorId("right"), ProcessorId("cpu1")}};
  const Variant moved = on_processors(set, renamed).variants[1];
  EXPECT_EQ(moved.staging.stages[0].kind, ProcessorId("left"));
  EXPECT_EQ(moved.staging.stages[1].kind, ProcessorId("right"));
  EXPECT_TRUE(moved.frame_time.contains(ProcessorId("left")));
}

TEST(Stages, MutatedSetsAreReadOrRefused) {
  std::mt19937_64 random(18);  // NOLINT(cert-msc51-cpp): the same in every run
  const std::string original = good_text();
  std::size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = original;
    for (std::uint64_t i = 1 + random() % 3; i > 0; --i) {
      constexpr std::string_view kCharacters = "0123456789.-eE\"{}[],: xyskip\\\xff";
      text[random() % text.size()] = kCharacters[random() % kCharacters.size()];
    }
    const auto read = parse_profile_set(text, "set.json", {});
    if (!read) {
      ++refused;
      continue;
    }
    const auto again = parse_profile_set(to_json(read.value()), "again.json", {});
    ASSERT_TRUE(again) << to_string(again.errors()) << text;
    EXPECT_EQ(again.value().variants, read.value().variants);
  }
  EXPECT_GT(refused, 1000U);
  EXPECT_LT(refused, 19'900U);
}

}  // namespace
}  // namespace saccade::profiles
