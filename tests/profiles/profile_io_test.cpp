#include "profiles/profile_io.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <random>

#include "tests/support/corpus.hpp"

namespace saccade::profiles::profile_io_test {
namespace {

namespace fs = std::filesystem;

const fs::path kTests = fs::path(SACCADE_SOURCE_DIR) / "tests";
const fs::path kCorpus = kTests / "profiles/corpus";

Errors errors_of(const fs::path& path) {
  const Result<ProfileSet> set = read_profile_set(path);
  return set.ok() ? Errors{} : set.errors();
}

TEST(ProfileFiles, EveryBrokenOneIsRefusedWithExactlyItsMistakes) {
  testing::expect_refused_as_listed(kCorpus / "bad", errors_of);
}

TEST(ProfileFiles, TheGoodOnesAreRead) {
  for (const fs::path& folder : {kCorpus / "good", kTests / "support/profiles"}) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      EXPECT_EQ(to_string(errors_of(entry.path())), "") << entry.path();
    }
  }
}

TEST(ProfileFiles, AMissingFileAndAFolderAreNamed) {
  const Errors missing = errors_of(kCorpus / "nothing-here.json");
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].where, (kCorpus / "nothing-here.json").string());
  EXPECT_EQ(missing[0].what, "there is no such file");
  ASSERT_EQ(errors_of(kCorpus).size(), 1u);
  EXPECT_EQ(errors_of(kCorpus)[0].what, "this is not a file");
}

TEST(ProfileFiles, EveryKeyArrivesWhereItBelongs) {
  const Result<ProfileSet> read = read_profile_set(kCorpus / "good/every-key.json");
  ASSERT_TRUE(read.ok());
  const ProfileSet& set = read.value();
  EXPECT_EQ(set.network, "test-powered");
  EXPECT_EQ(set.directory, kCorpus / "good");
  EXPECT_EQ(set.device.name, "test-board");
  EXPECT_EQ(set.device.processors, (std::vector{ProcessorId("cpu"), ProcessorId("gpu")}));
  EXPECT_EQ(set.device.idle_power, Watts(1.5));
  EXPECT_EQ(set.provenance.frames, 2000);
  EXPECT_EQ(set.provenance.energy_source, "measured");
  EXPECT_EQ(set.input, (InputShape{64, 64, 3}));
  EXPECT_EQ(set.labels, (std::vector<std::string>{"a", "b", "c"}));
  ASSERT_EQ(set.variants.size(), 3u);
  const Variant& gpu = set.variants[0];
  EXPECT_EQ(gpu.precision, Precision::fp16);
  EXPECT_EQ(gpu.batch_time.at(4).at(ProcessorId("gpu")), Seconds(0.004));
  EXPECT_EQ(gpu.power->by_processor.at(ProcessorId("gpu")), Watts(6.0));
  EXPECT_EQ(gpu.energy_per_inference, Joules(0.011));
  EXPECT_EQ(gpu.batch_energy, (std::map<int, Joules>{{4, Joules(0.021)}}));
  const Variant& small = set.variants[2];
  EXPECT_EQ(small.width, 0.5);
  EXPECT_EQ(small.model, "models/small.onnx");
  EXPECT_EQ(small.sha256.substr(0, 4), "abab") << "kept in lower case";
  EXPECT_EQ(small.accuracy_images, 4000);
  EXPECT_EQ(small.frame_time_p99.at(ProcessorId("cpu")), Seconds(0.0024));
  EXPECT_EQ(small.power->device, Watts(2.5));
  EXPECT_EQ(small.memory, Bytes(3e6));
  EXPECT_EQ(small.load_time, Seconds(0.004));
  EXPECT_EQ(small.load_peak, Bytes(3.9e6));
}

TEST(ProfileFiles, TheFirstFormatMeansAClassifierOfStretchedPictures) {
  const Result<ProfileSet> read = read_profile_set(kCorpus / "good/every-key.json");
  ASSERT_TRUE(read.ok());
  const ModelInterface& interface = read.value().interface;
  EXPECT_EQ(interface.task, NetworkTask::classify);
  EXPECT_EQ(interface.metric, "top1");
  EXPECT_TRUE(std::holds_alternative<ClassifyDecoder>(interface.decoder));
  PictureInput expected;
  expected.width = expected.height = 64;
  expected.color = ColorOrder::rgb;
  expected.scale = 1.0 / 255.0;
  expected.resize = Resize::stretch;
  expected.filter = Filter::area;
  EXPECT_EQ(interface.input, expected);
  for (const Variant& variant : read.value().variants) {
    EXPECT_FALSE(variant.frame_time_parts);
    EXPECT_EQ(input_of(read.value(), variant), expected);
  }
}

TEST(ProfileSets, AVariantsInputIsTheSetsWithItsOwn) {
  ProfileSet set;
  set.input = {64, 48, 3};
  Variant variant;
  EXPECT_EQ(input_of(set, variant).width, 64)
      << "a set that no file was read into has its size in `input` alone";
  EXPECT_EQ(input_of(set, variant).height, 48);
  set.interface.input.mean = {0.5, 0.5, 0.5};
  EXPECT_EQ(interface_of(set, variant).input, input_of(set, variant));
  EXPECT_EQ(interface_of(set, variant).input.mean, set.interface.input.mean);
  variant.interface = interface_of(set, variant);
  variant.interface->input.name = "pixels";
  variant.interface->input.width = 320;
  EXPECT_EQ(interface_of(set, variant), *variant.interface);
  EXPECT_EQ(input_of(set, variant), variant.interface->input);
  EXPECT_EQ(input_of(set, variant).height, 48);
}

TEST(ProfileFiles, PartsOfAFrameTimeAreAllOrNone) {
  const auto with_parts = [](const std::string& parts) {
    return parse_profile_set(
        R"({"format": "saccade-profiles/1", "network": "n", "device": {"name": "d", "processors": ["cpu"]},
      "variants": [{"id": "a", "accuracy": 0.5, "frame_time_seconds": {"cpu": 0.003}, "frame_time_parts_seconds": )" +
            parts + "}]}",
        "parts");
  };
  const auto read = with_parts(R"({"prepare": 0.001, "infer": 0.002, "decode": 0})");
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  EXPECT_EQ(read.value().variants[0].frame_time_parts,
            (FrameTimeParts{Seconds(0.001), Seconds(0.002), Seconds(0.0)}));
  EXPECT_TRUE(with_parts("null").ok());
  EXPECT_FALSE(with_parts(R"({"prepare": 0.001, "infer": 0.002})").ok());
  EXPECT_FALSE(with_parts(R"({"prepare": -1, "infer": 0.002, "decode": 0})").ok());
  EXPECT_FALSE(with_parts(R"({"prepare": 0, "infer": 0.002, "decode": 0, "sleep": 1})").ok());
}

// A set with every optional part present or absent at random, and numbers of all magnitudes.
ProfileSet random_set(std::mt19937_64& random) {
  const auto chance = [&] { return random() % 2 == 0; };
  const auto positive = [&] {
    return std::ldexp(std::uniform_real_distribution(0.5, 1.0)(random), static_cast<int>(random() % 40) - 20);
  };
  ProfileSet set;
  set.network = "net";
  set.device.name = "a \"device\" \xC3\xA9";
  set.device.processors = {ProcessorId("cpu"), ProcessorId("gpu")};
  if (chance()) set.device.idle_power = Watts(positive());
  if (chance()) set.provenance.frames = 100;
  if (chance()) set.provenance.provider = "cuda";
  if (chance()) set.provenance.provider_options = "graphs=1 device=0";
  if (chance()) set.input = {64, 32, 1};
  if (chance()) set.labels = {"x", "y"};
  for (std::size_t i = 0; i <= random() % 4; ++i) {
    Variant v;
    v.id = VariantId("v" + std::to_string(i));
    v.precision = kPrecisions[random() % kPrecisions.size()];
    v.accuracy = std::uniform_real_distribution(0.0, 1.0)(random);
    v.frame_time[ProcessorId("cpu")] = Seconds(positive());
    if (chance()) v.frame_time[ProcessorId("gpu")] = Seconds(positive());
    if (chance()) v.frame_time_p99[ProcessorId("cpu")] = Seconds(positive());
    if (chance()) v.frame_time_parts = FrameTimeParts{Seconds(positive()), Seconds(positive()), Seconds(0.0)};
    if (chance()) v.batch_time[4][ProcessorId("cpu")] = Seconds(positive());
    if (chance()) v.power = Power{Watts(positive()), {}};
    if (chance()) v.power = Power{std::nullopt, {{ProcessorId("cpu"), Watts(positive())}}};
    if (chance()) v.energy_per_inference = Joules(positive());
    if (v.energy_per_inference && chance()) v.batch_energy[16] = Joules(positive());
    if (chance()) v.memory = Bytes(std::floor(1.0 + 1e6 * positive()));
    if (chance()) v.load_time = Seconds(positive());
    if (chance()) v.load_peak = Bytes(1.0 + positive());
    if (chance()) v.device_memory = Bytes(1.0 + positive());
    if (chance()) v.device_load_peak = Bytes(1.0 + positive());
    if (chance()) v.width = positive();
    if (chance()) v.depth = positive();
    if (chance()) v.model = "m.onnx";
    if (chance()) v.sha256 = std::string(64, 'a');
    if (chance()) v.accuracy_images = 1 + static_cast<int>(random() % 1000);
    set.variants.push_back(v);
  }
  return set;
}

TEST(ProfileFiles, WhatIsWrittenIsReadBackTheSame) {
  std::mt19937_64 random(20261120);
  for (int round = 0; round < 200; ++round) {
    const ProfileSet set = random_set(random);
    const std::string text = to_json(set);
    const Result<ProfileSet> again = parse_profile_set(text, "round trip");
    ASSERT_TRUE(again.ok()) << to_string(again.errors()) << text;
    EXPECT_EQ(to_json(again.value()), text);
    for (std::size_t i = 0; i < set.variants.size(); ++i) {
      const Variant& a = set.variants[i];
      const Variant& b = again.value().variants[i];
      EXPECT_EQ(a.frame_time, b.frame_time) << "bit for bit";
      EXPECT_EQ(a.batch_time, b.batch_time);
      EXPECT_EQ(a.frame_time_parts, b.frame_time_parts);
      EXPECT_EQ(a.accuracy, b.accuracy);
      EXPECT_EQ(a.memory, b.memory);
      EXPECT_EQ(a.device_memory, b.device_memory);
      EXPECT_EQ(a.device_load_peak, b.device_load_peak);
      EXPECT_EQ(energy_per_frame(a, 3), energy_per_frame(b, 3));
      EXPECT_EQ(peak_power(a), peak_power(b));
    }
  }
}

TEST(ProfileFiles, AreReplacedAsAWholeAndAFailureIsAnError) {
  const fs::path folder = fs::temp_directory_path() / ("saccade-profile-io-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::mt19937_64 random(1);
  const ProfileSet set = random_set(random);
  ASSERT_TRUE(write_profile_set(set, folder / "p.json").ok());
  ASSERT_TRUE(write_profile_set(set, folder / "p.json").ok());
  EXPECT_EQ(to_json(read_profile_set(folder / "p.json").value()), to_json(set));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1)
      << "nothing left over";
  const Status refused = write_profile_set(set, folder / "missing" / "p.json");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors()[0].where, (folder / "missing" / "p.json").string());
  fs::remove_all(folder);
}

}  // namespace
}  // namespace saccade::profiles::profile_io_test
