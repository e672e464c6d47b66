// Format 2 of profile sets: interfaces, overrides, where accuracies come from, drafts; and that sets which
// need none of it are written in format 1, as ever.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "profiles/interface_io.hpp"
#include "profiles/profile_io.hpp"
#include "tests/profiles/random_interface.hpp"
#include "tests/support/corpus.hpp"

namespace saccade::profiles {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = SACCADE_SOURCE_DIR;
const fs::path kCorpusFolder = kRoot / "tests/profiles/corpus";

ProfileSet detector() {
  auto read = read_profile_set(kCorpusFolder / "good/detector-overrides.json");
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : to_string(read.errors()));
  return read ? std::move(read).value() : ProfileSet{};
}

TEST(ProfileFormat2, EveryKeyArrivesWhereItBelongs) {
  const ProfileSet set = detector();
  EXPECT_EQ(set.provenance.accuracy_source, AccuracySource::measured);
  EXPECT_EQ(set.provenance.accuracy_data, "yard-val, 500 pictures");
  EXPECT_EQ(set.provenance.read_from, "the graph; the metadata's `names`");
  EXPECT_EQ(set.provenance.guessed,
            (std::vector<std::string>{"/interface/input/resize", "/interface/decoder/layout"}));
  EXPECT_EQ(set.input, (InputShape{640, 640, 3}));
  EXPECT_EQ(set.interface.task, NetworkTask::detect);
  EXPECT_FALSE(set.is_draft());
  ASSERT_EQ(set.variants.size(), 3u);
  EXPECT_FALSE(set.variants[0].interface);
  EXPECT_EQ(set.variants[0].accuracy_interval, (std::pair{0.39, 0.43}));
  EXPECT_EQ(interface_of(set, set.variants[0]), set.interface);

  ModelInterface expected = set.interface;
  expected.input.name = "pixels";
  expected.input.layout = TensorLayout::nhwc;
  expected.input.type = ElementType::uint8;
  expected.input.scale = 1.0;
  expected.input.width = 320;
  expected.input.height = 256;
  auto& yolo = std::get<YoloDecoder>(expected.decoder);
  yolo.output = "boxes";
  yolo.layout = YoloLayout::yolox;
  yolo.strides = {8, 16};
  EXPECT_EQ(interface_of(set, set.variants[1]), expected);
  EXPECT_EQ(input_of(set, set.variants[2]).mean, (std::array{0.485, 0.456, 0.406}));
}

TEST(ProfileFormat2, AVariantThatOverridesNothingHasTheSetsInterface) {
  const std::string text = to_json(detector());
  const std::string more = R"("id": "n-640",
   "input": {"width": 640}, "decoder": {},)";
  const auto read =
      parse_profile_set(std::string(text).replace(text.find(R"("id": "n-640",)"),
                                                  std::string_view(R"("id": "n-640",)").size(), more),
                        "set.json");
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  EXPECT_FALSE(read.value().variants[0].interface);
  EXPECT_EQ(to_json(read.value()), text);
}

// A set of a random interface whose variants override random parts of it.
ProfileSet random_set_of_format_2(RandomInterface& interfaces, std::mt19937_64& random) {
  const auto chance = [&] { return random() % 2 == 0; };
  const auto share = [&] { return static_cast<double>(random() % 1'000'000) / 1e6; };
  ProfileSet set;
  set.network = "net";
  set.device.name = "d";
  set.device.processors = {ProcessorId("cpu")};
  set.interface = interfaces.make();
  set.input = {set.interface.input.width, set.interface.input.height, channels_of(set.interface.input.color)};
  if (chance()) set.labels = {"x", "\xC3\xA9 \"y\""};
  if (chance()) set.provenance.accuracy_source = static_cast<AccuracySource>(random() % 3);
  if (chance()) set.provenance.accuracy_data = "data";
  if (chance()) set.provenance.read_from = "the graph";
  if (chance()) set.provenance.guessed = {"/interface/input/resize", "/labels"};
  for (std::size_t i = 0; i <= random() % 4; ++i) {
    Variant v;
    v.id = VariantId("v" + std::to_string(i));
    v.accuracy_known = random() % 4 != 0;
    if (v.accuracy_known) v.accuracy = share();
    if (random() % 4 != 0) v.frame_time[ProcessorId("cpu")] = Seconds(0.001 + share());
    if (chance()) {
      const double least = share();
      v.accuracy_interval = {least, std::max(least, share())};
    }
    if (ModelInterface own = interfaces.overridden(set.interface); chance() && own != set.interface)
      v.interface = std::move(own);
    set.variants.push_back(std::move(v));
  }
  return set;
}

TEST(ProfileFormat2, WhatIsWrittenIsReadBackTheSame) {
  RandomInterface interfaces(20261123);
  std::mt19937_64 random(20261123);
  std::size_t overridden = 0;
  std::size_t drafts = 0;
  for (int round = 0; round < 3'000; ++round) {
    const ProfileSet set = random_set_of_format_2(interfaces, random);
    const std::string text = to_json(set);
    const auto again = parse_profile_set(text, "set.json", {}, Drafts::read);
    ASSERT_TRUE(again.ok()) << to_string(again.errors()) << text;
    ASSERT_EQ(again.value(), set) << text << to_json(again.value());
    EXPECT_EQ(to_json(again.value()), text);
    EXPECT_EQ(parse_profile_set(text, "set.json").ok(), !set.is_draft()) << text;
    drafts += set.is_draft() ? 1U : 0U;
    for (const Variant& variant : set.variants) overridden += variant.interface ? 1U : 0U;
  }
  EXPECT_GT(overridden, 1000u);
  EXPECT_GT(drafts, 500u);
}

TEST(ProfileFormat2, MutatedSetsAreReadOrRefused) {
  RandomInterface interfaces(7);
  std::mt19937_64 random(8);
  std::size_t refused = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string text = to_json(random_set_of_format_2(interfaces, random));
    for (std::uint64_t i = 1 + random() % 3; i > 0; --i) {
      constexpr std::string_view kCharacters = "0123456789.-eE\"{}[],: truefalsn\\\xff";
      text[random() % text.size()] = kCharacters[random() % kCharacters.size()];
    }
    const auto read = parse_profile_set(text, "set.json", {}, Drafts::read);
    if (!read) {
      ++refused;
      continue;
    }
    (void)warnings(read.value());
    const std::string written = to_json(read.value());
    const auto again = parse_profile_set(written, "set.json", {}, Drafts::read);
    ASSERT_TRUE(again.ok()) << to_string(again.errors()) << written;
    EXPECT_EQ(again.value(), read.value()) << written;
  }
  EXPECT_GT(refused, 500u);
}

// ---- drafts ---------------------------------------------------------------------------------------------

TEST(ProfileFormat2, DraftsAreReadOnRequestAlone) {
  std::size_t drafts = 0;
  for (const auto& entry : fs::directory_iterator(kCorpusFolder / "drafts")) {
    ++drafts;
    const auto read = read_profile_set(entry.path(), Drafts::read);
    ASSERT_TRUE(read.ok()) << to_string(read.errors());
    EXPECT_TRUE(read.value().is_draft());
    EXPECT_EQ(
        parse_profile_set(to_json(read.value()), "again.json", read.value().directory, Drafts::read).value(),
        read.value());
    const auto refused = read_profile_set(entry.path());
    ASSERT_FALSE(refused.ok());
    ASSERT_EQ(refused.errors().size(), 1u);
    EXPECT_NE(refused.errors()[0].what.find("this set is a draft"), std::string::npos);
    EXPECT_NE(refused.errors()[0].hint.find("saccade profile"), std::string::npos);
  }
  EXPECT_EQ(drafts, 2u);
}

TEST(ProfileFormat2, TheFirstFormatHasNoDrafts) {
  const auto read = parse_profile_set(
      R"({"format": "saccade-profiles/1", "network": "n", "device": {"name": "d", "processors": ["cpu"]},
          "variants": [{"id": "a", "accuracy": null, "frame_time_seconds": null}]})",
      "set.json", {}, Drafts::read);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.errors().size(), 2u) << to_string(read.errors());
}

// ---- format 1 -------------------------------------------------------------------------------------------

// Written by the program, so that every byte is compared.
TEST(ProfileFormat1, IsWrittenByteForByteAsItWas) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "profiles/zoo")) {
    if (entry.path().extension() != ".json") continue;
    const auto read = read_profile_set(entry.path());
    ASSERT_TRUE(read.ok()) << to_string(read.errors());
    EXPECT_EQ(to_json(read.value()), saccade::testing::file_text(entry.path())) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 5u);
}

// Made by scripts/h100-profiles of measurements.csv, which has all that was measured.
TEST(ShippedH100, SetsSayWhatWasMeasuredAndNoMore) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "profiles/h100")) {
    if (entry.path().extension() != ".json") continue;
    const auto read = read_profile_set(entry.path());
    ASSERT_TRUE(read.ok()) << to_string(read.errors());
    const ProfileSet& set = read.value();
    const std::string file = entry.path().filename().string();
    ++files;
    EXPECT_EQ(set.provenance.provider, "cuda");
    for (const Variant& variant : set.variants) {
      EXPECT_TRUE(variant.model.empty()) << file << ": planned, not run";
      EXPECT_FALSE(variant.memory) << file << ": host memory was not kept";
      const bool graph = file.find("-plain") == std::string::npos;
      if (file.find("-energy") != std::string::npos) {
        EXPECT_TRUE(energy_per_frame(variant, 16)) << file;
      }
      if (graph) {
        EXPECT_FALSE(variant.device_memory || variant.load_time) << file;
      }
      if (variant.precision == Precision::tf32 || !graph) {
        EXPECT_FALSE(variant.power) << file;
      }
    }
  }
  EXPECT_EQ(files, 15U);
}

TEST(ProfileFormat1, IsWrittenWhereItIsEnough) {
  ProfileSet set = detector();
  EXPECT_NE(to_json(set).find("saccade-profiles/2"), std::string::npos);
  set.input = {64, 64, 1};
  set.interface = plain_interface(set.input);
  set.provenance = {};
  for (Variant& variant : set.variants) {
    variant.interface.reset();
    variant.accuracy_interval.reset();
  }
  EXPECT_NE(to_json(set).find("saccade-profiles/1"), std::string::npos);
  set.provenance.accuracy_source = AccuracySource::declared;
  const auto second = parse_profile_set(to_json(set), "set.json", set.directory);
  ASSERT_TRUE(second.ok()) << to_string(second.errors());
  EXPECT_NE(to_json(set).find("saccade-profiles/2"), std::string::npos);
  EXPECT_EQ(second.value(), set) << "the numbers of one channel have no interface, in either format";
}

TEST(ProfileFormat2, AMetricWithoutAnInterfaceSurvivesTheWayThroughTheFile) {
  for (const char* metric : {"map", "map50", "top5", "mIoU"}) {
    ProfileSet set = detector();
    set.interface = plain_interface(set.input);
    set.interface.metric = metric;
    set.provenance = {};
    for (Variant& variant : set.variants) {
      variant.interface.reset();
      variant.accuracy_interval.reset();
    }
    EXPECT_TRUE(has_foreign_metric(set.interface));
    const auto read = parse_profile_set(to_json(set), "set.json", set.directory);
    ASSERT_TRUE(read.ok()) << to_string(read.errors());
    EXPECT_EQ(read.value(), set) << metric;
  }
  EXPECT_FALSE(has_foreign_metric(detector().interface)) << "it has an interface";
}

}  // namespace
}  // namespace saccade::profiles
